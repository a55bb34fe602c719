"""pyproject.toml and the files around it: dependencies, the version, workflows, templates, the container."""

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

PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
GROUPS = PROJECT["optional-dependencies"]
CONSTRAINTS = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
CHANGELOG = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
GITHUB = REPOSITORY / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))


# --- dependencies -----------------------------------------------------------------------------------------------------


def test_the_base_install_is_what_a_later_module_needs():
    assert PROJECT["dependencies"] == ["numpy", "tokenizers"]
    assert set(GROUPS) == {"course", "compiled", "interop", "corpora", "cluster", "check", "site"}


def test_every_dependency_is_pinned_once():
    pinned = re.findall(r"^([\w.-]+)==[\w.]+$", CONSTRAINTS, re.MULTILINE)
    wanted = [*PROJECT["dependencies"], *chain.from_iterable(GROUPS.values())]
    assert {"numpy", "tokenizers", "transformers", "tiktoken", "pyarrow", "mypy", "grimp"} <= set(wanted)
    assert len(wanted) == len(set(wanted))
    assert len(pinned) == len(set(pinned))
    for name in wanted:
        assert name in {*pinned, *map(str.lower, pinned)}, f"constraints.txt does not say which version of {name}"


def test_the_pinned_jsonschema_is_one_that_is_imported_at_once():
    """4.25 and later import rfc3987-syntax, which compiles a grammar, in every process that reads a notebook."""
    [version] = re.findall(r"^jsonschema==(\d+\.\d+)", CONSTRAINTS, re.MULTILINE)
    assert tuple(map(int, version.split("."))) < (4, 25)
    assert "rfc3987-syntax" not in CONSTRAINTS


def test_constraints_say_how_to_install_everything():
    [command] = re.findall(r"^#     (pip install .+)$", CONSTRAINTS, re.MULTILINE)
    assert command.startswith("pip install -c constraints.txt -e '.[")
    assert set(command.split("[")[1].split("]")[0].split(",")) == set(GROUPS)


def test_the_whole_check_installs_every_group():
    script = (REPOSITORY / "check.sh").read_text()
    assert '-m g2c.course.environment "${groups[@]}"\n' in script
    [groups] = re.findall(r"^groups=\((.+)\)$", script, re.MULTILINE)
    [more] = re.findall(r"^ +--all\)\n(?:.*\n)*? +groups\+=\((.+)\)$", script, re.MULTILINE)
    assert more == "site", "what the short check does without"
    # The environment always has these two.
    assert {"course", "compiled", *groups.split(), *more.split()} == set(GROUPS)


def test_a_missing_package_is_found_in_its_group():
    for group in set(GROUPS) - {"check"}:
        assert {group_of(package) for package in GROUPS[group]} == {group}


def test_the_command_that_installs_a_group_fits_the_installation(monkeypatch, tmp_path):
    monkeypatch.setattr(packages, "is_checkout", lambda: False)
    assert install_command("pyarrow") == "pip install pyarrow"
    monkeypatch.setattr(packages, "is_checkout", lambda: True)
    assert install_command("pyarrow") in (
        "pip install -c constraints.txt -e '.[corpora]'",
        "python -m g2c.course.environment corpora",
    )
    monkeypatch.setattr(packages, "REPOSITORY", tmp_path)
    assert install_command("pyarrow") == "pip install -c constraints.txt -e '.[corpora]'"
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    assert install_command("pyarrow") == "python -m g2c.course.environment corpora"


# --- what the package says about itself -------------------------------------------------------------------------------


def test_the_version_is_written_in_one_place():
    assert "version" not in PROJECT and PROJECT["dynamic"] == ["version"]
    assert PYPROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "g2c.__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", g2c.__version__)


