"""docs/own-course.md builds another course: its files are written as it says, and its commands run."""

import doctest
import os
import re
import stat
import subprocess
import sys

import pytest

from coach.common.paths import REPOSITORY
from support.classes import A_CONTAINER

PAGE = REPOSITORY / "docs" / "own-course.md"
BLOCK = re.compile(r"(?:^`(?P<file>[^`\n]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<content>.*?)^```$", re.DOTALL | re.MULTILINE)
INSTALLATION = "python3 -m coach.setup\nsource .venv/bin/activate\n"
"""The only commands that the test leaves out: it has an environment, and needs no network."""


@pytest.mark.whole
def test_the_page_leads_from_an_empty_folder_to_a_graded_class(tmp_path):
    programs, clone = tmp_path / "programs", tmp_path / "work" / "g2c"
    programs.mkdir()
    clone.parent.mkdir()
    clone.symlink_to(REPOSITORY)
    for name, module in (("queues", "coach"), ("pytest", "pytest"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {f"-m {module}" if module else ""} "$@"\n')
        (programs / name).chmod(stat.S_IRWXU)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("G2C_", "PYTEST_", "PYTHON"))}
    folder = clone.parent / "queues"
    environment = kept | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "COLUMNS": "80",
        "LINES": "40",
        "PYTHONPATH": str(folder),
        **A_CONTAINER,
    }
    output, here, left_out = "", clone.parent, 0
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        content = block["content"]
        if block["file"]:
            (folder / block["file"]).write_text(content, encoding="utf-8")
        elif content == INSTALLATION:
            left_out += 1
        elif block["kind"] == "bash":
            command = ["bash", "-euc", content]
            done = subprocess.run(command, cwd=here, env=environment, capture_output=True, encoding="utf-8")
            output, here = done.stdout, folder
            assert done.returncode == 0, f"{content}\n{done.stdout}{done.stderr}"
        else:
            assert doctest.OutputChecker().check_output(content, output, doctest.ELLIPSIS), output
    assert left_out == 1
    released = tmp_path / "work" / "for-students"
    assert [*released.rglob("solutions"), *released.glob("coach/page"), *released.glob("coach/grading")] == []
