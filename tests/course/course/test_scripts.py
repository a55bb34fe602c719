"""noteboosh.sh, the environment that it makes, and what check.sh and .ci/run print.

Nothing here touches the clone's own environment, data or notebooks: each test works in a copy, with an environment that
is made in a moment because its Python is the one that runs the tests.
"""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from shlex import quote

import nbformat
import pytest

from g2c.common.errors import CourseError
from g2c.course.environment import STAMP, EnvironmentFolder

REPOSITORY = Path(__file__).resolve().parents[3]
SCRIPTS = ["noteboosh.sh", "datasets.sh", "check.sh", "scripts/environment.sh", ".ci/run"]


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


# --- the scripts themselves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_well_formed(script):
    path = REPOSITORY / script
    checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    text = path.read_text()
    for construct in ("mapfile", "readarray", "declare -A", "local -n", "${!", ",,}", "^^}", "&>>", "|&"):
        assert construct not in text, f"bash 3.2, which macOS has, does not know {construct}"
    if script != "scripts/environment.sh":
        assert os.access(path, os.X_OK), f"chmod +x {script}"


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_has_nothing_to_say():
    checked = subprocess.run(["shellcheck", "-x", *SCRIPTS], cwd=REPOSITORY, capture_output=True, text=True)
    assert checked.stdout == ""


