"""Unfinished work with any byte changed, any file gone, and a kill at any step: the next run ends with the same files,
or refuses in one sentence. Wrong IDs never come with success.

Each run is a process of its own with two seconds and 500 MB. Hypothesis makes the faults; `pytest --hypothesis-seed=N`
repeats a run.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from support import faulty_runs

REPOSITORY = Path(__file__).resolve().parents[3]
TEXT = "".join(f"The cat number {n} sat on {n % 7} hats, and each hat was {n * n} years old.\n" for n in range(60))
STEPS = 90
"""About as many steps as a run has."""

changes = st.tuples(
    st.integers(0, 3),
    st.sampled_from(["remove", "cut", "flip", "zeros", "insert", "repeat"]),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 255),
)


class Runs:
    """The processes of one task, and the files that a run without faults makes."""

    def __init__(self, task: str, folder: Path) -> None:
        self.folder = folder
        (folder / "corpus.txt").write_text(TEXT)
        self._process = subprocess.Popen(
            [sys.executable, faulty_runs.__file__, task, str(folder)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout.readline() == "ready\n"
        assert self.run() == ["done", ""]
        self.expected = self.artifact()

    def run(self, step: int | None = None, fault: str | tuple = "kill", resume: bool = True) -> list[str]:
        self._process.stdin.write(f"{json.dumps([step, fault, resume])}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def artifact(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.folder / "out").glob("*")}

    def clear(self) -> None:
        for path in self.folder.glob("*out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


@pytest.fixture(scope="module", params=["encode", "train"])
def runs(request, tmp_path_factory):
    opened = Runs(request.param, tmp_path_factory.mktemp(request.param))
    yield opened
    opened.close()


def machine(runs: Runs) -> type[RuleBasedStateMachine]:
    class Faults(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            runs.clear()

        def check(self, outcome: str, message: str) -> None:
            assert outcome != "failed", message
            if outcome == "refused":
                assert "\n" not in message and str(runs.folder) in message, f"not one sentence with a path: {message}"
            elif outcome == "done" or runs.artifact():
                wrong = [name for name, data in runs.artifact().items() if data != runs.expected[name]]
                assert not wrong and runs.artifact().keys() == runs.expected.keys(), f"{outcome}, but {wrong} differ"

        @rule(step=st.integers(1, STEPS))
        def is_killed(self, step):
            self.check(*runs.run(step))

        @rule(step=st.integers(1, STEPS), change=changes)
        def a_file_changes_during_a_run(self, step, change):
            self.check(*runs.run(step, change))

        @rule(change=changes)
        def a_file_changes(self, change):
            faulty_runs.change(runs.folder, list(change))

        @rule()
        def runs_to_its_end(self):
            self.check(*runs.run())

        def teardown(self) -> None:
            assert runs.run(resume=False) == ["done", ""], "starting again works after any fault"
            self.check("done", "")

    return Faults


def test_after_any_faults_the_files_are_the_same_or_it_is_refused(runs):
    # Without the phase that shrinks a failure, which takes minutes.
    six_runs = settings(max_examples=6, stateful_step_count=6, phases=[Phase.generate])
    run_state_machine_as_test(machine(runs), settings=six_runs)
