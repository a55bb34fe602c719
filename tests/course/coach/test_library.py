"""g2c installed as a library, outside a checkout: what works there, what it writes, and what it says that it needs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coach.common.paths import REPOSITORY

USE = """
import sys
import g2c.tokenizer
from g2c.tokenizer import BPETokenizer, load_artifact

tokenizer = BPETokenizer()
ids = tokenizer.train_exact("the cat sat on the mat", 260)
folder = tokenizer.save_artifact("Cat", ids)
assert load_artifact("Cat").ids.tolist() == ids
assert tokenizer.decode(tokenizer.encode_ordinary("the cat")) == "the cat", "the methods that students write"
print(folder)
"""


def run_beside(package: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run Python with these arguments in a folder, as if numba, which the base install lacks, were missing.

    Nothing is fetched: curl meets a proxy that nobody runs.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("G2C_", "PYTHON", "VIRTUAL"))}
    environment = {**kept, "PYTHONPATH": str(package.parent), "https_proxy": "http://127.0.0.1:9", "G2C_COMPILED": "0"}
    command, before = [sys.executable, "-P", *arguments], files_at(package)
    done = subprocess.run(command, cwd=folder, env=environment, input="", capture_output=True, text=True)
    assert files_at(package) == before, "nothing may be written into the package, nor beside it"
    return done


def files_at(package: Path) -> set[Path]:
    return {path for path in package.parent.rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """The package in a folder, beside coach, as an installation puts them there."""
    packages = tmp_path_factory.mktemp("library") / "site-packages"
    for name in ("coach", "g2c"):
        shutil.copytree(REPOSITORY / name, packages / name, ignore=shutil.ignore_patterns("__pycache__"))
    return packages / "g2c"


def test_a_tokenizer_is_trained_and_saved_in_the_current_folder(package, tmp_path):
    done = run_beside(package, tmp_path, "-c", USE)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'artifacts' / 'tokenizers' / 'Cat'}\n"
    assert (tmp_path / "artifacts" / "tokenizers" / "Cat" / "ids.uint32").is_file()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [("`g2c`", ["g2c"]), ("`g2c grade`", ["g2c", "grade"]), ("The environment of the course", ["coach.setup"])],
)
def test_what_needs_a_checkout_says_so(package, tmp_path, command, arguments):
    done = run_beside(package, tmp_path, "-m", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.removeprefix("g2c: ") == (
        f"{command} needs a checkout of the course, with its tests and handouts, but this copy was installed "
        f"into {package.parent}. Clone the repository and run ./noteboosh.sh there.\n"
    )
    assert list(tmp_path.iterdir()) == []


COURSE_PACKAGES = ("rich", "pytest", "psutil", "hypothesis", "matplotlib", "nbformat", "nbclient", "PIL", "IPython")


def test_the_commands_for_tokenizers_need_the_base_install_and_write_to_the_current_folder(package, tmp_path):
    (tmp_path / "line.txt").write_text("To be, or not to be\n")
    missing = f"import sys; sys.modules.update(dict.fromkeys({COURSE_PACKAGES!r}))"
    # A part of pydocs: without numba, all of it takes long.
    part = "from pydoc_data import topics; topics.topics = dict(list(topics.topics.items())[:15])"
    start = f"{missing}; {part}; from g2c.commands import main; sys.exit(main(sys.argv[1:]))"
    said = ""
    for command in ("train shakespeare", "verify shakespeare", "encode shakespeare line.txt --output Line"):
        done = run_beside(package, tmp_path, "-c", start, *command.split())
        assert done.returncode == 0, done.stdout + done.stderr
        said += done.stdout
    assert "trained on pydocs" in said and f"{tmp_path}/artifacts/tokenizers/ShakespeareTokenizer" in said
    assert {path.name for path in tmp_path.iterdir()} <= {"artifacts", "data", "line.txt"}


@pytest.mark.whole
def test_pip_installs_all_files_of_the_library(tmp_path):
    """A wheel, built from a copy of the clone and installed beside the packages that are here."""
    clone, package, folder = tmp_path / "clone", tmp_path / "site-packages" / "g2c", tmp_path / "work"
    folder.mkdir()
    for name in ("coach", "g2c"):
        shutil.copytree(REPOSITORY / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, clone / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-deps"]
    installed = subprocess.run([*pip, "--target", package.parent, "."], cwd=clone, capture_output=True, text=True)
    if installed.returncode != 0:
        if any(word in installed.stderr for word in ("No matching distribution", "Failed to establish", "Connection")):
            pytest.skip("the wheel could not be built: no package index is reachable")
        pytest.fail(installed.stderr)
    assert (package / "py.typed").is_file() and (package / "formats" / "chat_template.jinja").is_file()
    version = "import g2c; from importlib.metadata import version; print(g2c.__version__ == version('g2c'))"
    assert run_beside(package, folder, "-c", version).stdout == "True\n"
    done = run_beside(package, folder, "-c", USE)
    assert done.returncode == 0, done.stderr