@pytest.mark.parametrize("module", ["datasets", "environment", "noteboosh"])
def test_what_runs_before_the_environment_needs_no_package(module):
    """-S leaves out everything that was installed."""
    command = [sys.executable, "-S", "-c", f"import g2c.course.{module}"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    imported = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (imported.returncode, imported.stderr) == (0, "")


# --- finding a Python -------------------------------------------------------------------------------------------------


def fake_python(folder, name, version, *, venv=True):
    """A program that answers as a Python of that version does, as far as find_python asks."""
    write_program(
        folder / name,
        f"""#!/bin/sh
case "$2" in
  *version_info*) echo {version} ;;
  *venv*) exit {0 if venv else 1} ;;
esac
""",
    )


@pytest.fixture
def find_python(tmp_path):
    """Run find_python where only the pythons of tmp_path/bin are to be found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    bash = shutil.which("bash")

    def find_python(need="any"):
        return subprocess.run(
            [
                bash,
                "-euc",
                f'source {quote(str(REPOSITORY))}/scripts/environment.sh; find_python {need}; echo "$PYTHON"',
            ],
            env={"PATH": str(folder)},
            capture_output=True,
            text=True,
        )

    return find_python


def test_python3_is_taken_when_it_is_new_enough(tmp_path, find_python):
    fake_python(tmp_path / "bin", "python3", "3.11")
    fake_python(tmp_path / "bin", "python3.13", "3.13")
    assert find_python().stdout == "python3\n"


def test_a_wrong_pythonhome_does_not_hide_the_python(tmp_path):
    script = f"source '{REPOSITORY}/scripts/environment.sh'; find_python any; \"$PYTHON\" -c 'print(1)'"
    environment = {"PATH": os.environ["PATH"], "PYTHONHOME": str(tmp_path)}
    done = subprocess.run(["bash", "-euc", script], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_newer_python_is_taken_when_python3_is_too_old(tmp_path, find_python):
    fake_python(tmp_path / "bin", "python3", "3.9")
    fake_python(tmp_path / "bin", "python3.12", "3.12")
    assert find_python().stdout == "python3.12\n"


def test_python_alone_is_enough(tmp_path, find_python):
    fake_python(tmp_path / "bin", "python", "3.13")
    assert find_python().stdout == "python\n"


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.10"])
def test_a_python_that_is_too_old_is_named(tmp_path, find_python, version):
    fake_python(tmp_path / "bin", "python3", version)
    found = find_python()
    assert found.returncode == 1
    assert f"needs Python 3.11 or later, and none was found (python3 is {version})" in found.stderr


def test_no_python_at_all_is_told(find_python):
    found = find_python()
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith("The course needs Python 3.11 or later, and none was found: install one")


def test_a_python_without_venv_is_told_where_one_is_needed(tmp_path, find_python):
    fake_python(tmp_path / "bin", "python3", "3.11", venv=False)
    assert find_python().stdout == "python3\n"
    found = find_python("with-venv")
    assert found.returncode == 1
    assert found.stderr.startswith(
        "Python 3.11 is installed, but without its module venv: on Debian and Ubuntu, install"
    )


def test_a_python_without_venv_is_passed_over(tmp_path, find_python):
    fake_python(tmp_path / "bin", "python3", "3.11", venv=False)
    fake_python(tmp_path / "bin", "python3.12", "3.12")
    assert find_python("with-venv").stdout == "python3.12\n"


# --- the environment --------------------------------------------------------------------------------------------------


class QuickEnvironment(EnvironmentFolder):
    """An environment whose Python passes everything on to the one that runs the tests, and whose pip writes a list."""

    def __init__(self, repository):
        self.said = []
        super().__init__(repository, self.said.append)
        self.installed = self.folder / "installed.txt"

    def _create(self, lock):
        assert not self.folder.exists(), "made on top of what was there"
        write_program(self.python, f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')

    def _install(self, groups, lock):
        with self.installed.open("a") as file:
            file.write(",".join(groups) + "\n")

    def installations(self):
        return self.installed.read_text().splitlines()


@pytest.fixture
def clone(tmp_path):
    """A folder with a space in its name, and as much of the course in it as an environment depends on."""
    folder = tmp_path / "my clone"
    folder.mkdir()
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, folder)
    return folder


@pytest.fixture
def environment(clone):
    return QuickEnvironment(clone)


def test_an_environment_is_made_once(environment):
    assert environment.problem() == "there is none yet"
    assert environment.ensure() == environment.python
    assert environment.problem() is None
    assert environment.said[0] == "Making the environment .venv (there is none yet). This takes a minute or two."
    assert re.fullmatch(r"The environment is ready after \d+ s \(Python 3\.\d+\.\d+\)\.", environment.said[1])
    environment.ensure()
    assert environment.installations() == ["course"] and len(environment.said) == 2


def test_a_half_made_environment_is_made_anew(environment, monkeypatch):
    def broken(self, groups, lock):
        (self.folder / "half").touch()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(QuickEnvironment, "_install", broken)
        with pytest.raises(KeyboardInterrupt):
            environment.ensure()
    assert environment.problem() == "the one here is not complete"
    environment.ensure()
    assert not (environment.folder / "half").exists()
    assert environment.problem() is None


@pytest.mark.parametrize("file", ["pyproject.toml", "constraints.txt"])
def test_an_environment_is_updated_when_what_it_needs_changes(environment, clone, file):
    environment.ensure()
    with (clone / file).open("a") as text:
        text.write("# changed\n")
    assert environment.problem() == "what the course needs has changed"
    environment.ensure()
    assert environment.problem() is None
    assert environment.installations() == ["course", "course"], (
        "everything was installed anew, though pip can update what is there"
    )


def test_an_update_that_is_broken_off_leaves_no_environment_that_looks_complete(environment, clone, monkeypatch):
    environment.ensure()
    (clone / "constraints.txt").write_text("")

    def broken(self, groups, lock):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(QuickEnvironment, "_install", broken)
        with pytest.raises(KeyboardInterrupt):
            environment.ensure()
    assert environment.problem() == "the one here is not complete"
    environment.ensure()
    assert environment.installations() == ["course"]


def test_an_environment_that_lacks_an_installed_package_is_made_anew(environment, monkeypatch):
    """pip would not notice that the files of a package were deleted."""

    def install(self, groups, lock):
        for name in ("rich", "rich-14.0.dist-info", "__pycache__"):
            (self.folder / "lib" / "python3.11" / "site-packages" / name).mkdir(parents=True)
        (self.folder / "lib" / "python3.11" / "site-packages" / "six.py").touch()

    monkeypatch.setattr(QuickEnvironment, "_install", install)
    environment.ensure()
    packages = environment.folder / "lib" / "python3.11" / "site-packages"
    (packages / "rich-14.0.dist-info").rename(packages / "rich-14.1.dist-info")
    (packages / "__pycache__").rmdir()
    assert environment.problem() is None, "an updated package counts as missing"
    for name in ("rich", "six.py"):
        (packages / name).rename(packages / f"_{name}")
        assert environment.problem() == f"its package {name.split('.')[0]} is missing"
        environment.ensure()
        assert environment.problem() is None and (packages / name).exists()


@pytest.mark.whole
def test_groups_are_added_and_stay(environment, clone):
    environment.ensure()
    assert environment.problem(["interop"]) == "it lacks the packages of interop"
    environment.ensure(["interop"])
    environment.ensure(["corpora", "interop"])
    environment.ensure()
    assert environment.installations() == ["course", "course,interop", "corpora,course,interop"]
    (clone / "constraints.txt").write_text("")
    environment.ensure()
    assert environment.installations()[-1] == "corpora,course,interop"
    assert environment.groups() == {"corpora", "course", "interop"}


def test_a_moved_clone_gets_an_environment_of_its_own(environment, clone):
    environment.ensure()
    moved = QuickEnvironment(clone.rename(clone.with_name("moved")))
    assert moved.problem() == "the clone was moved or copied"
    moved.ensure()
    assert moved.installations() == ["course"] and moved.problem() is None


def test_an_environment_whose_python_is_gone_is_made_anew(environment):
    environment.ensure()
    environment.python.unlink()
    environment.python.symlink_to("/nowhere/python3.11")
    assert environment.problem() == "its Python is gone or has changed"
    environment.ensure()
    assert environment.problem() is None


def test_an_environment_of_another_python_is_made_anew(environment):
    environment.ensure()
    stamp = json.loads((environment.folder / STAMP).read_text())
    (environment.folder / STAMP).write_text(json.dumps({**stamp, "python": "3.10.1"}))
    assert environment.problem() == "its Python is gone or has changed"
    environment.ensure()
    assert environment.installations() == ["course"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("content", ["", "[]", "{", '"text"', "\x00"])
def test_a_damaged_stamp_counts_as_none(environment, content):
    environment.ensure()
    (environment.folder / STAMP).write_text(content)
    assert environment.problem() == "the one here is not complete"
    environment.ensure()
    assert environment.problem() is None


def somebody_elses(environment, *, packages=None) -> Path:
    """Put an environment in the place of .venv that the course did not make. None: with every package of the tests."""
    listing = "" if packages is None else "printf '%s\\n' " + " ".join(packages)
    write_program(
        environment.python,
        f'#!/bin/sh\ncase "$3" in *distributions*) {listing or ":"}; {"exit" if listing else ":"} ;; esac\n'
        f'exec "{sys.executable}" "$@"\n',
    )
    mine = environment.folder / "mine"
    mine.touch()
    return mine


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_the_course_did_not_make_is_never_removed(environment, clone, tmp_path, kind):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    if kind == "file":
        (clone / ".venv").write_text("mine")
    elif kind == "link":
        (clone / ".venv").symlink_to(elsewhere)
    else:
        elsewhere.rename(clone / ".venv")
    environment.ask = lambda question: pytest.fail("asked to install into what has no Python")
    with pytest.raises(CourseError) as error:
        environment.ensure()
    assert "The folder .venv was not made by the course, and it has no Python that runs" in str(error.value)
    assert "Move it away, with: mv .venv .venv-old. Then run the same command again" in str(error.value)
    kept = {"file": clone / ".venv", "link": elsewhere / "mine", "folder": clone / ".venv" / "mine"}[kind]
    assert kept.exists() and (clone / ".venv").is_symlink() == (kind == "link")
    (clone / ".venv").rename(clone / ".venv-old")
    environment.ensure()
    assert environment.problem() is None


def test_somebody_elses_environment_is_used_when_it_has_what_the_course_needs(environment):
    mine = somebody_elses(environment)
    assert environment.problem() is None
    assert environment.ensure() == environment.python
    assert mine.exists() and not environment.installed.exists() and not (environment.folder / STAMP).exists()
    assert environment.said == []


def test_what_somebody_elses_environment_lacks_is_named_and_asked_for(environment):
    mine = somebody_elses(environment, packages=["g2c", "numpy", "Tokenizers", "pytest", "pytest_timeout"])
    asked = []
    environment.ask = lambda question: asked.append(question) or False
    with pytest.raises(CourseError) as error:
        environment.ensure()
    lacks = "it lacks the packages hypothesis, jupyterlab, matplotlib, msgpack, nbclient and 5 more."
    assert asked == [
        f"The folder .venv was not made by the course, and {lacks} Install what is missing into it? [y/N] "
    ]
    assert lacks in str(error.value) and "-m pip install -c constraints.txt -e '.[course]'. Or move it" in str(
        error.value
    )
    assert mine.exists() and not environment.installed.exists()


def test_without_a_terminal_nothing_is_asked_and_nothing_installed(environment, monkeypatch):
    mine = somebody_elses(environment, packages=["g2c"])
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("asked"))
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(CourseError, match="was not made by the course"):
        environment.ensure()
    assert mine.exists() and not environment.installed.exists()


def test_what_is_missing_is_installed_into_somebody_elses_environment_after_a_yes(environment, monkeypatch):
    mine = somebody_elses(environment, packages=["g2c"])

    def install(self, groups, lock):
        self.installed.write_text(",".join(groups))
        somebody_elses(self)

    monkeypatch.setattr(QuickEnvironment, "_install", install)
    environment.ask = lambda question: True
    environment.ensure()
    assert environment.installed.read_text() == "course" and mine.exists()
    assert not (environment.folder / STAMP).exists(), "it is still not the course's own"
    environment.ask = lambda question: pytest.fail("asked again")
    environment.ensure()


def test_a_python_that_is_too_old_is_said_of_somebody_elses_environment(environment):
    write_program(environment.python, "#!/bin/sh\necho 3.10.4\n")
    with pytest.raises(CourseError, match=r"its Python is 3\.10\.4, and the course needs 3\.11 or later\. It stays"):
        environment.ensure()
    assert environment.python.exists()


def test_an_environment_is_made_by_uv_where_there_is_one(clone, tmp_path, monkeypatch):
    """uv makes the folder and installs the packages; no second uv is installed."""
    log = tmp_path / "uv.log"
    write_program(
        tmp_path / "bin" / "uv", f'#!/bin/sh\necho "$@" >> "{log}"\n[ "$1" = venv ] && mkdir -p "$5"\nexit 0\n'
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    environment = EnvironmentFolder(clone, lambda text: None)
    environment.ensure()
    making, installing = log.read_text().splitlines()
    assert making.startswith("venv --seed --python ") and making.endswith("/.venv")
    assert installing.startswith("pip install --python ")
    assert installing.endswith("/.venv/bin/python -c constraints.txt -e .[compiled,course]")
    assert environment.groups() == {"course"}


def test_packages_are_installed_by_uv_and_by_pip_where_uv_fails(clone):
    class Recording(EnvironmentFolder):
        def __init__(self, *arguments, failing=""):
            super().__init__(*arguments)
            self.failing = failing
            self.commands = []

        def _run(self, command, lock, failure):
            self.commands.append(command)
            if self.failing and command[0].endswith(self.failing):
                raise CourseError(failure)

    packages = ["-c", "constraints.txt", "-e", ".[check,compiled,course]"]
    working, failing = Recording(clone), Recording(clone, failing="uv")
    for environment in (working, failing):
        environment._install(["check", "course"], 0)
    assert [command[-1] for command in working.commands] == ["uv", ".[check,compiled,course]", "g2c.engine"]
    assert working.commands[1][-4:] == packages and working.commands[1][0].endswith("/.venv/bin/uv")
    assert failing.commands[2][1:3] == ["-m", "pip"] and failing.commands[2][-4:] == packages


def test_without_numba_the_rest_is_installed_and_a_sentence_says_so(clone):
    class WithoutNumba(EnvironmentFolder):
        commands = []

        def _run(self, command, lock, failure):
            self.commands.append(command)
            if "compiled" in command[-1]:
                raise CourseError(failure)

    said = []
    environment = WithoutNumba(clone, said.append)
    environment._install(["course"], 0)
    assert environment.commands[-1][-1] == ".[course]"
    assert "numba cannot be installed on this computer" in said[0] and "same results" in said[0]


def test_a_failed_installation_says_what_pip_said(clone):
    class Failing(QuickEnvironment):
        def _install(self, groups, lock):
            self._run(["sh", "-c", "echo no such package >&2; exit 3"], lock, "The packages could not be installed")

    environment = Failing(clone)
    with pytest.raises(CourseError, match=r"(?s)packages could not be installed.*\n    no such package\n.*online"):
        environment.ensure()
    assert environment.problem() == "the one here is not complete"


IN_A_PROCESS = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
import test_scripts

class Slow(test_scripts.QuickEnvironment):
    def _install(self, groups, lock):
        (self.repository / "installing").touch()
        self._run(["sh", "-c", "until [ -e done ]; do sleep 0.05; done"], lock, "waiting failed")
        super()._install(groups, lock)

environment = Slow(Path(sys.argv[1]))
environment.say = lambda text: print(text, flush=True)
environment.ensure()
"""


@pytest.fixture
def make_slowly(clone):
    """Start processes that make the environment, whose installation ends when there is a file `done` in the clone."""
    running = []

    def make_slowly():
        command = [sys.executable, "-c", IN_A_PROCESS, clone, Path(__file__).resolve().parent, REPOSITORY]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True))
        return running[-1]

    yield make_slowly
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.whole
def test_two_at_once_make_one_environment(environment, clone, make_slowly):
    first = make_slowly()
    wait_until((clone / "installing").exists, "the first to install")
    second = make_slowly()
    assert second.stdout.readline() == "Another process is making the environment; waiting for it.\n"
    (clone / "done").touch()
    assert second.communicate(timeout=60)[0] == ""
    assert first.wait(60) == second.returncode == 0
    assert environment.installations() == ["course"]


