"""noteboosh.sh, the environment that it makes, and what check.sh prints.

Nothing here touches the clone's own environment, data or notebooks: each test works in a copy. uv, venv and pip are
stand-ins that note what they are asked to do.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import nbformat
import pytest

from coach.common.errors import CourseError
from coach.common.files import locked
from coach.common.paths import REPOSITORY
from coach.notebooks.run_notebook import run_copy
from coach.setup.environment import STAMP, EnvironmentFolder
from support.clones import share_machine_code
from support.run_examples import blocks as code_blocks

SCRIPTS = ["noteboosh.sh", "datasets.sh", "check.sh", ".ci/run", "scripts/environment.sh"]
RUN = partial(subprocess.run, capture_output=True, timeout=300)


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


# --- the scripts themselves -------------------------------------------------------------------------------------------


def test_bash_3_2_which_macos_has_runs_the_scripts():
    for script in SCRIPTS:
        text = (REPOSITORY / script).read_text()
        newer = ("mapfile", "readarray", "declare -A", "local -n", "${!", ",,}", "^^}", "&>>", "|&")
        assert [construct for construct in newer if construct in text] == [], script
        assert script.startswith("scripts/") or os.access(REPOSITORY / script, os.X_OK), f"chmod +x {script}"


def test_shellcheck_has_nothing_to_say():
    shellcheck = shutil.which("shellcheck", path=f"{Path(sys.prefix, 'bin')}{os.pathsep}{os.environ['PATH']}")
    if shellcheck is None:
        pytest.skip("it needs shellcheck: pip install -e '.[check]'")
    assert RUN([shellcheck, "-x", *SCRIPTS], cwd=REPOSITORY, text=True).stdout == ""


MISLEADING = ("PYTHONHOME", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONINSPECT", "PYTHONMALLOC", "PYTHONTRACEMALLOC")


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        ({"python3": "3.11", "python3.13": "3.13"}, "python3\n"),
        ({"python3": "3.9", "python3.12": "3.12"}, "python3.12\n"),
        ({"python3": "3.10"}, "needs Python 3.11 or later, and none was found (python3 is 3.10): install one"),
        ({}, "The course needs Python 3.11 or later, and none was found: install one"),
    ],
)
def test_the_first_python_that_is_new_enough_is_taken(tmp_path, versions, found):
    for name, version in versions.items():
        given = "".join(f"${variable}" for variable in MISLEADING)
        write_program(tmp_path / name, f'#!/bin/sh\n[ -z "{given}" ] && echo {version}\n')
    script = f'source {shlex.quote(str(REPOSITORY))}/scripts/environment.sh; find_python; echo "$PYTHON"'
    environment = {"PATH": str(tmp_path), **dict.fromkeys(MISLEADING, "x")}
    done = RUN([shutil.which("bash"), "-euc", script], env=environment, text=True)
    assert found in (done.stderr if done.returncode else done.stdout)
    assert done.returncode == (0 if found.startswith("python") else 1)


# --- the environment --------------------------------------------------------------------------------------------------

TOOL = """#!/bin/sh
# Stands for uv, and for Python with venv and pip.
echo "${0##*/} $*" >>commands.txt
case "$*" in
  *"${FAILING:-nothing}"*) echo "Connection refused" >&2; exit 3 ;;
  *venv*.venv) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *" uv") cp "$0" .venv/bin/uv ;;