def test_the_changelog_begins_with_this_version():
    headings = re.findall(r"^## \[(.+?)\] - (Unreleased|\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert CHANGELOG.count("\n## ") == len(headings)
    versions = [tuple(map(int, version.split("."))) for version, _ in headings]
    assert headings[0][0] == g2c.__version__
    assert versions == sorted(versions, reverse=True)


def test_types_and_data_are_part_of_the_package():
    patterns = PYPROJECT["tool"]["setuptools"]["package-data"]
    of_rooms = [f"g2c/{room}/{pattern}" for room in ("grading", "lab") for pattern in patterns[f"g2c.{room}"]]
    for path in (REPOSITORY / "g2c").rglob("*"):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            inside = any(path.match(pattern) for pattern in patterns["*"])
            assert inside or any(map(path.match, of_rooms)), f"{path} is left out"
    assert (REPOSITORY / "g2c" / "py.typed").is_file()


def python_versions() -> list[str]:
    """The versions of Python that the classifiers name: ["3.11", ...]."""
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in PROJECT["classifiers"]]
    return [match[1] for match in found if match]


def test_the_same_pythons_are_named_everywhere():
    versions = python_versions()
    assert PROJECT["requires-python"] == f">={versions[0]}"
    assert f"for Python {versions[0]} to {versions[-1]}" in CONSTRAINTS
    script = (REPOSITORY / "scripts" / "environment.sh").read_text()
    for version in versions:
        assert f"python{version} " in script
    assert workflow("check")["jobs"]["check"]["strategy"]["matrix"]["python"] == versions


def test_no_url_is_made_up():
    for label, url in PROJECT.get("urls", {}).items():
        assert not re.search(r"example|OWNER|localhost", url), f"{label} leads nowhere"


# --- workflows, templates, container ----------------------------------------------------------------------------------


def workflow(name: str) -> dict:
    return yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_well_formed(path):
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert content["name"]
    assert content[True]  # YAML 1.1 reads the key `on` as a truth value
    assert content["permissions"] == {"contents": "read"}
    for job in content["jobs"].values():
        assert job["runs-on"] and job["timeout-minutes"] <= 120
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/checkout@v4"))


def commands(job: dict) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_the_workflows_run_the_check():
    check = workflow("check")["jobs"]["check"]
    assert set(check["strategy"]["matrix"]["os"]) == {"ubuntu-latest", "macos-latest"}
    assert commands(check).split("\n") == ["", "", "./check.sh", ".venv/bin/python -m mypy"]
    weekly = workflow("weekly")["jobs"]["check"]
    assert commands(weekly).strip() == "./check.sh --all"


def test_the_site_is_built_by_its_command_and_published_only_where_pages_are_on():
    jobs = workflow("site")["jobs"]
    assert jobs["build"]["if"] == "github.event.repository.has_pages"
    assert ".venv/bin/python docs/website.py --address" in commands(jobs["build"])
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert "permissions" not in jobs["build"]


def test_one_job_has_the_base_dependencies_only():
    base = workflow("check")["jobs"]["base"]
    install = next(step["run"] for step in base["steps"] if "pip install" in step.get("run", ""))
    assert install == "python -m pip install -c constraints.txt ."
    assert "g2c train shakespeare" in commands(base)


def test_paths_in_workflows_exist():
    for path in WORKFLOWS:
        for name in re.findall(r"\btests/[\w/.]+", path.read_text(encoding="utf-8")):
            assert (REPOSITORY / name).exists(), f"{path.name} names {name}"


@pytest.mark.parametrize("path", sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem)
def test_issue_templates_are_well_formed(path):
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert isinstance(content["blank_issues_enabled"], bool)
        return
    assert content["name"] and content["description"]
    ids = [field["id"] for field in content["body"] if field["type"] != "markdown"]
    assert ids and len(ids) == len(set(ids))
    for field in content["body"]:
        assert field["type"] in ("markdown", "input", "textarea", "dropdown", "checkboxes")
        assert field["attributes"].get("label") or field["attributes"].get("value")


def test_the_pull_request_template_asks_for_the_check():
    text = (GITHUB / "pull_request_template.md").read_text(encoding="utf-8")
    assert "./check.sh" in text and "CHANGELOG.md" in text


def test_the_container_makes_the_environment():
    container = json.loads((REPOSITORY / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert container["postCreateCommand"] == "python3 -m g2c.course.environment"
    assert container["image"].removeprefix("python:") in python_versions()


def test_the_editor_keeps_the_line_length_of_ruff():
    text = (REPOSITORY / ".editorconfig").read_text(encoding="utf-8")
    assert text.startswith("root = true\n")
    assert f"max_line_length = {PYPROJECT['tool']['ruff']['line-length']}\n" in text
