"""noteboosh.sh, the environment that it makes, and what check.sh and .ci/run print.

Nothing here touches the clone's own environment, data or notebooks: each test works in a copy, with an environment that
is made in a moment because its Python is the one that runs the tests.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.notebooks.make import WITHOUT_COURSE
from g2c.course.notebooks.run_notebook import run_copy
from g2c.course.setup.environment import STAMP
from support import quick_environment
from support.quick_environment import QuickEnvironment, write_program
from support.run_examples import blocks as code_blocks

SOURCED = ["scripts/environment.sh"]
SCRIPTS = ["noteboosh.sh", "datasets.sh", "check.sh", ".ci/run", *SOURCED]


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


def test_shellcheck_has_nothing_to_say():
    shellcheck = shutil.which("shellcheck", path=f"{Path(sys.prefix, 'bin')}{os.pathsep}{os.environ['PATH']}")
    if shellcheck is None:
        pytest.skip("it needs shellcheck: pip install -e '.[check]'")
    assert RUN([shellcheck, "-x", *SCRIPTS], cwd=REPOSITORY, text=True).stdout == ""


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
    assert re.fullmatch(r"The environment is ready after \d+ s\.", environment.said[1])
    assert environment.problem() is None
    for groups in ([], ["corpora"], ["check", "corpora"], []):
        environment.ensure(groups)
    assert environment.installed == ["course", "corpora,course", "check,corpora,course"]


CHANGED, UNFINISHED = "what the course needs has changed", "its last update did not finish"
MOVED = "its Python is gone, or the clone's folder was moved or copied"


def moved(folder):
    return folder.rename(folder.with_name("a Tön"))


def without_python(folder):
    (folder / ".venv" / "bin" / "python").unlink()
    return folder


def changed(folder):
    (folder / "constraints.txt").write_text("")
    return folder


def interrupted(folder):
    stamp = folder / ".venv" / STAMP
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | {"finished": False}))
    return folder


@pytest.mark.parametrize(
    ("change", "problem", "doing"),
    [
        (changed, CHANGED, "Updating"),
        (interrupted, UNFINISHED, "Updating"),
        (without_python, MOVED, "Creating"),
        (moved, MOVED, "Creating"),
    ],
)
def test_an_environment_that_does_not_fit_is_updated_or_made_anew(environment, clone, change, problem, doing):
    environment.ensure(["check"])
    (environment.folder / "mine").touch()
    environment = QuickEnvironment(change(clone))
    assert environment.problem() == problem
    environment.ensure()
    assert environment.said[0].startswith(f"{doing} the environment .venv ({problem})")
    assert environment.problem() is None
    assert environment.installed[-1] == "check,course", "the groups that were there"
    assert (environment.folder / "mine").exists() == (doing == "Updating")
    again = [line for line in environment.commands if "--force-reinstall" in line]
    assert len(again) == (2 if problem == UNFINISHED else 0)


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


UV = "uv pip install --python .venv/bin/python -c constraints.txt"
PIP = ".venv/bin/python -m pip install -c constraints.txt"
COURSE = "-e .[course]"


@pytest.mark.parametrize(
    ("failing", "installing"),
    [
        ("nothing", [f"{UV} {COURSE}", f"{UV} numba"]),
        ("numba", [f"{UV} {COURSE}", f"{UV} numba"]),
        ("uv pip", [f"{UV} {COURSE}", f"{PIP} {COURSE}", f"{PIP} numba"]),
        ("constraints.txt uv", [f"{PIP} {COURSE}", f"{PIP} numba"]),
    ],
    ids=["uv installs", "there is no numba", "uv does not work", "there is no uv"],
)
def test_packages_are_installed_by_uv_where_it_works_and_with_numba_where_there_is_one(
    clone, failing, installing, monkeypatch, tmp_path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    environment = QuickEnvironment(clone, failing=failing)
    environment.ensure()
    commands = [line.replace(".venv/bin/uv", "uv") for line in environment.commands]
    assert commands[:-2] == [f"{PIP} uv", *installing]
    says_so = "numba could not be installed. Without it the engine gives the same results"
    assert [text.startswith(says_so) for text in environment.said[1:-1]] == ([True] if failing == "numba" else [])


def test_an_update_that_fails_leaves_the_environment_in_use(environment, clone):
    environment.ensure()
    changed(clone)
    offline = QuickEnvironment(clone, command="echo Connection refused >&2; exit 3")
    assert offline.ensure() == environment.python
    first, *rest = offline.said[1].splitlines()
    assert first == "The packages could not be installed. The last lines of the output:"
    assert (
        rest[0] == "    Connection refused" and "the disk has 2 GB left, then run the same command again." in rest[-2]
    )
    assert rest[-1] == "The environment was not updated; it is used as it is."
    assert environment.problem() == CHANGED
    with pytest.raises(CourseError, match="packages could not be installed"):
        offline.ensure(["check"])
    assert environment.problem() == CHANGED
    environment.ensure()
    assert environment.problem() is None


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


def test_after_a_kill_the_environment_is_updated(environment, clone, make_slowly):
    environment.ensure()
    changed(clone)
    make_slowly().kill()
    wait_until(lambda: environment.problem() == UNFINISHED, "the stamp")
    (clone / "done").touch()
    environment.ensure()
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
    done = noteboosh("04", "--no-browser", "--port", "8890")
    assert " --no-browser --port 8890 with key" in done.stdout
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
    assert f"Written: {tmp_path}/artifacts/ShakespeareTokenizer/tokenizer.json (2 bytes)\n" in done.stdout
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


def test_a_failing_cell_is_named_with_the_error(tmp_path):
    write_notebook(
        tmp_path / "mine.ipynb", "print('fine')", "raise NotImplementedError('TODO: encode')", "print('never')"
    )
    before = (tmp_path / "mine.ipynb").read_bytes()
    with pytest.raises(CourseError) as error:
        run_copy(tmp_path / "mine.ipynb", tmp_path / "executed.ipynb")
    assert str(error.value) == "Code cell 2 of 3 failed:\nNotImplementedError: TODO: encode"
    first = nbformat.read(tmp_path / "executed.ipynb", as_version=4).cells[1]
    assert first.outputs[0].text == "fine\n" and (tmp_path / "mine.ipynb").read_bytes() == before


def test_a_cell_of_an_optional_exercise_may_fail(tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]})]
    )
    nbformat.write(notebook, tmp_path / "notebook.ipynb")
    assert run_copy(tmp_path / "notebook.ipynb", tmp_path / "executed.ipynb") == 1


def test_ctrl_c_ends_a_notebook_without_an_error(tmp_path):
    cell = "import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\ntime.sleep(100)"
    write_notebook(tmp_path / "04b-word-bpe.ipynb", cell)
    command = [sys.executable, "-m", "g2c.course.notebooks.run_notebook", "04b-word-bpe.ipynb", "executed.ipynb"]
    stopped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert stopped.stderr == "\nStopped. To continue, run the same command again.\n"
    assert stopped.returncode == 130


# --- check.sh and .ci/run ---------------------------------------------------------------------------------------------


TESTS = """
import pytest

def test_that_passes():
    pass

def test_that_is_skipped():
    pytest.skip("why")

def test_that_fails():
    assert 1 == 2
"""


@pytest.mark.whole
def test_the_check_ends_with_what_was_skipped_and_the_counts_and_fails_when_a_test_fails(course, run_script):
    pytest.importorskip("xdist", reason="check.sh runs tests in parallel: pip install -e '.[check]'")
    (course / "tests" / "course").mkdir(parents=True)
    (course / "tests" / "test_small.py").write_text(TESTS)
    done = run_script("check.sh", "--all")
    skipped, sentence, counts = done.stdout.splitlines()[-3:]
    assert counts == "1 passed, 1 failed, 1 skipped", done.stdout + done.stderr
    assert skipped == "    1 skipped  why"
    assert done.returncode == 1 and sentence.startswith("Some checks failed")