esac
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder called g2c in one that needs quotes, with what an environment depends on. The PATH has stand-ins."""
    folder, programs = tmp_path / "Anna's Töpfchen" / "g2c", tmp_path / "programs"
    folder.mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, folder)
    for name in ("uv", "python3"):
        write_program(programs / name, TOOL)
    for name in ("cp", "mkdir"):
        (programs / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(sys, "_base_executable", str(programs / "python3"))
    return folder


@pytest.fixture
def environment(clone):
    return EnvironmentFolder(clone)


def groups_of(clone: Path) -> list[str]:
    """The groups of each installation."""
    return re.findall(r" install --.* -e \.\[(.+)\]", (clone / "commands.txt").read_text())


def test_an_environment_is_made_once_and_gets_the_groups_that_it_lacks(environment, clone, capsys):
    assert environment.problem() == "there is none yet"
    assert environment.ensure() == environment.python
    made = (
        r"Creating the environment \.venv \(there is none yet\)\. This takes .*\nThe environment is ready after \d s\."
    )
    assert re.fullmatch(made, capsys.readouterr().out.strip())
    for groups in ([], ["corpora"], ["check", "corpora"], []):
        assert environment.problem() is None
        environment.ensure(groups)
    assert groups_of(clone) == ["course", "corpora,course", "check,corpora,course"]
    page = json.loads((environment.folder / "etc/jupyter/labconfig/page_config.json").read_text())
    assert list(page["disabledExtensions"]) == ["@jupyterlab/apputils-extension:announcements"]


CHANGED, INCOMPLETE = "what the course needs has changed", "it is incomplete, or the clone's folder was moved or copied"


def changed(folder):
    (folder / "constraints.txt").write_text("")


def without_python(folder):
    (folder / ".venv" / "bin" / "python").unlink()


def interrupted(folder):
    stamp = folder / ".venv" / STAMP
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | {"requirements": ""}))


def moved(folder):
    return folder.rename(folder.with_name("a Tön"))


@pytest.mark.parametrize("change", [changed, without_python, interrupted, moved])
def test_an_environment_that_does_not_fit_is_updated_or_made_anew(environment, clone, change, capsys):
    environment.ensure(["check"])
    (environment.folder / "mine").touch()
    environment = EnvironmentFolder(change(clone) or clone)
    problem, doing = (CHANGED, "Updating") if change is changed else (INCOMPLETE, "Creating")
    assert environment.problem() == problem
    environment.ensure()
    assert f"{doing} the environment .venv ({problem})" in capsys.readouterr().out
    assert environment.problem() is None
    assert groups_of(environment.repository)[-1] == "check,course", "the groups that were there"
    assert (environment.folder / "mine").exists() == (doing == "Updating")


def test_what_the_course_did_not_make_is_never_changed(environment, clone):
    mine = clone / ".venv" / "mine"
    mine.parent.mkdir()
    mine.touch()
    with pytest.raises(CourseError, match=r"did not create the folder \.venv.* with: mv \.venv \.venv-old\. Then run"):
        environment.ensure()
    assert list(mine.parent.iterdir()) == [mine] and not (clone / "commands.txt").exists()
    mine.parent.rename(clone / ".venv-old")
    environment.ensure()
    assert environment.problem() is None


UV = "uv pip install --python .venv/bin/python --quiet -c constraints.txt"
PIP = "python -m pip install --quiet -c constraints.txt"


@pytest.mark.parametrize(
    ("has_uv", "failing", "installs"),
    [
        (True, "nothing", [UV]),
        (True, "numba", [UV]),
        (False, "nothing", [f"{PIP} uv", UV]),
        (False, ".txt uv", [f"{PIP} uv", PIP]),
    ],
)
def test_uv_installs_the_packages_or_pip_does_and_numba_where_there_is_one(
    environment, clone, has_uv, failing, installs, monkeypatch, capsys
):
    monkeypatch.setenv("FAILING", failing)
    if not has_uv:
        (Path(os.environ["PATH"]) / "uv").unlink()
    environment.ensure()
    *before, install = installs
    asked = (clone / "commands.txt").read_text().replace(f"{clone}/", "").splitlines()
    assert [line for line in asked if " install --" in line] == [*before, f"{install} -e .[course]", f"{install} numba"]
    says_so = "numba could not be installed.\n    Connection refused\n"
    assert (says_so in capsys.readouterr().out) == (failing == "numba") and environment.problem() is None
    # An active environment is made anew without its own uv.
    interrupted(clone)
    monkeypatch.setenv("PATH", str(environment.folder / "bin"), prepend=os.pathsep)
    environment.ensure()
    assert environment.problem() is None


def test_an_update_that_fails_leaves_the_environment_in_use(environment, clone, monkeypatch, capsys):
    environment.ensure()
    changed(clone)
    monkeypatch.setenv("FAILING", "-e")
    assert environment.ensure() == environment.python
    said = "The packages could not be installed.\n    Connection refused\nCheck that this computer is online and the"
    assert said in (out := capsys.readouterr().out)
    assert out.endswith("The environment was not updated; it is used as it is.\n") and environment.problem() == CHANGED
    with pytest.raises(CourseError, match="packages could not be installed"):
        environment.ensure(["check"])
    assert environment.problem() == CHANGED
    monkeypatch.setenv("FAILING", "")
    environment.ensure()
    assert environment.problem() is None


def test_two_at_once_make_one_environment(environment, clone, monkeypatch):
    said = SimpleQueue()
    monkeypatch.setattr("coach.setup.environment.print_line", said.put)
    with ThreadPoolExecutor() as pool:
        with locked(clone / ".g2c" / "environment", print):
            second = pool.submit(environment.ensure)
            assert said.get(timeout=60) == "Another process is creating .venv; waiting for it."
            environment._make("there is none yet", {"course"})
        second.result()
    assert groups_of(clone) == ["course"]


# --- noteboosh.sh -----------------------------------------------------------------------------------------------------


def write_notebook(path, *sources, **metadata):
    cells = [nbformat.v4.new_code_cell(source, metadata=metadata) for source in sources]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


SOLUTION = """
import os
from coach.common.paths import artifacts_folder
print('key', os.environ['G2C_SOLUTIONS'], 'threads', os.environ['OPENBLAS_NUM_THREADS'])
folder = artifacts_folder() / 'ShakespeareTokenizer'
folder.mkdir(parents=True)
(folder / 'tokenizer.json').write_text('{}')
"""
PYTHON = """#!/bin/sh
if [ "$3" = jupyterlab ] && [ -z "$START_JUPYTER" ]; then
  shift 3
  echo "Jupyter opens $* with key '$G2C_SOLUTIONS'"
  exit
