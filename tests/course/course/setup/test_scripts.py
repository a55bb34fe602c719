"""noteboosh.sh, the environment that it makes, and what check.sh and .ci/run print.

Nothing here touches the clone's own environment, data or notebooks: each test works in a copy, with an environment that
is made in a moment because its Python is the one that runs the tests.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import psutil
import pytest

from g2c.common.errors import CourseError
from g2c.common.packages import SETTINGS_OF_PIP, installer_environment
from g2c.common.paths import REPOSITORY
from g2c.course.notebooks.make import WITHOUT_COURSE, read_cells
from g2c.course.notebooks.run_notebook import run_in_view
from g2c.course.setup.environment import STAMP, cause_of
from support import quick_environment
from support.quick_environment import QuickEnvironment, write_program
from support.run_examples import blocks as code_blocks

SOURCED = ["scripts/environment.sh", "scripts/programs.sh"]
SCRIPTS = ["noteboosh.sh", "datasets.sh", "check.sh", "scripts/machines.sh", ".ci/run", *SOURCED]


RUN = partial(subprocess.run, capture_output=True, timeout=300)


def wait_until(condition, what, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)


# --- the scripts themselves -------------------------------------------------------------------------------------------


def test_scripts_are_well_formed():
    for script in SCRIPTS:
        path = REPOSITORY / script
        checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, "")
        text = path.read_text()
        for construct in ("mapfile", "readarray", "declare -A", "local -n", "${!", ",,}", "^^}", "&>>", "|&"):
            assert construct not in text, f"{script}: bash 3.2, which macOS has, does not know {construct}"
        assert script in SOURCED or os.access(path, os.X_OK), f"chmod +x {script}"


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_has_nothing_to_say():
    assert RUN(["shellcheck", "-x", *SCRIPTS], cwd=REPOSITORY).stdout == b""


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        ({"python3": "3.11", "python3.13": "3.13"}, "python3\n"),
        ({"python3": "3.9", "python3.12": "3.12"}, "python3.12\n"),
        ({"python": "3.13"}, "python\n"),
        ({"python3": "3.10"}, "needs Python 3.11 or later, and none was found (python3 is 3.10): install one"),
        ({}, "The course needs Python 3.11 or later, and none was found: install one"),
    ],
)
def test_the_first_python_that_is_new_enough_is_taken(tmp_path, versions, found):
    for name, version in versions.items():
        write_program(tmp_path / name, f'#!/bin/sh\n[ -z "$PYTHONHOME$PYTHONPATH" ] && echo {version}\n')
    script = f'source {shlex.quote(str(REPOSITORY))}/scripts/environment.sh; find_python; echo "$PYTHON"'
    command = [shutil.which("bash"), "-euc", script]
    misleading = {"PYTHONHOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    done = RUN(command, env={"PATH": str(tmp_path), **misleading}, text=True)
    assert found in (done.stderr if done.returncode else done.stdout)
    assert done.returncode == (0 if found.startswith("python") else 1)


# --- the environment --------------------------------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path):
    """A folder called g2c in one that needs quotes, and as much of the course as an environment depends on."""
    folder = tmp_path / "Anna's Töpfchen" / "g2c"
    folder.mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, folder)
    return folder


@pytest.fixture
def environment(clone):
    return QuickEnvironment(clone)


def test_an_environment_is_made_once_and_gets_the_groups_that_it_lacks(environment):
    assert environment.problem() == "there is none yet"
    assert environment.ensure() == environment.python
    assert environment.said[0] == "Creating the environment .venv (there is none yet). This takes a minute or two."
    assert re.fullmatch(r"The environment is ready after \d+ s \(Python 3\.12\)\.", environment.said[1])
    assert environment.problem() is None
    for groups in ([], ["corpora"], ["check", "corpora"], []):
        environment.ensure(groups)
    assert environment.installed == ["course", "corpora,course", "check,corpora,course"]


CHANGED, OTHER_PYTHON = "what the course needs has changed", "its Python has changed"
INCOMPLETE, UNFINISHED = "it is incomplete", "its last update did not finish"
MOVED = "the clone's folder was moved or copied"


def edited(name, text):
    def edit(folder):
        (folder / name).write_text(text)
        return folder

    return edit


@pytest.mark.parametrize(
    ("change", "problem", "doing", "groups"),
    [
        (edited("pyproject.toml", ""), CHANGED, "Updating", "check,course"),
        (edited("constraints.txt", ""), CHANGED, "Updating", "check,course"),
        (edited(".venv/bin/python", "#!/nowhere"), OTHER_PYTHON, "Creating", "check,course"),
        (edited(".venv/bin/python", "echo Python 3.13.1"), OTHER_PYTHON, "Creating", "check,course"),
        # As an interruption leaves it.
        (edited(f".venv/{STAMP}", '{"folder": "", "groups": ["check"]}'), INCOMPLETE, "Creating", "check,course"),
    ],
)
def test_an_environment_that_does_not_fit_is_updated_or_made_anew(environment, clone, change, problem, doing, groups):
    environment.ensure(["check"])
    environment = QuickEnvironment(change(clone))
    assert environment.problem() == problem
    environment.ensure()
    assert environment.said[0].startswith(f"{doing} the environment .venv ({problem})")
    assert environment.problem() is None
    assert environment.installed == ([groups] if doing == "Creating" else [groups, groups])


@pytest.mark.parametrize("place", [".venv/mine", f"../elsewhere/{STAMP}"], ids=["folder", "link to another clone's"])
def test_what_the_course_did_not_make_is_never_changed(environment, clone, place):
    mine = clone / place
    mine.parent.mkdir()
    mine.write_text('{"folder": "/another/.venv", "groups": []}')
    if mine.name == STAMP:
        (clone / ".venv").symlink_to(mine.parent)
    with pytest.raises(CourseError, match=r"did not create the folder \.venv.* with: mv \.venv \.venv-old\. Then run"):
        environment.ensure()
    assert list(mine.parent.iterdir()) == [mine] and mine.stat().st_size and environment.said == []
    (clone / ".venv").rename(clone / ".venv-old")
    environment.ensure()
    assert environment.problem() is None


# --- what is installed ------------------------------------------------------------------------------------------------


UV = ".venv/bin/uv pip install -c constraints.txt --python .venv/bin/python"
PIP = ".venv/bin/python -m pip install -c constraints.txt"
COURSE = "-e .[course]"
AT_LAST = [".venv/bin/python -c import g2c, numpy, tokenizers", ".venv/bin/python -m g2c.engine"]


@pytest.mark.parametrize(
    ("failing", "installing"),
    [
        ("nothing", [f"{UV} {COURSE}", f"{UV} numba"]),
        ("numba", [f"{UV} {COURSE}", f"{UV} numba"]),
        (".venv/bin/uv", [f"{UV} {COURSE}", f"{PIP} {COURSE}", f"{PIP} numba"]),
        ("-vv uv", [f"{PIP} {COURSE}", f"{PIP} numba"]),
    ],
    ids=["uv installs", "there is no numba", "uv does not work", "there is no uv"],
)
def test_packages_are_installed_by_uv_where_it_works_and_with_numba_where_there_is_one(clone, failing, installing):
    environment = QuickEnvironment(clone, failing=failing)
    environment.ensure()
    assert environment.commands == [f"{PIP} -vv uv", *installing, *AT_LAST]
    says_so = "numba could not be installed. Without it the engine gives the same results"
    assert [text.startswith(says_so) for text in environment.said[1:-1]] == ([True] if failing == "numba" else [])


@pytest.fixture
def settings_of_pip(clone, monkeypatch):
    """What installers see of pip's settings when its configuration file has this text."""
    for name in os.environ:
        if name.startswith(("PIP_", "UV_", "SSL_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(clone / "pip.conf"))

    def settings_of_pip(text):
        (clone / "pip.conf").write_text(text)
        return installer_environment(sys.executable)

    return settings_of_pip


def test_installers_use_the_indexes_and_certificates_that_pip_is_set_up_with(clone, settings_of_pip, monkeypatch):
    monkeypatch.setenv("UV_FIND_LINKS", "/wheels-for-uv")
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    settings = settings_of_pip(
        "[global]\nindex-url = https://one.example/simple\ncert = /certificates\nquiet = 1\n"
        "[install]\nextra-index-url =\n  https://two.example\n  https://three.example\n"
    )
    assert settings["UV_DEFAULT_INDEX"] == settings["PIP_INDEX_URL"] == "https://one.example/simple"
    assert settings["UV_INDEX"] == settings["PIP_EXTRA_INDEX_URL"] == "https://two.example https://three.example"
    assert settings["SSL_CERT_FILE"] == settings["PIP_CERT"] == "/certificates"
    assert settings["UV_FIND_LINKS"] == "/wheels-for-uv", "a variable of uv has priority"

    pip_26 = clone / "pip-26"
    listed = ":env:.cert='/c'\nglobal.cert='/a'\nglobal.index-url='/a'\nglobal.index-url='/b'"
    write_program(pip_26, f'#!/bin/sh\necho "{listed}"')
    settings = installer_environment(str(pip_26))
    assert (settings["SSL_CERT_FILE"], settings["UV_DEFAULT_INDEX"]) == ("/c", "/b")


def test_no_other_setting_of_pip_and_uv_moves_or_forbids_an_installation(settings_of_pip, monkeypatch):
    help_of_pip = RUN([sys.executable, "-m", "pip", "install", "--help"], text=True).stdout
    options = {option[2:] for option in re.findall(r"--[a-z][a-z-]+[a-z]", help_of_pip)}
    assert {"target", "dry-run", "require-virtualenv", "no-deps"} < options
    variables = {f"PIP_{option.upper().replace('-', '_')}": option for option in options}
    for name in (*SETTINGS_OF_PIP, "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_NO_INPUT"):
        variables.pop(name, None)
    expected = settings_of_pip("")
    for name in [*variables, "PIP_TARGET", "PIP_PYTHON", "PIP_SYSTEM_PYTHON"]:
        monkeypatch.setenv(name, "/moved")
        monkeypatch.setenv(f"UV{name[3:]}", "/moved")
    monkeypatch.setenv("PYTHONUSERBASE", "/moved")
    text = "[install]\n" + "".join(f"{option} = /moved\n" for option in {*variables.values()} - {"python"})
    assert settings_of_pip(text) == expected and expected["PIP_CONFIG_FILE"] == "/dev/null"


def test_installers_write_every_path_and_report_errors_in_english(monkeypatch):
    for name in ("LC_ALL", "LANGUAGE"):
        monkeypatch.setenv(name, "C")
    variables = installer_environment()
    code = "import locale; print(locale.getencoding().lower())"
    assert RUN([sys.executable, "-c", code], env=variables, text=True).stdout == "utf-8\n"
    assert variables["LC_MESSAGES"] == "C" and "LANGUAGE" not in variables


def test_an_update_that_fails_leaves_the_environment_in_use_and_what_it_began_is_repaired(environment, clone):
    environment.ensure()
    (clone / "constraints.txt").write_text("")
    offline = QuickEnvironment(clone, command="echo Connection refused >&2; exit 3")
    assert offline.ensure() == environment.python
    assert "cannot be reached. Check that this computer is online" in offline.said[1]
    assert offline.said[1].endswith("The environment was not updated; it is used as it is.")
    assert environment.problem() == CHANGED
    # The second one has begun to install, and then numpy is missing.
    broken = QuickEnvironment(clone, command="mkdir -p .venv/lib/python3/site-packages; exit 3", failing="import g2c")
    for one, groups in ((offline, ["check"]), (broken, [])):
        with pytest.raises(CourseError, match="packages could not be installed: the"):
            one.ensure(groups)
    assert environment.problem() == f"{CHANGED}, and {UNFINISHED}"
    environment.ensure()
    assert environment.problem() is None
    # A package that is installed in part may have all that names it, but not all of its files.
    assert f"{UV} --force-reinstall {COURSE}" in environment.commands


def test_a_package_that_a_student_uninstalled_is_missed_and_installed_again(clone):
    command = "mkdir -p .venv/lib/python3/site-packages/pytest-9.dist-info"
    environment = QuickEnvironment(clone, command=command)
    environment.ensure()
    assert environment.problem() is None
    [installed] = environment.folder.glob("lib/python3/site-packages/pytest-*")
    installed.rmdir()
    assert environment.problem() == "packages are missing from it: pytest"
    assert QuickEnvironment(clone, failing="-e").ensure() == environment.python, "it is used without a network"
    environment.ensure()
    assert environment.problem() is None and installed.exists()


@pytest.mark.parametrize("head", ["#!{0}", "#!/bin/sh\n'''exec' {1} \"$0\" \"$@\"\n' '''"], ids=["pip", "uv"])
def test_a_moved_clone_gets_its_environment_back_without_a_network(environment, clone, head):
    environment.ensure()
    first = head.format(environment.python, shlex.quote(str(environment.python)))
    write_program(environment.folder / "bin" / "tool", f"{first}\nprint('runs')")
    moved = QuickEnvironment(clone.rename(clone.with_name("a Tön")), failing="-e")
    assert moved.problem() == MOVED
    moved.ensure()
    assert moved.problem() is None
    ran = RUN([moved.folder / "bin" / "tool"], text=True)
    assert (ran.stdout, ran.stderr) == ("runs\n", "")


def test_the_folder_above_a_clone_called_g2c_finds_the_package_even_after_a_move(clone):
    (clone / "g2c").mkdir()
    (clone / "g2c" / "__init__.py").write_text("print('the package')")
    # As setuptools has left it.
    packages = ".venv/lib/python3/site-packages"
    QuickEnvironment(clone, command=f"mkdir -p {packages}; touch {packages}/__editable__.g2c-1.pth").ensure()
    above = clone.parent.rename(clone.parent.with_name("möved"))
    [installed] = above.glob("g2c/.venv/lib/python3/site-packages")
    code = f"import site; site.addsitedir({ascii(str(installed))}); import g2c"
    ran = RUN([sys.executable, "-S", "-c", code], cwd=above, env={"LC_ALL": "POSIX"}, text=True)
    assert (ran.stdout, ran.stderr) == ("the package\n", "")


REFUSES, NO_DNS = "http://127.0.0.1:9", "https://index.invalid/simple"


@pytest.mark.parametrize(
    ("index", "variables", "cause"),
    [
        (NO_DNS, {}, "index index.invalid cannot be reached. Check that this computer is online"),
        (REFUSES, {}, "the package index 127.0.0.1 cannot be reached"),
        (NO_DNS, {"https_proxy": REFUSES}, "the proxy that this computer is set to"),
        (REFUSES, {"PIP_NO_INDEX": "1"}, "lacks a package for this version of Python and this"),
    ],
    ids=["no DNS", "refused", "proxy", "no index"],
)
def test_the_cause_is_found_in_what_pip_and_uv_print(tmp_path, index, variables, cause):
    settings = {"PIP_INDEX_URL": index, "PIP_RETRIES": "0", "UV_DEFAULT_INDEX": index, "UV_HTTP_RETRIES": "0"}
    options = ["install", "--target", str(tmp_path), "g2c-is-nowhere"]
    commands = [[sys.executable, "-m", "pip", "-vv", *options]]
    uv = Path(sys.prefix) / "bin" / "uv"
    if uv.exists() and index == NO_DNS:
        commands.append([str(uv), "--no-cache", "pip", *options])
    for command in commands:
        done = RUN(command, env={**installer_environment(), **settings, **variables}, text=True)
        assert done.returncode and cause in cause_of(done.stdout + done.stderr, tmp_path), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("error: failed to copy file: No space left on device (os error 28)", "the disk is full"),
        ('Looking up "http://127.0.0.1:9/" in the cache\nERROR: 403 Client Error', "index 127.0.0.1 refuses access"),
        ("  cause: invalid peer certificate: UnknownIssuer", "is not trusted here. Check this computer's clock"),
        ("Error: [Errno 30] Read-only file system: '/x'", "may not be written to (Error: [Errno 30] Read-only"),
        ("/usr/bin/python3: No module named venv", "and Ubuntu, install the package python3.11-venv. Then run"),
        ("because ensurepip is not available.  On Debian/Ubuntu", "and Ubuntu, install the package python3.11-venv."),
        ("  x Failed to build `numpy==1.0`", "for this version of Python and this system (x Failed to build"),
        ("Segmentation fault", "is not known. The last lines of the output:\n    Collecting numpy\n    Segmentation"),
    ],
)
def test_the_cause_is_found_where_the_disk_or_python_is_at_fault(environment, monkeypatch, said, cause):
    monkeypatch.setattr(sys, "version_info", (3, 11))
    failing = QuickEnvironment(environment.repository, command=f"cat <<'END'\nCollecting numpy\n{said}\nEND\nexit 3")
    with pytest.raises(CourseError, match=f"packages could not be installed: .*{re.escape(cause)}"):
        failing.ensure()


