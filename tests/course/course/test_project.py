"""pyproject.toml and the files around it: dependencies, the version, workflows, the container."""

import json
import re
import tomllib
from itertools import chain

import pytest
import yaml

import g2c
from g2c.common import packages
from g2c.common.packages import group_of, install_command
from g2c.common.paths import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GROUPS = PROJECT["optional-dependencies"]
CONSTRAINTS = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
GITHUB = REPOSITORY / ".github"

# The oldest and the newest version of Python that the course is tested with, and those between them.
VERSIONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


# --- dependencies -----------------------------------------------------------------------------------------------------


def test_every_dependency_is_pinned_once():
    pinned = [name.lower() for name in re.findall(r"^([\w.-]+)==[\w.]+$", CONSTRAINTS, re.MULTILINE)]
    wanted = [*PROJECT["dependencies"], *chain.from_iterable(GROUPS.values())]
    assert len(wanted) == len(set(wanted)) and len(pinned) == len(set(pinned))
    assert set(wanted) - set(pinned) == set(), "constraints.txt does not say which versions"


def test_every_group_is_installed_where_everything_is():
    """By the command in constraints.txt, and by `./check.sh --all`."""
    [command] = re.findall(r"^#     pip install -c constraints.txt -e '.\[(.+)\]'$", CONSTRAINTS, re.MULTILINE)
    assert set(command.split(",")) == set(GROUPS)
    script = (REPOSITORY / "check.sh").read_text(encoding="utf-8")
    in_check = " ".join(re.findall(r"groups\+?=\((.+)\)$", script, re.MULTILINE)).split()
    # The environment always has these two.
    assert {"course", "compiled", *in_check} == set(GROUPS)


def test_a_missing_package_is_found_in_its_group():
    for group in set(GROUPS) - {"check"}:
        assert {group_of(package) for package in GROUPS[group]} == {group}


def test_the_command_that_installs_a_package_fits_the_installation(monkeypatch, tmp_path):
    monkeypatch.setattr(packages, "is_checkout", lambda: False)
    assert install_command("pyarrow") == "pip install pyarrow"
    monkeypatch.setattr(packages, "is_checkout", lambda: True)
    monkeypatch.setattr(packages, "REPOSITORY", tmp_path)
    assert install_command("pyarrow") == "pip install -c constraints.txt -e '.[corpora]'"
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    assert install_command("pyarrow") == "python -m g2c.course.environment corpora"


# --- what the package says about itself -------------------------------------------------------------------------------


def test_the_changelog_begins_with_this_version():
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\] - (?:Unreleased|\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)
    assert changelog.count("\n## ") == len(headings)
    assert headings[0] == g2c.__version__
    assert headings == sorted(headings, key=lambda version: [int(part) for part in version.split(".")], reverse=True)


def test_the_same_pythons_are_named_everywhere():
    assert PROJECT["requires-python"] == f">={VERSIONS[0]}"
    assert f"for Python {VERSIONS[0]} to {VERSIONS[-1]}" in CONSTRAINTS
    script = (REPOSITORY / "scripts" / "environment.sh").read_text(encoding="utf-8")
    assert all(f"python{version} " in script for version in VERSIONS)
    assert workflow("check")["jobs"]["check"]["strategy"]["matrix"]["python"] == VERSIONS
    container = json.loads((REPOSITORY / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert container["image"].removeprefix("python:") in VERSIONS


# --- workflows -------------------------------------------------------------------------------------------------------


def workflow(name: str) -> dict:
    return yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(path.stem for path in (GITHUB / "workflows").glob("*.yml")))
def test_workflows_may_only_read_and_run_what_there_is(name):
    content = workflow(name)
    assert content["permissions"] == {"contents": "read"}
    for job in content["jobs"].values():
        for step in job["steps"]:
            for path in re.findall(r"(?:^|\s)((?:\./|tests/|docs/)[\w/.]+)", step.get("run", "")):
                assert (REPOSITORY / path).exists(), f"{name}.yml names {path}"