fi
"""
"""The environment's Python: the one that runs the tests, but Jupyter Lab is not started unless START_JUPYTER is set."""


@pytest.fixture(scope="module")
def course_once(course_template, tmp_path_factory):
    """A copy of the course with a small notebook 04, and with an environment that needs no making."""
    folder = tmp_path_factory.mktemp("course") / "my course"
    for package in ("coach", "g2c"):
        shutil.copytree(course_template / package, folder / package)
    share_machine_code(folder)
    shutil.copytree(REPOSITORY / "scripts", folder / "scripts")
    for name in ("noteboosh.sh", "datasets.sh", "check.sh", "pyproject.toml", "constraints.txt", "course.toml"):
        shutil.copy(REPOSITORY / name, folder / name)
    write_notebook(folder / "notebooks" / "04-tokenizer.ipynb", "print('to do')")
    write_notebook(folder / "notebooks" / "solutions" / "04-tokenizer.ipynb", SOLUTION)
    environment = EnvironmentFolder(folder)
    write_program(environment.python, f'{PYTHON}PYTHONPATH="{folder}" exec "{sys.executable}" "$@"\n')
    groups, requirements = ["course", "interop", "corpora", "check", "site", "machines"], environment._requirements()
    environment._write_stamp({"folder": str(environment.folder), "groups": groups, "requirements": requirements})
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
        variables = {key: value for key, value in os.environ.items() if not key.startswith(("G2C_", "OPENBLAS_"))}
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
    assert "tinyshakespeare.txt could not be fetched" in done.stderr
    assert "The notebook uses the corpus pydocs instead of TinyShakespeare.\n" in done.stdout
    page = "/lab/tree/notebooks/mine/04-tokenizer.ipynb"
    assert f"Jupyter opens --ServerApp.root_dir={course} --LabApp.default_url={page}" in done.stdout
    assert " with key ''" in done.stdout
    done = noteboosh("--setup", "04")
    ready = "Everything is ready. Next: source .venv/bin/activate, and then: g2c watch 04\n"
    assert done.returncode == 0 and done.stdout.endswith(ready) and "Jupyter" not in done.stdout

    copy, right_answers = course / "notebooks" / "mine" / "04-tokenizer.ipynb", course / ".g2c" / "answers.json"
    new = copy.read_bytes()
    copy.write_text("first answers")
    assert " --no-browser --port 8890 with key" in noteboosh("--no-browser", "--port", "8890", "04").stdout
    assert copy.read_text() == "first answers"

    right_answers.write_text('{"04-tokenizer.ipynb": ["first_answer"]}')
    # With microseconds, so that two of a second are both kept.
    kept = r"kept: notebooks/mine/archive/04-tokenizer-\d{4}-\d\d-\d\d-\d{6}-\d{6}\.ipynb"
    assert re.search(kept, noteboosh("--fresh", "04").stdout) and copy.read_bytes() == new
    assert json.loads(right_answers.read_text()) == {"04-tokenizer.ipynb": []}, "none is right in the new copy"
    assert [path.read_text() for path in (copy.parent / "archive").iterdir()] == ["first answers"]


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
    assert executed.cells[0].outputs[0].text == "key 04 threads 1\n"


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
        # Jupyter prints the address a moment before it listens there.
        fetch = ["curl", "-sSL", "--retry", "60", "--retry-delay", "1", "--retry-connrefused", lines[-1].strip()]
        assert "JupyterLab" in RUN(fetch, text=True).stdout
    finally:
        jupyter.terminate()
        rest = jupyter.communicate()[0]
    assert len(lines) <= 10 and "press Ctrl-C here twice." in "".join(lines), "".join(lines)
    assert rest == "received signal 15, stopping\n"