# --- several processes, interruptions ---------------------------------------------------------------------------------


WRITES = "echo $$ > new; mv new installing; until [ -e done ]; do mkdir -p .venv/more/`date +%N`; done"
INSTALL = shlex.join([sys.executable, "-c", f"import subprocess; subprocess.run({WRITES!r}, shell=True)"])
"""A program that Python has started, as pip starts some."""


@pytest.fixture
def make_slowly(clone):
    """Start processes that make the environment, whose installation ends when there is a file `done` in the clone.

    While it runs, the file `installing` there holds its process ID.
    """
    with ExitStack() as running:

        def make_slowly():
            command = [sys.executable, quick_environment.__file__, clone, INSTALL]
            variables = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
            process = running.enter_context(subprocess.Popen(command, env=variables, **pipes))
            running.callback(process.kill)
            wait_until((clone / "installing").exists, "the installation")
            return process

        yield make_slowly
        (clone / "done").touch()


def test_two_at_once_make_one_environment(environment, clone, make_slowly):
    first, second = make_slowly(), make_slowly()
    assert second.stdout.readline() == "Another process is creating .venv; waiting for it.\n"
    (clone / "done").touch()
    assert second.communicate() == ("", "")
    assert first.wait() == second.returncode == 0
    assert environment.installed == ["course"]


