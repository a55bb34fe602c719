"""Semantic mutants: changes of the course's code after which a test must fail, and a process that tries them.

    python tests/course/support/mutants.py COPY [--key]

Each line of standard input is JSON with `file`, `old`, `new` and `caught_by`; a mutant without a file changes nothing.
The mutant is written into COPY, a copy of the course, for as long as pytest runs there; the answer is a line of JSON
(`Outcome`). Each run is a fork of this process, which has imported the slow packages and nothing of the course. With
--key it has imported the course, too, and only the mutant's file is imported again: mutants of the answer key are many.
"""

import gc
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from compileall import compile_dir
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import import_module, reload
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryFile

REPOSITORY = Path(__file__).resolve().parents[3]
FOLDER = REPOSITORY / "tests" / "course" / "mutants"
SLOW_PACKAGES = ("pytest", "pytest_timeout", "hypothesis", "numpy", "tokenizers")
# Without rewritten assertions, which find out for up to ten seconds how two values differ.
OPTIONS = ["--solutions", "-x", "-q", "--tb=line", "--assert=plain", "-W", "ignore"]
OPTIONS += ["--disable-plugin-autoload", "-p", "pytest_timeout", "-p", "no:unraisableexception"]
PACKAGES = ".g2c/packages"
SECONDS = 120
"""After so many seconds, a run whose tests do not end is ended; its mutant is caught. Without one, many tests run."""
TEST_SECONDS = 20
"""With a mutant, a test that takes longer has failed. Without one, it may take three times as long."""


@dataclass(frozen=True)
class Mutant:
    kind: str = ""
    file: str = ""
    old: str = ""
    new: str = ""
    caught_by: str = ""
    """Arguments of pytest, such as the tests of a room."""

    @property
    def key(self) -> str:
        """Name the module of the answer key that the file is; "" for another file."""
        return ".".join(Path(self.file).with_suffix("").parts) if self.file.startswith("g2c/solutions/") else ""

    def times(self, root: Path = REPOSITORY) -> int:
        """Count how often `old` occurs in the file: once, or the mutant is stale."""
        path = root / self.file
        return path.read_text(encoding="utf-8").count(self.old) if path.is_file() else 0


@dataclass(frozen=True)
class Outcome:
    failed: list[str] = field(default_factory=list)
    """The test that failed; none if all passed."""
    exit_code: int = 0
    """Pytest's. 1 says that a test failed."""
    output: str = ""


def all_mutants() -> Iterator[tuple[str, Mutant]]:
    """List all mutants, each with a name that is its own: "engine-3"."""
    for path in sorted(FOLDER.glob("*.toml")):
        for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["mutant"], 1):
            yield f"{path.stem}-{number}", Mutant(**entry)


@contextmanager
def runner(copy: Path) -> Iterator[Callable[[Mutant], Outcome]]:
    """Make a copy of the course in a new folder, and provide a function that tries a mutant there."""
    from support.clones import share_machine_code

    left_out = (".git", ".venv", ".g2c", "data", "artifacts")
    shutil.copytree(REPOSITORY, copy, ignore=lambda folder, _: left_out if Path(folder) == REPOSITORY else ())
    share_machine_code(copy)
    (copy / "artifacts" / "tokenizers").mkdir(parents=True)
    compile_dir(copy / "tests", quiet=2)
    # The page's packages are downloaded once for both.
    (REPOSITORY / PACKAGES).mkdir(parents=True, exist_ok=True)
    (copy / PACKAGES).parent.mkdir()
    for name in (".venv", "data", PACKAGES):
        if (REPOSITORY / name).exists():
            (copy / name).symlink_to(REPOSITORY / name)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("G2C_", "PYTEST_"))}
    environment |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    with ExitStack() as opened:

        @cache
        def server(*options: str) -> subprocess.Popen:
            command = [sys.executable, __file__, str(copy), *options]
            process = subprocess.Popen(command, env=environment, stdin=PIPE, stdout=PIPE, text=True)
            # Without input it ends.
            opened.callback(process.wait)
            opened.callback(process.stdin.close)
            return process

        def ask(mutant: Mutant) -> Outcome:
            process = server("--key") if mutant.key else server()
            print(json.dumps(asdict(mutant)), file=process.stdin, flush=True)
            return Outcome(**json.loads(process.stdout.readline()))

        yield ask


@contextmanager
def applied(mutant: Mutant, copy: Path) -> Iterator[None]:
    """Write a mutant into the copy for as long as the block runs."""
    if not mutant.file:
        yield
        return
    path = copy / mutant.file
    text, before = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
        # With its old time, the file's stored bytecode is used again.
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


class FirstFailure:
    """A plugin that remembers which test failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report) -> None:
        self.failed += [report.nodeid] if report.failed else []


def run(mutant: Mutant, copy: Path) -> Outcome:
    """Run pytest in a fork of this process."""
    with applied(mutant, copy), TemporaryFile("w+") as output, TemporaryFile("w+") as answer:
        process = os.fork()
        if process == 0:
            os.setsid()
            for stream in (1, 2):
                os.dup2(output.fileno(), stream)
            if mutant.file.startswith("g2c/engine/"):
                # Compiling the changed loops would take longer than all tests that find a mutant.
                os.environ["G2C_COMPILED"] = "0"
            if mutant.key:
                import_again(mutant.key)
            first = FirstFailure()
            timeout = f"--timeout={TEST_SECONDS if mutant.file else 3 * TEST_SECONDS}"
            code = pytest_main([*OPTIONS, timeout, *shlex.split(mutant.caught_by)], plugins=[first])
            json.dump([first.failed, int(code)], answer)
            answer.flush()
            os._exit(0)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process, signal.SIGKILL))
        signal.alarm(SECONDS if mutant.file else 4 * SECONDS)
        os.waitpid(process, 0)
        signal.alarm(0)
        output.seek(0)
        answer.seek(0)
        failed, code = json.loads(answer.read() or '[["the process ended, or did not end in time"], 1]')
        return Outcome(failed, code, output.read()[-3000:])


def pytest_main(arguments: list[str], plugins: list[object]) -> int:
    import pytest

    return int(pytest.main(arguments, plugins))


def import_again(name: str) -> None:
    """Import a module of the answer key again, and have its package export what it defines now."""
    from coach.exercises import modules

    # A suite takes its names from the package when it is imported, so it is imported again, too.
    suites = f"{Path.cwd() / 'tests'}{os.sep}"
    for one, loaded in list(sys.modules.items()):
        if (getattr(loaded, "__file__", None) or "").startswith(suites):
            del sys.modules[one]
    changed = reload(import_module(name))
    module = {module.key_import_name: module for module in modules().values()}[name]
    for public in module.public_names:
        setattr(import_module(module.package), public, getattr(changed, public))


def warm_up() -> None:
    """Import the course and what the suites import, by collecting their tests."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        pytest_main([*OPTIONS, "--collect-only"], [])


def main(copy: Path, *options: str) -> None:
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    for name in SLOW_PACKAGES:
        import_module(name)
    if options:
        warm_up()
    # A fork that looked for garbage among what is imported would copy it all.
    gc.freeze()
    for line in iter(sys.stdin.readline, ""):
        print(json.dumps(asdict(run(Mutant(**json.loads(line)), copy))), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
