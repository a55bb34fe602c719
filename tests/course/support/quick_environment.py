"""An environment that is made in a moment, for test_scripts.py: its Python is the one that runs the tests.

    python quick_environment.py CLONE

makes one slowly: installing ends when there is a file `done` in the clone. While it runs, the file `installing` there
holds the ID of a process that it has started.
"""

import sys
from pathlib import Path

from g2c.course import environment


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class QuickEnvironment(environment.EnvironmentFolder):
    """An environment that installs nothing, and notes what it would install."""

    def __init__(self, repository: Path) -> None:
        self.said: list[str] = []
        super().__init__(repository, self.said.append)
        self.installed = self.folder / "groups.txt"

    def _create(self) -> None:
        text = f'#!/bin/sh\n[ "$1" = -V ] && echo Python 3.12.1 && exit\nexec "{sys.executable}" "$@"\n'
        write_program(self.python, text)

    def _install(self, groups: list[str]) -> None:
        with self.installed.open("a") as file:
            file.write(",".join(groups) + "\n")

    def installations(self) -> list[str]:
        return self.installed.read_text().splitlines()


class Slow(QuickEnvironment):
    def __init__(self, say) -> None:
        super().__init__(Path(sys.argv[1]))
        self.say = say

    def _install(self, groups: list[str]) -> None:
        wait = "until [ -e done ]; do sleep 0.05; done"
        self._run(["sh", "-c", f"({wait}) & echo $! > installing.new; mv installing.new installing; wait"], "")
        super()._install(groups)


if __name__ == "__main__":
    environment.EnvironmentFolder = Slow
    sys.exit(environment.main([]))
