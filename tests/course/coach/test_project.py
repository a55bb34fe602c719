"""pyproject.toml and the files around it: dependencies, the version, and the tools whose rules it has."""

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from itertools import chain

import pytest

import g2c
from coach.common.packages import install_command
from coach.common.paths import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GROUPS = PROJECT["optional-dependencies"]
CONSTRAINTS = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")


def test_every_dependency_is_pinned_once():
    wanted = [*PROJECT["dependencies"], *chain.from_iterable(GROUPS.values())]
    assert len(wanted) == len(set(wanted))
    for other in "<", ">=":  # Versions of Python for which one package or another has its own version.
        lines = re.sub(rf'^.*; python_version {other} "3.15"\n', "", CONSTRAINTS, flags=re.MULTILINE)
        pinned = [name.lower() for name in re.findall(r"^([\w.-]+)==[\w.]+(?:; .*)?$", lines, re.MULTILINE)]
        assert len(pinned) == len(set(pinned))
        assert set(wanted) - set(pinned) == set(), "constraints.txt does not say which versions"


def test_what_is_to_be_installed_is_a_group():
    """A package index may have a stranger's package by the name of a group."""
    paths = [*(REPOSITORY / "coach").rglob("*.py"), *(REPOSITORY / "g2c").rglob("*.py"), *REPOSITORY.glob("docs/*.md")]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    groups = {group for text in texts for group in re.findall(r"coach\.setup ([a-z]+)\b", text)}
    extras = {group for text in texts for group in re.findall(r"\.\[([a-z]+)\]'", text)}
    assert groups and extras and groups | extras <= set(GROUPS)


def test_the_command_that_installs_a_package_fits_the_installation(monkeypatch):
    assert install_command("corpora") is install_command("pandas") is None, "a stranger's"
    monkeypatch.setattr("sys.prefix", str(REPOSITORY / ".venv"))
    assert install_command("pyarrow") == "python -m coach.setup corpora"
    monkeypatch.setattr("sys.prefix", "/usr")
    assert install_command("pyarrow.parquet") == "pip install -c constraints.txt -e '.[corpora]'"


def test_the_changelog_begins_with_this_version():
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\] - (?:Unreleased|\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)
    assert changelog.count("\n## ") == len(headings) + changelog.count("\n## [Unreleased]\n")
    assert headings[0] == g2c.__version__
    assert headings == sorted(headings, key=lambda version: [int(part) for part in version.split(".")], reverse=True)


@pytest.mark.parametrize("command", ["ruff check --no-cache .", "ruff format --check --no-cache .", "mypy"])
def test_tools_find_nothing(command):
    if not all(map(find_spec, ("ruff", "mypy", "pyarrow", "tiktoken"))):
        pytest.skip("it needs ruff, mypy, pyarrow and tiktoken: pip install -e '.[check,interop,corpora]'")
    done = subprocess.run([sys.executable, "-m", *command.split()], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} found this:\n{done.stdout}{done.stderr}"
