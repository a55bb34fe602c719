"""Whether the tokenizer code in use is right: it is compared with the engine before a milestone is saved.

The class `BPETokenizer` that `g2c.tokenizer` hands out trains on a sample, encodes and decodes it, under the limits of
the tests. `g2c.course.milestone` runs this in a process of its own: python -m g2c.course.own_code
"""

import io
import sys
from contextlib import redirect_stdout

import g2c.tokenizer
from g2c.corpus.named_tokenizers import load_current, train
from g2c.course.exercises import modules
from g2c.course.milestone import AGREES, DIFFERS, artifact_to_write, code_in_use
from g2c.course.notebook_answers import WrongAnswer
from g2c.course.source import find_function
from g2c.course.student_code import place_of
from g2c.course.teaching import StudentFailure, call, check, under_limits
from g2c.engine.exact import train_exact
from g2c.engine.fast import encode_fast, encode_ordinary_fast
from g2c.formats.artifact import Artifact
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS

SAMPLE = (
    "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n\n"
    "First Citizen:\nYou are all resolved rather to die than to famish?\n\nAll:\nResolved. resolved.\n\n"
    "aaaaaaaa <|user|>\nnaïve café, Привет, 你好 👋🏽<|end|> the the the theatre <|endoftext|>"
    "First, you know Caius Marcius is chief enemy to the people. aaaaaaaa\n"
)
MERGES = 60
"""How many merges are learned from the sample."""


def checked_code() -> str:
    """Run the `train`, `encode` and `decode` of `BPETokenizer` on a sample, and compare with the engine.

    Returns:
        whose code it is: `STUDENT` or `KEY`.

    Raises:
        NotImplementedError: a method that they need is still a TODO.
        WrongAnswer: they disagree with the engine, raise an error or take too long. Its text is the report.
    """
    try:
        under_limits(_compare_with_engine, crash_report=sys.stderr if __name__ == "__main__" else None)
    except StudentFailure as failure:
        raise WrongAnswer(str(failure)) from None
    return code_in_use()


def load_milestone(name: str, *, progress: bool | None = None) -> Artifact:
    """The saved artifact of a milestone. If there is none, check the code in use, then train and save it.

    For notebooks: what `g2c train` does, in this process. The manifest records whose code it was.

    Args:
        name: a name of `NAMED_TOKENIZERS`.
        progress: as for `BPETokenizer.train`.

    Raises:
        NotImplementedError, WrongAnswer: as `checked_code`; nothing is saved.
        CourseError: as `g2c.corpus.named_tokenizers.train`.
    """
    artifact = load_current(name)
    return artifact or train(name, save_as=artifact_to_write(name), code=checked_code(), progress=progress)


# --- what is compared -------------------------------------------------------------------------------------------------


def _compare_with_engine() -> None:
    reference = BPEBase(COURSE_SPECIAL_TOKENS)
    vocab_size = reference.base_vocab_size + MERGES
    ids = train_exact(reference, SAMPLE, vocab_size, progress=False)

    tokenizer = g2c.tokenizer.BPETokenizer(COURSE_SPECIAL_TOKENS)
    trained = call(tokenizer.train, SAMPLE, vocab_size, progress=False)
    merges = trained.attribute("merges").seen_as(lambda merges: list(merges.items()), "the merges in order")
    idea = "Each merge takes the most frequent pair, and in a tie the one seen first."
    check(merges, list(reference.merges.items()), idea=idea)
    idea = "Every learned ID stands for the bytes of the two IDs that it was made from."
    check(trained.attribute("vocab"), reference.vocab, idea=idea)
    check(trained, ids, idea="Each merge replaces its pair everywhere in the text.")

    idea = "The merges are applied in the order in which they were learned, each as long as its pair is there."
    check(call(tokenizer.encode, SAMPLE), encode_fast(reference, SAMPLE), idea=idea)
    typed = "Hi<|end|><|system|>"
    idea = "What a user types holds no special tokens."
    check(call(tokenizer.encode_ordinary, typed), encode_ordinary_fast(reference, typed), idea=idea)
    check(call(tokenizer.decode, ids), SAMPLE, idea="Decoding gives back the text that was encoded.")


# --- in a process of its own ------------------------------------------------------------------------------------------


def main() -> None:
    """Check the code in use. Prints a report when it is not ready, and in the end the result."""
    result = DIFFERS
    try:
        # What the student's code prints is not part of the report.
        with redirect_stdout(io.StringIO()):
            checked_code()
        result = AGREES
    except NotImplementedError as error:
        print(first_todo(error))
    except WrongAnswer as report:
        print(report)
    print(result)


def first_todo(error: NotImplementedError) -> str:
    """The first exercise that is still a TODO in the file whose TODO was reached."""
    reached = place_of(error.__traceback__)
    if reached is None:
        return str(error)
    for module in modules().values():
        if str(module.exercise_file) == reached.file:
            for exercise in module.exercises:
                line = find_function(module.exercise_file, exercise).first_todo
                if line is not None:
                    return f"{exercise.name} is not written yet: {module.exercise_path}, line {line}"
    return f"{reached.function} is not written yet: {reached}"


if __name__ == "__main__":
    main()
