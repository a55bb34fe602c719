"""Makes a milestone from the student's code: the suite of its module must pass first."""

from coach.exercise_file import check_file
from coach.testing.observation import WrongAnswer
from coach.testing.report import Report, TestRecord
from coach.testing.runs import SuiteRun
from g2c.commands.milestone import BY_KEY, BY_STUDENT, artifact_to_write, made_by, module_of, whose_code
from g2c.corpus.named_tokenizers import load_current, train
from g2c.formats.artifact import Artifact


class NotReadyError(WrongAnswer):
    """Says that a milestone cannot be made, because a test of its module fails. Its text is the report."""

    def __init__(self, failure: TestRecord) -> None:
        super().__init__(failure.report or Report(message=f"{failure.test} fails."))
        self.failure = failure


def checked_code(name: str) -> str:
    """Return whose code makes this milestone: `BY_STUDENT` if the suite of its module passes, or `BY_KEY`.

    Raises NotReadyError if the student's own code is in use, and a test fails.
    """
    if whose_code(name) == BY_KEY:
        return BY_KEY
    with SuiteRun(module_of(name), shown=False) as run:
        run.wait()
        failure = run.failure()
    if failure:
        raise NotReadyError(failure)
    return BY_STUDENT


def load_milestone(name: str, *, again: bool = False, own: bool = False, progress: bool | None = None) -> Artifact:
    """Return the saved artifact of a milestone. If there is none, test the student's code, then train and save it.

    The manifest records whose code it was. `g2c train` and notebooks make milestones with this function.

    Args:
        name: a name of `NAMED_TOKENIZERS`.
        again: True makes it even if it exists.
        own: True also replaces an artifact that is not known to be a student's, if the code in use is the student's.
        progress: as for `BPETokenizer.train`.

    Raises:
        NotReadyError: as `checked_code`; nothing is saved.
        CourseError: as `g2c.corpus.named_tokenizers.train`; or the student's file cannot be used.
    """
    by_key = whose_code(name) == BY_KEY
    if not by_key:
        # An unusable file is named here, with the line; importing it would end in a traceback.
        check_file(module_of(name))
    artifact = None if again else load_current(name)
    # For an instructor with the answer key, any artifact will do.
    if artifact and (not own or by_key or made_by(name) == BY_STUDENT):
        return artifact
    return train(name, save_as=artifact_to_write(name), code=checked_code(name), progress=progress)