def installs(clone):
    """The process that installs; None once it has ended."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(int((clone / "installing").read_text()))
        return process if process.status() != psutil.STATUS_ZOMBIE else None


@pytest.mark.parametrize("stop", ["Ctrl-C", "kill", "kill with its child"])
def test_after_a_stop_the_environment_is_updated_once_nothing_writes_to_it(environment, clone, make_slowly, stop):
    environment.ensure()
    (clone / "constraints.txt").write_text("")
    stopped, child = make_slowly(), installs(clone).parent()
    stopped.send_signal(signal.SIGTERM if stop == "Ctrl-C" else signal.SIGKILL)
    if stop == "kill with its child":
        child.kill()
    says_so = "\nStopped. To continue, run the same command again.\n" if stop == "Ctrl-C" else ""
    assert (stopped.communicate()[1], stopped.returncode) == (says_so, 130 if says_so else -signal.SIGKILL)
    assert environment.problem() == f"{CHANGED}, and {UNFINISHED}"
    if stop == "Ctrl-C":
        wait_until(lambda: not installs(clone), "the process that installs to end")
    environment.say = lambda text: (environment.said.append(text), (clone / "done").touch())
    environment.ensure()
    waiting = [] if stop == "Ctrl-C" else ["Another process is creating .venv; waiting for it."]
    assert environment.said[2:-2] == waiting
    assert f"Updating the environment .venv ({CHANGED}, and {UNFINISHED})" in environment.said[-2]
    assert environment.problem() is None


# --- noteboosh.sh -----------------------------------------------------------------------------------------------------


def write_notebook(path, *sources):
    cells = [nbformat.v4.new_markdown_cell("# A small notebook"), *map(nbformat.v4.new_code_cell, sources)]
    cells.append(nbformat.v4.new_markdown_cell("[The handout](../docs/04-tokenizer.md)"))
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


SOLUTION = (
    "# Look at the key\nimport os\nprint('key', os.environ['G2C_SOLUTIONS'])",
    "from g2c.common.paths import artifacts_folder\n"
    "folder = artifacts_folder() / 'ShakespeareTokenizer'\nfolder.mkdir(parents=True)\n"
    "(folder / 'tokenizer.json').write_text('{}')",
)


@pytest.fixture(scope="module")
def course_once(course_template, tmp_path_factory):
    """A copy of the course with a small notebook 04, and with an environment that needs no making."""
    folder = tmp_path_factory.mktemp("course") / "my course"
    shutil.copytree(course_template / "g2c", folder / "g2c")
    shutil.copytree(REPOSITORY / "scripts", folder / "scripts")
    for name in ("noteboosh.sh", "datasets.sh", "check.sh", ".ci/run", "pyproject.toml", "constraints.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, folder / name)
    write_notebook(folder / "notebooks" / "04-tokenizer.ipynb", "print('to do')")
    write_notebook(folder / "notebooks" / "solutions" / "04-tokenizer.ipynb", *SOLUTION)
    environment = QuickEnvironment(folder)
    environment.ensure(["interop", "corpora", "check", "site", "machines"])
    # Jupyter Lab is not started, unless START_JUPYTER is set: where it would be, a line says so.
    says_so = """#!/bin/sh
