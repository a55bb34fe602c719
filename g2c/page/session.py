"""Runs suites, answers questions of the lab, and trains, on the student's files, in the Python of the page's worker.

`handle` gets a message from the page and answers through `post`, both in JSON:

    {"do": "run", "module": "04", "files": {path: text}}    {"line": …} for each line of record.py, {"called": …}
    {"do": "ask", "question": …, "details": …, "files": …}  {"answer": …}
    {"do": "train", "size": 512, "files": …}                {"progress": …}, {"trained": …}

The reports are those of a terminal: a failed test's record comes with the lines of its report, "lines", and of its
code, "rows". The page ends a worker that is silent for too long, and then shows one of the reports that `start` sends.
"""

import io
import json
import linecache
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import js

_TIMERS = {signal.ITIMER_REAL: signal.SIGALRM, getattr(signal, "ITIMER_VIRTUAL", 1): signal.SIGVTALRM}


def _set_timer(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
    """Replace `signal.setitimer`, which a browser lacks; worker.js counts the time."""
    left: tuple[float, float] = tuple(js.setTimer(int(_TIMERS[which]), seconds, interval).to_py())
    return left


if not hasattr(signal, "setitimer"):
    signal.setitimer, signal.ITIMER_VIRTUAL = _set_timer, 1
    time.thread_time = time.perf_counter

# Imported only now, because these modules look for timers.
import pytest  # noqa: E402

import g2c.tokenizer  # noqa: E402
from g2c.common.paths import REPOSITORY  # noqa: E402
from g2c.course.exercises import modules  # noqa: E402
from g2c.course.testing.calls import History  # noqa: E402
from g2c.course.testing.limits import Guard, Limits  # noqa: E402
from g2c.course.testing.observation import StudentFailure  # noqa: E402
from g2c.course.testing.plugin import CoursePlugin  # noqa: E402
from g2c.course.testing.record import TestRecord, read_as  # noqa: E402
from g2c.course.testing.report import Report, ended_program, never_returned  # noqa: E402
from g2c.course.testing.student_code import is_student_file  # noqa: E402
from g2c.course.testing.suite_process import run_suites  # noqa: E402
from g2c.lab import student  # noqa: E402
from g2c.lab.pages import table_of_merges  # noqa: E402
from g2c.page import engine  # noqa: E402
from g2c.tokenizer import patterns  # noqa: E402
from g2c.tokenizer.base import BPEBase  # noqa: E402

patterns.LIBRARY = "g2c.page.regexes"
_engine: Any = SimpleNamespace(**vars(engine), WordCounts=SimpleNamespace(of=list))
sys.modules |= {"g2c.engine": _engine, "g2c.engine.exact": _engine, "g2c.engine.fast": _engine}

PAGE_LIMITS = Limits(seconds=8.0, seconds_again=0.6)
"""Twice the limits of a terminal, because a browser's Python takes two to three times as long."""

FIRST_LETTERS = {"15.0": 0x1E4D0, "15.1": 0x2EBF0, "16.0": 0x105C0, "17.0": 0x10940}
"""Version of Unicode -> a letter that it added."""
OF_THE_LIBRARY = "16.0"
"""The version of Unicode in the library of an installed course."""

TRAINED = Path("trained.json")
"""The table of the tokenizer that the student has trained in the page, once there is one."""

Message = dict[str, Any]


def post(message: Message) -> None:
    js.post(json.dumps(message))


def start() -> None:
    """Say that the worker is ready, with its versions, and the reports to show when the worker had to be ended."""
    letters = {version: chr(point) for version, point in FIRST_LETTERS.items()}
    known = [name for name, letter in letters.items() if len(patterns.split_by_pattern(letter + "1", r"\p{L}")) == 2]
    where = ", in FUNCTION"
    endings = {"never": never_returned(where).lines(), "exit": ended_program("HOW", where).lines()}
    versions = {"python": sys.version.split()[0], "unicode": known[-1] if known else "", "library": OF_THE_LIBRARY}
    post({"ready": {**versions, "endings": endings}})


# --- suites -----------------------------------------------------------------------------------------------------------


class PageHistory(History):
    """Announces each function before it is called, because a call that never returns cannot be named later."""

    def next_number(self, key: str) -> int:
        post({"called": key})
        return super().next_number(key)


class PagePlugin(CoursePlugin):
    """Sends the lines of a run to the page, with everything that its screen shows."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.history = PageHistory(self.diagnose)
        self.guard = Guard(is_student_file, PAGE_LIMITS)

    def write(self, line: Message) -> None:
        failed = line.get("not loaded", line)
        if failed.get("outcome") == "failed":
            record = read_as(TestRecord, failed)
            rows = [row for excerpt in record.code for row in excerpt.rows()]
            failed |= {"lines": (record.report or Report()).lines(), "rows": rows}
        post({"line": line})

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Iterator[None]:
        """Skip a test that needs a package of the installation."""
        try:
            return (yield)
        except (ImportError, StudentFailure) as error:
            missing = error.__cause__ if isinstance(error, StudentFailure) else error
            # An import that is missing in the student's own code is a failure like any other.
            if isinstance(missing, ImportError) and (missing is error or (missing.name or "").startswith("g2c.")):
                pytest.skip(f"needs {missing.name}")
            raise


def run(module: str) -> None:
    """Run the suite of a module in the order of its exercises. A failing test ends its group."""
    suite = modules()[module].suite
    arguments = ["--quiet", "--no-header", "--tb=short", "--color=no", "--stop-groups"]
    code = run_suites([*arguments, *(f"{suite}::{group}" for group in modules()[module].groups)], PagePlugin())
    post({"done": {"exit": code}})


# --- the lab, and training --------------------------------------------------------------------------------------------


def _tokenizer() -> BPEBase:
    """Return the tokenizer whose merges the lab encodes with: the student's trained one, or a small one."""
    path = TRAINED if TRAINED.is_file() else Path("small.json")
    table = json.loads(path.read_text(encoding="utf-8"))
    tokenizer = BPEBase(list(table["special"]), table["pattern"])
    merges = table["merges"]
    for left, right, new_id in zip(merges[::3], merges[1::3], merges[2::3]):
        tokenizer.merges[left, right] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[left] + tokenizer.vocab[right]
    return tokenizer


def _corpus_ids() -> list[int]:
    """Return the beginning of the corpus, from which the student's language model learns."""
    return engine.encode_fast(_tokenizer(), Path("corpus.txt").read_text(encoding="utf-8")[:100_000])


def _listed() -> Message:
    is_trained = TRAINED.is_file()
    version = str(TRAINED.stat().st_size) if is_trained else ""
    titles = {"yours": "your encode", "table": "your tokenizer" if is_trained else "small (1,000 tokens)"}
    listed = [{"name": name, "title": title, "version": version} for name, title in titles.items()]
    return {"tokenizers": listed, "missing": []}


OF_THE_LAB: dict[str, Callable[..., Message]] = {
    "tokenizers": _listed,
    "table": lambda tokenizer: table_of_merges(_tokenizer()),
    "corpus": lambda tokenizer: {"corpus": None},
    "encode": lambda tokenizer, texts: student.encode(_tokenizer(), texts),
    "train": student.train,
    "lattice": student.lattice,
    "predict": lambda tokenizer, ids, n: student.predict(tokenizer, _tokenizer(), _corpus_ids(), ids=ids, n=n),
}


def train(size: int) -> None:
    """Train the student's tokenizer on the corpus, and send its tokenizer.json."""
    text = Path("corpus.txt").read_text(encoding="utf-8")
    tokenizer = g2c.tokenizer.BPETokenizer.with_course_special_tokens()
    began = time.perf_counter()

    def report(progress: Any) -> None:
        seconds = time.perf_counter() - began
        newest = repr(progress.newest.decode(errors="replace"))
        post({"progress": {"done": progress.done, "total": progress.total, "newest": newest, "seconds": seconds}})

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tokenizer.train(text, size, progress=report)
        trained = {"file": tokenizer_json(tokenizer), "table": json.dumps(table_of_merges(tokenizer))}
    except Exception as error:
        post({"problem": {"title": f"Your code raised {type(error).__name__}: {error}"}})
    else:
        post({"trained": trained})


def tokenizer_json(tokenizer: BPEBase) -> str:
    """Write the tokenizer.json of a trained tokenizer: fill its tokens and merges into an untrained one's."""
    content = json.loads(Path("untrained.json").read_text(encoding="utf-8"))
    vocab = content["model"]["vocab"]
    spelling = {token_id: token for token, token_id in vocab.items() if token_id < 256}
    spelled = {token_id: token for token, token_id in vocab.items()}
    for (left, right), new_id in tokenizer.merges.items():
        spelled[new_id] = "".join(spelling[byte] for byte in tokenizer.vocab[new_id])
        content["model"]["merges"].append([spelled[left], spelled[right]])
    content["model"]["vocab"] = {token: token_id for token_id, token in spelled.items()}
    return json.dumps(content, indent=2, ensure_ascii=False)


# --- messages ---------------------------------------------------------------------------------------------------------


_used: dict[str, str] = {}
"""The files of the last message."""


def use(files: dict[str, str]) -> None:
    """Write the student's files, and forget the modules that were imported from earlier ones."""
    os.chdir(REPOSITORY)
    _used.clear()
    _used.update(files)
    student.forget()
    for path, text in files.items():
        Path(path).write_text(text, encoding="utf-8")
    for module in modules().values():
        sys.modules.pop(module.import_name, None)
        for name in (*module.public_names, module.file):
            vars(sys.modules.get(module.package, g2c.tokenizer)).pop(name, None)
    for name in [name for name in sys.modules if name.startswith("tests.")]:
        del sys.modules[name]
    linecache.clearcache()


def handle(message: str) -> None:
    """Do what a message from the page asks for."""
    asked = json.loads(message)
    if asked["do"] == "run" or asked["files"] != _used:
        use(asked["files"])
    if asked["do"] == "run":
        run(asked["module"])
    elif asked["do"] == "train":
        train(asked["size"])
    else:
        post({"answer": student.answered(OF_THE_LAB, asked["question"], asked["details"])})