def test_an_unknown_module_is_refused_and_help_is_given_without_an_environment(course, run_script):
    (course / ".venv").rename(course / "venv")
    assert "--all" in run_script("check.sh", "--help").stdout
    assert RUN(["sh", "noteboosh.sh", "--help"], cwd=course, text=True).stdout.startswith("usage: ./noteboosh.sh ")
    done = run_script("noteboosh.sh", "--solution", "../04")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("There is no module '../04'. The modules are: 04, 04c, 05, ")
    assert not (course / "notebooks" / "mine").exists() and not (course / ".venv").exists()
    (course / "venv").rename(course / ".venv")


def test_the_commands_of_the_page_on_other_places_are_those_of_the_course():
    page = (REPOSITORY / "docs" / "elsewhere.md").read_text(encoding="utf-8")
    blocks = [re.sub("^[!%]", "", code.strip(), flags=re.MULTILINE) for _, _, code in code_blocks(page, "text")]
    # A notebook's first cell says the same; see test_notebooks.py.
    assert blocks[0] == "git clone ADDRESS g2c\ncd g2c\npip install -q -e .[course]\n./datasets.sh --tiny"
    assert (REPOSITORY / "binder" / "requirements.txt").read_text() == "-e .[course]\n"
    container = json.loads((REPOSITORY / ".devcontainer" / "devcontainer.json").read_text())
    assert f"\ncd g2c\n{container['postCreateCommand']}\n" in "".join(block for block in blocks if "ipykernel" in block)


# --- a notebook that is run -------------------------------------------------------------------------------------------


def test_a_failing_cell_is_named_with_the_error(tmp_path):
    path, executed = tmp_path / "mine.ipynb", tmp_path / "executed.ipynb"
    write_notebook(path, "print('fine')", "raise NotImplementedError('TODO: encode')", "print('never')")
    before = path.read_bytes()
    with pytest.raises(CourseError) as error:
        run_copy(path, executed)
    assert str(error.value) == "Code cell 2 of 3 failed:\nNotImplementedError: TODO: encode"
    assert nbformat.read(executed, as_version=4).cells[0].outputs[0].text == "fine\n" and path.read_bytes() == before
    # A cell of an optional exercise may fail.
    write_notebook(path, "1 / 0", tags=["raises-exception"])
    assert run_copy(path, executed) == 1


@pytest.mark.whole
def test_ctrl_c_ends_a_notebook_without_an_error(tmp_path):
    cell = "import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\ntime.sleep(100)"
    write_notebook(tmp_path / "04b-word-bpe.ipynb", cell)
    command = [sys.executable, "-m", "coach.notebooks.run_notebook", "04b-word-bpe.ipynb", "executed.ipynb"]
    stopped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert stopped.stderr == "\nStopped. To continue, run the same command again.\n"
    assert stopped.returncode == 130


# --- check.sh ---------------------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_the_check_ends_with_what_was_skipped_and_the_counts_and_fails_when_a_test_fails(course, run_script):
    pytest.importorskip("xdist", reason="check.sh runs tests in parallel: pip install -e '.[check]'")
    (course / "tests" / "course").mkdir(parents=True)
    tests = "def test_a():\n    pass\ndef test_b():\n    pytest.skip('why')\ndef test_c():\n    assert 1 == 2\n"
    (course / "tests" / "test_small.py").write_text(f"import pytest\n{tests}")
    done = run_script("check.sh", "--all")
    skipped, sentence, counts = done.stdout.splitlines()[-3:]
    assert counts == "1 passed, 1 failed, 1 skipped", done.stdout + done.stderr
    assert skipped == "    1 skipped  why"
    assert done.returncode == 1 and sentence.startswith("Some checks failed")
