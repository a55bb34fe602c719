"""Compares the tokenizer code in use with the engine before a milestone is saved.

`g2c.tokenizer.BPETokenizer` trains on a sample, encodes it and decodes it, under the limits of the tests.
"""

import io
from contextlib import redirect_stdout

import g2c.tokenizer
from g2c.corpus.named_tokenizers import load_current, train
from g2c.course.exercise_file import check_file
from g2c.course.exercises import modules
from g2c.course.milestone import BY_KEY, BY_STUDENT, artifact_to_write, whose_code
from g2c.course.teaching import call, check, under_limits
from g2c.course.testing.observation import StudentFailure, WrongAnswer
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

    Returns `BY_STUDENT` or `BY_KEY`: whose code it is.

    Raises:
        NotImplementedError: a method that they need is still a TODO.
        WrongAnswer: they disagree with the engine, raise an error or take too long. Its text is the report.
    """
    try:
        # The report does not contain what the student's code prints.
        with redirect_stdout(io.StringIO()):
            under_limits(_compare_with_engine)
    except StudentFailure as failure:
        raise WrongAnswer(failure.report) from None
    return whose_code()


def load_milestone(name: str, *, again: bool = False, own: bool = False, progress: bool | None = None) -> Artifact:
    """Return the saved artifact of a milestone. If there is none, check the student's code, then train and save it.

    The manifest records whose code it was. `g2c train` and notebooks make milestones with this function.

    Args:
        name: a name of `NAMED_TOKENIZERS`.
        again: True makes it even if it exists.
        own: True also replaces an artifact that is not known to be a student's, if the code in use is the student's.
        progress: as for `BPETokenizer.train`.

    Raises:
        NotImplementedError, WrongAnswer: as `checked_code`; nothing is saved.
        CourseError: as `g2c.corpus.named_tokenizers.train`; or the student's file cannot be used.
    """
    mine = whose_code()
    if mine == BY_STUDENT:
        # An unusable file is named here, with the line; importing it would end in a traceback.
        check_file(next(module for module in modules().values() if "BPETokenizer" in module.public_names))
    artifact = None if again else load_current(name)
    # For an instructor with the answer key, any artifact will do.
    if artifact and (not own or mine == BY_KEY or artifact.manifest["train"].get("code") == BY_STUDENT):
        return artifact
    if mine == BY_STUDENT:
        checked_code()
    return train(name, save_as=artifact_to_write(name), code=mine, progress=progress)


def _compare_with_engine() -> None:
    reference = BPEBase(COURSE_SPECIAL_TOKENS)
    vocab_size = reference.base_vocab_size + MERGES
    ids = train_exact(reference, SAMPLE, vocab_size, progress=False)

    tokenizer = g2c.tokenizer.BPETokenizer(COURSE_SPECIAL_TOKENS)
    trained = call(tokenizer.train, SAMPLE, vocab_size, progress=False)
    merges = trained.attribute("merges").seen_as(lambda merges: list(merges.items()), "the merges in order")
    idea = "Each merge takes the most frequent pair, and in a tie the one seen first."
    check(merges, list(reference.merges.items()), idea=idea)
    idea = "A learned ID stands for the bytes of the two IDs that it was made from."
    check(trained.attribute("vocab"), reference.vocab, idea=idea)
    check(trained, ids, idea="Each merge replaces its pair everywhere in the text.")

    idea = "Of the learned pairs in a piece, the one learned first is always merged first."
    check(call(tokenizer.encode, SAMPLE), encode_fast(reference, SAMPLE), idea=idea)
    typed = "Hi<|end|><|system|>"
    idea = "Text that a user types contains no special tokens."
    check(call(tokenizer.encode_ordinary, typed), encode_ordinary_fast(reference, typed), idea=idea)
    check(call(tokenizer.decode, ids), SAMPLE, idea="Decoding gives back the text that was encoded.")
