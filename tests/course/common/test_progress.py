"""Progress: shown where somebody looks, silent elsewhere, cheap everywhere."""

import re

import nbformat
from nbclient import NotebookClient

from g2c.common.progress import shown_progress

TRAINING = """
from g2c.common.progress import shown_progress
with shown_progress({progress}, "Training", total=300, unit="merges") as bar:
    for done in range(1, 301):
        bar.update(done, tokens=5000 - done, newest=b" t<b>[red]\\x1b[31m\\xf0", count=7)
"""


NEWEST = "newest ␣t<b>[red]\\x1b[… (7×)]"


def test_a_terminal_shows_a_bar_and_never_receives_raw_token_bytes(run_in_terminal):
    shown = run_in_terminal(TRAINING.format(progress=None))
    last_line = [line for line in re.split("[\r\n]+", shown) if line][-1]
    assert re.fullmatch(rf"Training: █+ 300/300 merges \[00:00<00:00, 4,700 tokens, {re.escape(NEWEST)}", last_line)
    assert "\x1b[31m" not in shown, "an escape sequence inside a token reached the terminal"


def test_a_pipe_shows_nothing_unless_asked(capsys):
    for progress, end in ((None, ""), (False, ""), (True, f"4,700 tokens, {NEWEST}\n")):
        exec(TRAINING.format(progress=progress))
        out, errors = capsys.readouterr()
        assert out == "", "progress belongs on stderr, so that output can be piped"
        assert errors.endswith(end) and bool(errors) == bool(end)


def test_a_notebook_keeps_one_output_with_the_last_state():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(TRAINING.format(progress=None))])
    NotebookClient(notebook, kernel_name="python3", coalesce_streams=True).execute()
    [output] = notebook.cells[0].outputs
    assert (output.output_type, output.name) == ("stream", "stdout"), "what is on stderr is red"
    [bar] = output.text.splitlines()
    assert bar.startswith("Training: ████████ 300/300 merges [") and bar.endswith(f"4,700 tokens, {NEWEST}")


def test_a_total_may_be_unknown_or_zero(capsys):
    for total in (None, 0):
        with shown_progress(True, "Training", total=total, unit="merges") as bar:
            bar.update(0)
        assert "Training: " in capsys.readouterr().err