if [ "$3" = jupyterlab ] && [ -z "$START_JUPYTER" ]; then
  shift 3
  echo "Jupyter opens $* with key '$G2C_SOLUTIONS', $JUPYTER_DATA_DIR"
  exit
fi
"""
    environment.python.write_text(environment.python.read_text().replace("#!/bin/sh\n", says_so))
    return folder


@pytest.fixture
def course(course_once):
    """The same, with no working copies."""
    yield course_once
    shutil.rmtree(course_once / "notebooks" / "mine", ignore_errors=True)


@pytest.fixture
def run_script(course, tmp_path):
    """Run a script of the copy, where a file hides a library. Nothing is fetched: no program is at the proxy's port."""
    (tmp_path / "random.py").write_text("raise RuntimeError('It stops whoever imports it.')")

    def run_script(name, *arguments, run=RUN, **more):
        variables = {key: value for key, value in os.environ.items() if not key.startswith("G2C_")}
        variables |= {"G2C_DATA": str(tmp_path / "data"), "G2C_ARTIFACTS": str(tmp_path / "artifacts")}
        nowhere = {"https_proxy": "http://127.0.0.1:9", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
        variables |= {"PYTHONPATH": str(tmp_path), **nowhere, **more}
        return run(["bash", course / name, *arguments], env=variables, cwd=tmp_path, text=True)

    return run_script


@pytest.fixture
def noteboosh(run_script):
    return partial(run_script, "noteboosh.sh")


def test_a_working_copy_is_opened_and_never_overwritten_and_fresh_archives_it(course, noteboosh):
    done = noteboosh("04", "--fresh")
    assert done.returncode == 0, done.stderr
    assert "New working copy: notebooks/mine/04-tokenizer.ipynb" in done.stdout and "kept" not in done.stdout
    assert "If no browser opens in a few seconds, open the address below.\n" in done.stdout
    assert "press Ctrl-C here twice.\n" in done.stdout
    assert "tinyshakespeare.txt could not be fetched" in done.stderr
    assert "The notebook uses the corpus pydocs instead of TinyShakespeare.\n" in done.stdout
    opened = (
        f"Jupyter opens --ServerApp.root_dir={course} --LabApp.default_url=/lab/tree/notebooks/mine/04-tokenizer.ipynb"
    )
    assert opened in done.stdout and " with key ''" in done.stdout
    settings = course / ".venv" / "etc" / "jupyter" / "labconfig" / "page_config.json"
    assert list(json.loads(settings.read_text())["disabledExtensions"]) == [
        "@jupyterlab/apputils-extension:announcements"
    ]
    original, work = (course / "notebooks" / "04-tokenizer.ipynb").read_bytes(), course / "notebooks" / "mine"
    copy, right_answers = work / "04-tokenizer.ipynb", course / ".g2c" / "answers.json"
    assert copy.read_bytes() == original.replace(b"../docs", b"../../docs"), "its links lead to the same files"

    done = noteboosh("--setup", "04")
    ready = "Everything is ready. Next: source .venv/bin/activate, and then: g2c watch\n"
    assert done.returncode == 0 and done.stdout.endswith(ready) and "Jupyter" not in done.stdout

    copy.write_text("first answers")
    done = noteboosh("04", "--no-browser", "--port", "8890", HOME="/nowhere")
    assert " --no-browser --port 8890 with key" in done.stdout
    assert f"{course}/.g2c/jupyter/data" in done.stdout, "a home that cannot be written to"
    assert copy.read_text() == "first answers"

    right_answers.write_text('{"04-tokenizer.ipynb": ["first_answer"]}')
    kept = r"kept: notebooks/mine/archive/04-tokenizer-\d{4}-\d\d-\d\d-\d{6}\.ipynb"
    assert re.search(kept, noteboosh("--fresh", "04").stdout)
    assert b"../../docs" in copy.read_bytes()
    assert json.loads(right_answers.read_text()) == {"04-tokenizer.ipynb": []}, "none is right in the new copy"
    assert [path.read_text() for path in (work / "archive").iterdir()] == ["first answers"]


def test_the_commands_of_the_page_on_other_places_are_right(course, noteboosh, tmp_path):
    page = (REPOSITORY / "docs" / "elsewhere.md").read_text(encoding="utf-8")
    blocks = [re.sub("^[!%]", "", code.strip(), flags=re.MULTILINE) for _, _, code in code_blocks(page, "text")]
    install = "pip install -q -e .[course]"
    assert blocks[0] == f"git clone ADDRESS g2c\ncd g2c\n{install}\n./datasets.sh --tiny"
    assert all(f"{line}\\n" in WITHOUT_COURSE for line in ("!git clone ADDRESS g2c", "%cd g2c", f"%{install}"))
    assert (REPOSITORY / "binder" / "requirements.txt").read_text() == "-e .[course]\n"
    setup = "./noteboosh.sh --setup 04"
    assert json.loads((REPOSITORY / ".devcontainer" / "devcontainer.json").read_text())["postCreateCommand"] == setup
    hub = next(block for block in blocks if "ipykernel" in block)
    assert hub.startswith(f"git clone ADDRESS g2c\ncd g2c\n{setup}\n")
    assert noteboosh("--setup", "04").returncode == 0
    register = ["bash", "-c", hub.splitlines()[-1]]
    subprocess.run(register, cwd=course, env={**os.environ, "HOME": str(tmp_path)}, check=True, capture_output=True)
    [kernel] = tmp_path.rglob("kernels/g2c/kernel.json")
    # The stand-in for the environment runs the Python of these tests.
    assert json.loads(kernel.read_text())["argv"].count("ipykernel_launcher") == 1


def test_the_solution_is_opened_with_the_key_and_executed_as_it_is_handed_out(course, noteboosh, tmp_path):
    done = noteboosh("--solution", "04")
    assert "/lab/tree/notebooks/mine/04-tokenizer-solution.ipynb" in done.stdout and "with key '04'" in done.stdout
    (course / "notebooks" / "mine" / "04-tokenizer-solution.ipynb").write_text("changed, and not what is executed")

    solution = course / "notebooks" / "solutions" / "04-tokenizer.ipynb"
    before = solution.read_bytes()
    done = noteboosh("--run", "04", "--solution")
    assert done.returncode == 0, done.stderr
    assert "Running 04-tokenizer.ipynb with the answer key (G2C_SOLUTIONS=04)." in done.stdout
    assert "\n  [1/2] # Look at the key\n  [2/2] from g2c" in done.stdout
    written = re.escape(str(tmp_path / "artifacts" / "ShakespeareTokenizer"))
    assert re.search(rf"Written to {written}:\n    tokenizer\.json +2 bytes\n", done.stdout)
    assert re.search(r"04-tokenizer\.ipynb ran without an error in \d+ s\.", done.stdout)
    assert solution.read_bytes() == before
    executed = nbformat.read(course / "notebooks" / "mine" / "executed" / "04-tokenizer-solution.ipynb", as_version=4)
    assert executed.cells[1].outputs[0].text == "key 04\n"


def page_at(address: str) -> str:
    """The page at an address that Jupyter has printed, which it does a moment before it listens there."""
    for _ in range(600):
        with suppress(URLError), urlopen(address) as page:
            return page.read().decode()
        time.sleep(0.2)
    raise AssertionError(f"there is no page at {address} two minutes after Jupyter printed it")


@pytest.mark.whole
def test_the_first_screen_is_where_the_page_is_and_how_to_stop(noteboosh, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tinyshakespeare.txt").touch()
    start = partial(subprocess.Popen, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    jupyter = noteboosh("04", "--no-browser", run=start, START_JUPYTER="1")
    try:
        lines = [jupyter.stdout.readline()]
        while "http://127.0.0.1:" not in lines[-1]:
            assert lines[-1], "".join(lines)
            lines.append(jupyter.stdout.readline())
        assert "JupyterLab" in page_at(lines[-1].strip())
    finally:
        jupyter.terminate()
        rest = jupyter.communicate()[0]
    assert len(lines) <= 10 and "Ctrl-C" in "".join(lines), "".join(lines)
    assert rest == "received signal 15, stopping\n"


def test_an_unknown_module_is_refused_and_help_is_given_without_an_environment(course, run_script):
    (course / ".venv").rename(course / "venv")
    options_of = {"noteboosh.sh": ["--fresh", "--solution", "--run", "MODULE"], "check.sh": ["--all"]}
    for script, options in options_of.items():
        done = run_script(script, "--help")
        assert done.returncode == 0 and all(option in done.stdout for option in options)
    done = run_script("noteboosh.sh", "--solution", "../04")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("There is no module '../04'. The modules are: 04, 05, 04a, ")
    assert not (course / "notebooks" / "mine").exists() and not (course / ".venv").exists()
    (course / "venv").rename(course / ".venv")


# --- a cell that fails ------------------------------------------------------------------------------------------------


RAISES = "def f():\n    raise NotImplementedError('TODO: encode')\n"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            ["print('fine')", RAISES, "f()", "print('never')"],
            "Code cell 3 of 4 failed: f()\nNotImplementedError: TODO: encode\n"
            # Module 04 has an encode too.
            "Next:       write encode; for a hint: g2c hint WordBPETokenizer.encode",
        ),
        pytest.param(
            ["import os\nos.kill(os.getpid(), 9)"],
            "Code cell 1 of 1: the kernel died; most likely it ran out of memory",
            marks=pytest.mark.whole,
        ),
    ],
)
def test_a_failing_cell_is_named_with_its_first_line_and_the_error(tmp_path, cells, message):
    write_notebook(tmp_path / "04b-word-bpe.ipynb", *cells)
    edit_notebook(tmp_path / "04b-word-bpe.ipynb", nbformat_minor=2)  # Which has no cell IDs.
    with pytest.raises(CourseError) as error:
        run_in_view(tmp_path / "04b-word-bpe.ipynb", tmp_path / "executed.ipynb")
    assert str(error.value).startswith(message)
    first = nbformat.read(tmp_path / "executed.ipynb", as_version=4).cells[1]
    assert "print('fine')" not in cells or first.outputs[0].text == "fine\n"