@pytest.mark.whole
def test_after_a_kill_the_environment_is_made_anew_once_nothing_writes_to_it(environment, clone, make_slowly):
    killed = make_slowly()
    wait_until((clone / "installing").exists, "the installation")
    killed.kill()  # its child goes on, as pip would
    killed.wait()
    assert environment.problem() == "the one here is not complete"

    def say(text):
        environment.said.append(text)
        (clone / "done").touch()

    environment.say = say
    environment.ensure()
    assert environment.said[0] == "Another process is making the environment; waiting for it."
    assert "(the one here is not complete)" in environment.said[1]
    assert environment.problem() is None


# --- noteboosh.sh -----------------------------------------------------------------------------------------------------


@pytest.fixture
def course(tmp_path):
    """A copy of the course with a small notebook 04, and with an environment that needs no making."""
    folder = tmp_path / "my course"
    folder.mkdir()
    for name in ("noteboosh.sh", "datasets.sh", "pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, folder)
    for name in ("g2c", "scripts"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    write_notebook(folder / "notebooks" / "04-tokenizer.ipynb", "print('to do')")
    write_notebook(folder / "notebooks" / "solutions" / "04-tokenizer.ipynb", "print('done')")
    environment = QuickEnvironment(folder)
    environment.ensure()
    # Jupyter Lab is not started: where it would be, a line says so.
    write_program(
        environment.python,
        f"""#!/bin/sh
if [ "$2" = jupyterlab ]; then shift 2; echo "Jupyter opens $* with key '$G2C_SOLUTIONS'"; exit; fi
exec "{sys.executable}" "$@"
""",
    )
    return folder


def write_notebook(path, *sources):
    cells = [nbformat.v4.new_markdown_cell("# A small notebook"), *map(nbformat.v4.new_code_cell, sources)]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


@pytest.fixture
def noteboosh(course, tmp_path):
    def noteboosh(*arguments, **environment):
        variables = {**os.environ, "G2C_DATA": str(tmp_path / "data"), "G2C_ARTIFACTS": str(tmp_path / "artifacts")}
        variables.pop("G2C_SOLUTIONS", None)
        variables.pop("G2C_DATASETS_MIRROR", None)
        # Nothing outside is asked: a proxy that nobody is at.
        variables |= {"https_proxy": "http://127.0.0.1:9", **environment}
        return subprocess.run(
            ["bash", course / "noteboosh.sh", *arguments],
            env=variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return noteboosh


def test_a_working_copy_is_made_and_opened(course, noteboosh):
    done = noteboosh("04")
    assert done.returncode == 0, done.stderr
    assert "New working copy: notebooks/mine/04-tokenizer.ipynb" in done.stdout
    opened = f"Jupyter opens --ServerApp.root_dir={course} notebooks/mine/04-tokenizer.ipynb with key ''"
    assert opened in done.stdout.replace(" --allow-root", "")
    copy = course / "notebooks" / "mine" / "04-tokenizer.ipynb"
    assert copy.read_bytes() == (course / "notebooks" / "04-tokenizer.ipynb").read_bytes()


@pytest.mark.whole
def test_a_working_copy_is_never_overwritten(course, noteboosh):
    copy = course / "notebooks" / "mine" / "04-tokenizer.ipynb"
    copy.parent.mkdir()
    copy.write_text("my answers")
    assert noteboosh("04").returncode == 0
    assert copy.read_text() == "my answers"


@pytest.mark.whole
def test_fresh_archives_and_starts_anew_every_time(course, noteboosh):
    work = course / "notebooks" / "mine"
    work.mkdir()
    for text in ("first answers", "second answers", "third answers"):
        (work / "04-tokenizer.ipynb").write_text(text)
        done = noteboosh("04", "--fresh")
        assert done.returncode == 0
        assert re.search(r"kept: notebooks/mine/archive/04-tokenizer-\d{4}-\d\d-\d\d-\d{6}(-\d)?\.ipynb", done.stdout)
        assert (work / "04-tokenizer.ipynb").read_bytes() == (course / "notebooks" / "04-tokenizer.ipynb").read_bytes()
    archived = sorted(path.read_text() for path in (work / "archive").iterdir())
    assert archived == ["first answers", "second answers", "third answers"]


@pytest.mark.whole
def test_fresh_without_a_copy_just_starts(course, noteboosh):
    done = noteboosh("--fresh", "04")
    assert done.returncode == 0 and "kept" not in done.stdout
    assert not (course / "notebooks" / "mine" / "archive").exists()


def test_two_archives_of_one_second_get_two_names(course, monkeypatch):
    from g2c.course import noteboosh

    monkeypatch.setattr(noteboosh, "WORK", course / "notebooks")
    monkeypatch.setattr(noteboosh.time, "strftime", lambda _: "2026-01-31-150000")
    names = []
    for text in ("one", "two", "three"):
        (course / "notebooks" / "04-tokenizer.ipynb").write_text(text)
        names.append(noteboosh.archive(course / "notebooks" / "04-tokenizer.ipynb"))
    assert [path.read_text() for path in names] == ["one", "two", "three"]
    assert names[1].name == "04-tokenizer-2026-01-31-150000-2.ipynb"


@pytest.mark.whole
def test_the_solution_is_opened_as_a_copy_with_the_answer_key(course, noteboosh):
    done = noteboosh("--solution", "04", "--", "--no-browser", "--port", "8890")
    assert done.returncode == 0, done.stderr
    opened = "notebooks/mine/04-tokenizer-solution.ipynb --no-browser --port 8890 with key '04'"
    assert opened in done.stdout.replace(" --allow-root", "")
    assert (course / "notebooks" / "mine" / "04-tokenizer-solution.ipynb").exists()


@pytest.mark.whole
def test_the_browser_is_left_closed_without_two_dashes_too(noteboosh):
    done = noteboosh("04", "--no-browser", "--port", "8890")
    assert done.returncode == 0, done.stderr
    opened = "notebooks/mine/04-tokenizer.ipynb --port=8890 --no-browser with key ''"
    assert opened in done.stdout.replace(" --allow-root", "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["05"], 1, "There is no notebook for module '05'; these modules have one: 04."),
        ([], 2, "the following arguments are required: MODULE"),
        # This file is also run by a process of its own, which does not find tests/course/support.
        *(
            pytest.param(*others, marks=pytest.mark.whole)
            for others in (
                (["--solution", "4"], 1, "There is no solution notebook for module '4'; these modules have one: 04."),
                (["04", "--frehs"], 2, "unrecognized arguments: --frehs"),
                (["04", "--port", "none"], 2, "argument --port: invalid int value: 'none'"),
                (["../04"], 1, "There is no notebook for module '../04'"),
            )
        ),
    ],
)
def test_wrong_arguments_are_explained(course, noteboosh, arguments, code, message):
    done = noteboosh(*arguments)
    assert done.returncode == code
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not (course / "notebooks" / "mine").exists()


def test_help_needs_no_environment(course, noteboosh):
    shutil.rmtree(course / ".venv")
    done = noteboosh("--help")
    assert done.returncode == 0
    for option in ("--fresh", "--solution", "--run", "MODULE"):
        assert option in done.stdout
    assert not (course / ".venv").exists()


def test_run_executes_the_solution_with_the_key_and_names_what_it_wrote(course, noteboosh, tmp_path):
    solution = course / "notebooks" / "solutions" / "04-tokenizer.ipynb"
    write_notebook(
        solution,
        "# Look at the key\nimport os\nprint('key', os.environ['G2C_SOLUTIONS'])",
        "from g2c.common.paths import artifacts_folder\n"
        "folder = artifacts_folder() / 'ShakespeareTokenizer'\nfolder.mkdir(parents=True)\n"
        "(folder / 'tokenizer.json').write_text('{}')",
    )
    before = solution.read_bytes()
    done = noteboosh("--run", "04", "--solution")
    assert done.returncode == 0, done.stderr
    assert "Running 04-tokenizer.ipynb with the answer key (G2C_SOLUTIONS=04)." in done.stdout
    assert re.search(r"A small notebook\n  \[1/2\] # Look at the key \.\.\. \d+\.\d s\n  \[2/2\] from g2c", done.stdout)
    written = re.escape(str(tmp_path / "artifacts" / "ShakespeareTokenizer"))
    assert re.search(rf"Written to {written}:\n    tokenizer\.json +2 bytes\n", done.stdout)
    assert re.search(r"04-tokenizer\.ipynb ran without an error in \d+ s\.", done.stdout)
    assert solution.read_bytes() == before
    executed = nbformat.read(course / "notebooks" / "mine" / "executed" / "04-tokenizer-solution.ipynb", as_version=4)
    assert executed.cells[1].outputs[0].text == "key 04\n"


@pytest.mark.whole
def test_run_says_plainly_that_it_goes_on_without_the_corpus(noteboosh):
    done = noteboosh("--run", "04")
    assert done.returncode == 0, done.stderr
    assert "tinyshakespeare.txt could not be fetched" in done.stderr
    assert "The notebook goes on with the corpus pydocs instead of TinyShakespeare." in done.stdout
    assert "with your own code." in done.stdout


@pytest.mark.whole
def test_a_failing_cell_is_named_with_line_and_error(course, noteboosh):
    write_notebook(
        course / "notebooks" / "04-tokenizer.ipynb",
        "print('fine')",
        "%matplotlib inline\ndef encode():\n    raise NotImplementedError('TODO: encode')",
        "text = 'the'\n\nencode()",
        "print('never')",
    )
    done = noteboosh("--run", "04")
    assert done.returncode == 1
    assert "Code cell 3 of 4 failed at its line 3: encode()\n" in done.stderr
    assert "\nThe error was raised in code cell 2, line 3: raise NotImplementedError('TODO: encode')\n" in done.stderr
    assert "\nNotImplementedError: TODO: encode\n" in done.stderr
    assert "Traceback" not in done.stderr
    executed = nbformat.read(course / "notebooks" / "mine" / "executed" / "04-tokenizer.ipynb", as_version=4)
    assert executed.cells[1].outputs[0].text == "fine\n"


@pytest.mark.whole
def test_the_line_named_is_the_innermost_of_the_cell(course, noteboosh):
    write_notebook(
        course / "notebooks" / "04-tokenizer.ipynb",
        "print('fine')",
        "def f(text):\n    # Write it.\n    raise NotImplementedError('TODO: f')\n\n\nprint([f(text) for text in 'a'])",
    )
    done = noteboosh("--run", "04")
    assert "Code cell 2 of 2 failed at its line 3: raise NotImplementedError('TODO: f')\n" in done.stderr
    assert "NotImplementedError: TODO: f\n" in done.stderr


@pytest.mark.whole
def test_a_wrong_answer_is_named_with_its_check_and_the_report(course, noteboosh):
    write_notebook(
        course / "notebooks" / "04-tokenizer.ipynb",
        "from g2c.course.notebook_answers import WrongAnswer\n\n"
        "def check(name):\n    raise WrongAnswer('Called:     f(1)\\nExpected:   2')",
        "check('f')",
    )
    done = noteboosh("--run", "04")
    assert done.returncode == 1
    expected = "Code cell 2 of 2 failed: check('f')\nWrongAnswer:\nCalled:     f(1)\nExpected:   2\n"
    assert expected in done.stderr


@pytest.mark.whole
def test_a_syntax_error_in_a_cell_is_named(course, noteboosh):
    write_notebook(course / "notebooks" / "04-tokenizer.ipynb", "x = (1]\n")
    done = noteboosh("--run", "04")
    assert done.returncode == 1
    assert "Code cell 1 of 1 failed" in done.stderr and "SyntaxError: " in done.stderr


@pytest.mark.whole
def test_a_kernel_that_dies_is_told(course, noteboosh):
    write_notebook(course / "notebooks" / "04-tokenizer.ipynb", "import os\nos.kill(os.getpid(), 9)")
    done = noteboosh("--run", "04")
    assert done.returncode == 1
    assert "Code cell 1 of 1: the kernel died; most likely it ran out of memory." in done.stderr


@pytest.mark.whole
def test_a_working_copy_that_is_no_notebook_is_told(course, noteboosh):
    copy = course / "notebooks" / "mine" / "04-tokenizer.ipynb"
    copy.parent.mkdir()
    copy.write_text("my answers")
    done = noteboosh("--run", "04")
    assert done.returncode == 1
    assert "04-tokenizer.ipynb is not a valid notebook" in done.stderr
    assert copy.read_text() == "my answers"


# --- check.sh and .ci/run ---------------------------------------------------------------------------------------------


@pytest.fixture
def check(course, tmp_path):
    """Run .ci/run in the copy, with the given text as its only test file."""
    pytest.importorskip("xdist", reason="check.sh runs tests in parallel: pip install -e '.[check]'")
    for name in ("check.sh", ".ci/run"):
        (course / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, course / name)
    environment = QuickEnvironment(course)
    environment.ensure(["interop", "corpora", "check", "cluster", "site"])

    def check(tests):
        (course / "tests" / "course").mkdir(parents=True, exist_ok=True)
        (course / "tests" / "test_small.py").write_text(tests)
        variables = {**os.environ, "G2C_DATA": str(tmp_path / "data")}
        variables |= {"https_proxy": "http://127.0.0.1:9", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
        variables.pop("G2C_DATASETS_MIRROR", None)
        return subprocess.run(
            ["bash", course / ".ci" / "run"], env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=300
        )

    return check


@pytest.mark.whole
def test_check_ends_with_the_counts(check):
    done = check("import pytest\ndef test_one(): pass\ndef test_two(): pytest.skip('why')\n")
    assert done.returncode == 0, done.stdout + done.stderr
    sentence, counts = done.stdout.splitlines()[-2:]
    assert re.fullmatch(r"The course holds: everything was checked in \d+ s\.", sentence)
    assert counts == "1 passed, 0 failed, 1 skipped"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("tests", "counts"),
    [
        ("def test_one(): pass\ndef test_two(): assert 1 == 2\n", "1 passed, 1 failed, 0 skipped"),
        ("import nowhere\n", "0 passed, 1 failed, 0 skipped"),
        ("", "0 passed, 1 failed, 0 skipped"),
    ],
    ids=["a test fails", "a file cannot be imported", "there is no test"],
)
def test_check_fails_when_anything_fails(check, tests, counts):
    done = check(tests)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == counts
    assert done.stdout.splitlines()[-2].startswith("The course does not hold")


@pytest.mark.whole
def test_check_takes_the_corpora_beside_the_clone(check, tmp_path, course):
    (tmp_path / "shared" / "datasets").mkdir(parents=True)
    (tmp_path / "shared" / "datasets" / "tinyshakespeare.txt").write_text("not Shakespeare")
    done = check("def test_one(): pass\n")
    assert f"from the mirror {tmp_path / 'shared' / 'datasets'}, the file has the wrong checksum" in done.stderr
    assert done.returncode == 0
