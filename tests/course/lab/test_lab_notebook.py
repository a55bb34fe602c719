"""`lab(...)` in a notebook: a still picture always, and a frame with the running view where somebody looks."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from urllib.parse import urlsplit

import pytest

from g2c.common.paths import REPOSITORY
from g2c.lab import notebook
from g2c.lab.notebook import lab


@pytest.fixture(autouse=True)
def nobody_looks(monkeypatch):
    for variable in notebook._FRONT_ENDS:
        monkeypatch.delenv(variable, raising=False)


def test_where_nobody_looks_there_is_a_still_picture_that_is_always_the_same():
    shown = lab("merge", "the the <b> & the")._repr_html_()
    assert shown == lab("merge", "the the <b> & the")._repr_html_()
    assert "<b>After merge 2</b>" in shown and "&amp;" in shown
    assert "After merge 2\n│the│␣│the│␣│the│" in repr(lab("merge", "the the the"))
    assert "view lattice" in lab("lattice")._repr_html_()
    for view in notebook.VIEWS:
        assert not re.search("<iframe|<script", lab(view)._repr_html_()), view


def test_another_view_is_refused():
    with pytest.raises(ValueError, match="type, merge, encode"):
        lab("marge")


def test_where_somebody_looks_the_view_runs_in_a_frame(monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "04-tokenizer.ipynb")
    shown = lab("merge", "</script><i>")
    assert "</script><i>" not in shown._repr_html_()
    address = shown.address
    assert lab("type").address == address, "one lab serves all cells of a notebook"
    with urllib.request.urlopen(address) as response:
        assert "<title>g2c lab</title>" in response.read().decode()


def test_a_killed_kernel_leaves_no_lab_behind():
    code = "import os; from g2c.lab.notebook import lab; print(lab().address, flush=True); os.kill(os.getpid(), 9)"
    variables = {"JPY_SESSION_NAME": "04-tokenizer.ipynb", "PYTHONPATH": str(REPOSITORY)}
    kernel = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, timeout=60
    )
    port = urlsplit(kernel.stdout).port
    for _ in range(200):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.1)
    pytest.fail(f"20 seconds after its notebook was killed, the lab still listens on port {port}")


def test_notebook_04_has_such_a_cell_and_its_solution_keeps_the_picture():
    cells = {}
    for path in ("notebooks/04-tokenizer.ipynb", "notebooks/solutions/04-tokenizer.ipynb"):
        notebook_cells = json.loads((REPOSITORY / path).read_text(encoding="utf-8"))["cells"]
        [cells[path]] = [cell for cell in notebook_cells if "".join(cell["source"]).startswith('lab("merge"')]
    exercise, solution = cells.values()
    assert exercise["outputs"] == []
    picture = "".join(solution["outputs"][0]["data"]["text/html"])
    assert "<b>The text as bytes</b>" in picture and "<b>After merge 6</b>" in picture
    assert "<script" not in picture and "iframe" not in picture, "a picture that a site which hosts code shows"
