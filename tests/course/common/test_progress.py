"""Progress: shown where somebody looks, silent elsewhere, cheap everywhere."""

import re
import subprocess
import sys
import textwrap

import nbformat
import pytest
from nbclient import NotebookClient

from g2c.common.progress import shown_progress

TRAINING = """
from g2c.common.progress import shown_progress
with shown_progress({progress}, "Training", total=300, unit="merges") as bar:
    for done in range(1, 301):
        bar.update(done, tokens=5000 - done, newest=b" t<b>[red]\\x1b[31m\\xf0", count=7)
    bar.note("Kept <all> [bold]merges.")
"""


def run_in_pipe(code: str) -> tuple[str, str]:
    command = [sys.executable, "-c", code]
    finished = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    return finished.stdout, finished.stderr


def run_in_notebook(code: str) -> list[dict]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(code))])
    NotebookClient(notebook, kernel_name="python3").execute()
    return notebook.cells[0].outputs


def without_colors(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def test_a_terminal_shows_a_bar_and_never_receives_raw_token_bytes(run_in_terminal):
    shown = run_in_terminal(TRAINING.format(progress=None))
    last_line = [line for line in re.split("[\r\n]+", without_colors(shown)) if "merges ·" in line][-1]
    assert "300/300 merges · 4,700 tokens · newest ␣t<b>[red]\\x1b[… (7×)" in last_line
    assert "━" in last_line
    assert "Kept <all> [bold]merges." in shown
    assert "\x1b[31m" not in shown, "an escape sequence inside a token reached the terminal"


def test_the_cursor_comes_back_after_ctrl_c(run_in_terminal):
    code = """
from g2c.common.progress import shown_progress
try:
    with shown_progress(None, "Training", total=10, unit="merges") as bar:
        bar.update(3, tokens=5)
        raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
"""
    shown = run_in_terminal(code)
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")


@pytest.mark.parametrize("progress", [None, False])
def test_a_pipe_shows_nothing_unless_asked(progress):
    assert run_in_pipe(TRAINING.format(progress=progress)) == ("", "")


def test_a_log_gets_plain_lines_when_asked():
    out, errors = run_in_pipe(TRAINING.format(progress=True))
    assert out == "", "progress belongs on stderr, so that output can be piped"
    assert errors == (
        "Kept <all> [bold]merges.\nTraining: 300/300 merges · 4,700 tokens · newest ␣t<b>[red]\\x1b[… (7×)\n"
    )


def test_a_notebook_keeps_one_output_that_is_readable_as_html_and_as_text():
    outputs = run_in_notebook(TRAINING.format(progress=None))
    assert [output.output_type for output in outputs] == ["display_data"]
    data = outputs[0].data
    assert data["text/plain"] == (
        "Training: 300/300 merges · 4,700 tokens · newest ␣t<b>[red]\\x1b[… (7×)\nKept <all> [bold]merges."
    )
    assert '<progress max="1" value="1.0000">' in data["text/html"]
    assert "t&lt;b&gt;" in data["text/html"] and "<b>" not in data["text/html"]


def test_time_left_is_told_while_it_runs(capsys, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("g2c.common.progress.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("g2c.common.progress.in_notebook", lambda: False)
    with shown_progress(True, "Training", total=100, unit="merges") as bar:
        clock[0] = 30.0
        bar.update(25, tokens=900)
        assert capsys.readouterr().err == "Training: 25/100 merges · 900 tokens · 1:30 left\n"
    assert capsys.readouterr().err == "Training: 25/100 merges · 900 tokens · took 0:30\n"


def test_what_an_earlier_run_has_done_does_not_shorten_the_time_left(capsys, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("g2c.common.progress.time.monotonic", lambda: clock[0])
    with shown_progress(True, "Encoding", total=100_000_000, unit="MB") as bar:
        clock[0] = 10.0
        bar.skip(50_000_000)
        clock[0] = 20.0
        bar.update(60_000_000)
    shown = capsys.readouterr().err.splitlines()
    assert shown[:2] == ["Encoding: 50.0/100.0 MB", "Encoding: 60.0/100.0 MB · 0:40 left"]


@pytest.mark.parametrize("total", [None, 0])
def test_a_total_may_be_unknown_or_zero(capsys, total):
    with shown_progress(True, "Training", total=total, unit="merges") as bar:
        bar.update(0)
    assert "Training: 0" in capsys.readouterr().err