def test_a_cell_of_an_optional_exercise_may_fail(tmp_path):
    write_notebook(tmp_path / "notebook.ipynb")
    optional = {"cell_type": "code", "source": "1 / 0", "metadata": {"tags": ["raises-exception"]}}
    edit_notebook(tmp_path / "notebook.ipynb", cells=[optional])
    assert run_in_view(tmp_path / "notebook.ipynb", tmp_path / "executed.ipynb") == 1


def edit_notebook(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


OLD_CELL = {"cell_type": "code", "input": "1 + 1", "language": "python", "outputs": []}


@pytest.mark.parametrize(
    ("changes", "encoding"),
    [
        ({"nbformat_minor": 4}, "utf-8-sig"),
        ({"metadata": None, "cells": [{"cell_type": "code", "source": ["1 +", " 1"], "id": "é"}]}, "utf-16"),
        ({"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [OLD_CELL]}]}, "utf-8"),
    ],
)
def test_the_cells_are_read_of_a_notebook_that_another_editor_has_saved(tmp_path, changes, encoding):
    write_notebook(tmp_path / "mine.ipynb", "1 + 1")
    edit_notebook(tmp_path / "mine.ipynb", **changes)
    (tmp_path / "mine.ipynb").write_text((tmp_path / "mine.ipynb").read_text(), encoding)
    [cell] = [cell for cell in read_cells(tmp_path / "mine.ipynb").cells if cell.cell_type == "code"]
    assert cell.source == "1 + 1"


@pytest.mark.parametrize(("text", "what"), [("", "empty"), ("# hello", "not JSON"), ('{"nbformat": 9}', "other JSON")])
def test_a_file_that_is_no_notebook_is_refused_in_a_sentence(tmp_path, text, what):
    (tmp_path / "mine.ipynb").write_text(text)
    with pytest.raises(CourseError, match=rf"mine\.ipynb is not a notebook: it is {what}.*--fresh"):
        run_in_view(tmp_path / "mine.ipynb", tmp_path / "executed.ipynb")


def test_ctrl_c_ends_a_notebook_without_an_error(tmp_path):
    cell = "import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\ntime.sleep(100)"
    write_notebook(tmp_path / "04b-word-bpe.ipynb", cell)
    command = [sys.executable, "-m", "g2c.course.notebooks.run_notebook", "04b-word-bpe.ipynb", "executed.ipynb"]
    stopped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert stopped.stderr == "\nStopped. To continue, run the same command again.\n"
    assert stopped.returncode == 130


# --- check.sh and .ci/run ---------------------------------------------------------------------------------------------


TESTS = """
import os, pytest, shutil

def test_the_mirror_is_beside_the_clone_and_what_readme_names_is_there():
    assert os.environ["G2C_DATASETS_MIRROR"].endswith("/shared/datasets")
    assert all(map(shutil.which, ["python3", "bash", "cat", "curl", "git"]))

def test_nothing_else_is():
    assert [name for name in ("awk", "bwrap", "chromium", "node", "uv") if shutil.which(name)] == []

def test_that_is_skipped():
    pytest.skip("why")

def test_that_fails():
    assert 1 == 2
"""


@pytest.mark.whole
def test_the_check_ends_with_the_counts_and_fails_when_a_test_fails(course, run_script):
    pytest.importorskip("xdist", reason="check.sh runs tests in parallel: pip install -e '.[check]'")
    (course / "tests" / "course").mkdir(parents=True)
    (course / "tests" / "test_small.py").write_text(TESTS)
    (course.parent / "shared" / "datasets").mkdir(parents=True)
    done = run_script(".ci/run")
    sentence, counts = done.stdout.splitlines()[-2:]
    assert counts == "2 passed, 1 failed, 1 skipped", done.stdout + done.stderr
    assert done.returncode == 1 and sentence.startswith("Some checks failed")
