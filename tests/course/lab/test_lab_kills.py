"""SIGKILL at random moments of `g2c lab`: no process stays, no file changes, its port is free, and it starts again.

G2C_KILLS=200 pytest --solutions tests/course/lab/test_lab_kills.py -s
"""

import contextlib
import os
import random
import socket
import time
from http.client import HTTPException
from pathlib import Path
from threading import Thread

import psutil
import pytest

from support.labs import RunningLab

KILLS = int(os.environ.get("G2C_KILLS", "5"))


def files_in(folder: Path) -> dict[str, bytes]:
    """All files but bytecode and caches."""
    hidden = ("__pycache__", ".g2c", ".mypy_cache")
    paths = [path for path in folder.rglob("*") if path.is_file() and not any(part in hidden for part in path.parts)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def ask_again_and_again(lab: RunningLab) -> None:
    with contextlib.suppress(OSError, HTTPException, AssertionError, ValueError):
        while True:
            lab.ask("encode", texts=["the cat"], tokenizer="yours")


@pytest.mark.whole
@pytest.mark.timeout(120 + 20 * KILLS)
def test_after_kills_at_random_moments_nothing_is_left_and_it_starts_again(clone, record_property):
    chance = random.Random("lab")
    before = files_in(clone.folder)
    for _ in range(KILLS):
        lab = RunningLab(clone)
        questions = Thread(target=ask_again_and_again, args=(lab,))
        questions.start()
        time.sleep(chance.random() * 2 * lab.seconds_to_start)
        started = psutil.Process(lab.process.pid).children(recursive=True)
        lab.process.kill()
        lab.process.communicate()
        questions.join()
        _, running = psutil.wait_procs(started, timeout=20)
        assert not running, f"processes of the killed lab go on: {running}"
        with socket.create_server(("127.0.0.1", lab.port)):
            pass  # the port is free again
        assert files_in(clone.folder) == before, "a killed lab changed files"
    with RunningLab(clone) as lab:
        status, page = lab.request("GET", f"/?token={lab.token}")
        assert status == 200 and "<html" in page
    record_property("times", KILLS)
    print(f"\nlab: {KILLS} kills")
