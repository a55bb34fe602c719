"""Turns the error that ended a student test, or the import of an exercise file, into a record.

There is a function for each kind of error. Where none fits, pytest shows the error itself.
"""

from coach.source import SourceError
from coach.testing.comparison import message_of
from coach.testing.limits import OverLimit
from coach.testing.observation import StudentFailure
from coach.testing.report import Place, Report, TestRecord, cut
from coach.testing.student_code import code_at, code_at_error, needless_call, not_written, place_of, places_of


def explained(test: str, error: BaseException, *, is_import: bool, with_code: bool) -> TestRecord | None:
    """Return the record of a test that failed with this error; None leaves it to pytest.

    Args:
        test: pytest's ID of the test, or of the suite that cannot be imported.
        is_import: whether the error was raised while a suite was imported.
        with_code: whether the record contains the code that raised the error.
    """
    if isinstance(error, SourceError):
        return _unusable_file(test, error)
    if isinstance(error, StudentFailure):
        return _wrong_result(test, error, with_code)
    place = place_of(error.__traceback__)
    if place is None:
        return None
    if isinstance(error, NotImplementedError):
        return _todo(test, error, place, with_code)
    if isinstance(error, OverLimit):
        return _endless_import(test, error, place)
    return _error(test, error, place, is_import, with_code)


def _unusable_file(test: str, error: SourceError) -> TestRecord:
    code = (error.excerpt,) if error.excerpt else ()
    return TestRecord(test, "failed", 0.0, _name(error), Report(error.sentence, error.sentence), code, error.place)


def _wrong_result(test: str, error: StudentFailure, with_code: bool) -> TestRecord:
    """Explain a failed check. The error that the student's code raised, if any, is the cause of the failure."""
    raised = error.__cause__
    if raised is None:
        return TestRecord(test, "failed", 0.0, _name(error), error.report)
    code = code_at_error(raised.__traceback__) if with_code else ()
    return TestRecord(test, "failed", 0.0, _name(raised), error.report, code, place_of(raised.__traceback__))


def _todo(test: str, error: NotImplementedError, place: Place, with_code: bool) -> TestRecord:
    """Name the exercise that is not written yet, or the call that does not need it: of an earlier exercise, or of code
    that runs when the file is imported."""
    imported = [one for one in places_of(error.__traceback__) if one.function == "<module>"]
    if caller := imported[0] if imported else needless_call(error):
        sentence = f"{caller.function} calls {place.function}, which it does not need: {caller}"
        if imported:
            what = f"runs when the file is imported, and {place.function} is not written yet: remove this code."
            sentence = f"{caller} {what}"
        code = (code_at(caller),) if with_code else ()
        return TestRecord(test, "failed", 0.0, "NeedlessCall", Report(sentence, sentence), code, caller)
    sentence = not_written(place)
    return TestRecord(test, "failed", 0.0, _name(error), Report(f"{_name(error)}: {sentence}", sentence), place=place)


def _endless_import(test: str, error: OverLimit, place: Place) -> TestRecord:
    sentence = f"{place}: code that runs when the file is imported did not end within {error.seconds:.0f} seconds."
    return TestRecord(test, "failed", 0.0, _name(error), Report(_said(error), sentence), place=place)


def _error(test: str, error: BaseException, place: Place, is_import: bool, with_code: bool) -> TestRecord | None:
    if is_import:
        report = Report(_said(error), f"{place} raised {_said(error)}")
    elif isinstance(error, Exception):
        report = Report(_said(error), f"{place.function} raised {_said(error)}", where=str(place))
    else:
        return None
    code = code_at_error(error.__traceback__) if with_code else ()
    return TestRecord(test, "failed", 0.0, _name(error), report, code, place)


def _name(error: BaseException) -> str:
    return type(error).__name__


def _said(error: BaseException) -> str:
    message = cut(message_of(error), 2000)
    return cut(_name(error), 100) + (f": {message}" if message else "")
