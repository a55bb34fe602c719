"""An environment that is made in a moment, for test_scripts.py: its Python is the one that runs the tests.

    python quick_environment.py CLONE

makes one slowly: installing ends when there is a file `done` in the clone. While it runs, the file `installing` there
holds the ID of the process that it has started.
"""

import sys
from pathlib import Path

from g2c.course.environment import EnvironmentFolder
from g2c.course.plain import print_line, reports_errors


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class QuickEnvironment(EnvironmentFolder):
    """An environment that installs nothing, and notes what it would install."""

    def __init__(self, repository: Path) -> None:
        self.said: list[str] = []
        super().__init__(repository, self.said.append)

    def _create(self) -> None:
        text = f'#!/bin/sh\n[ "$1" = -V ] && echo Python 3.12.1 && exit\nexec "{sys.executable}" "$@"\n'
        write_program(self.python, text)

    def _install(self, groups: list[str]) -> None:
        with self._groups_file.open("a") as file:
            file.write(",".join(groups) + "\n")

    @property
    def installed(self) -> list[str]:
        """The groups of each installation since the environment was made anew."""
        return self._groups_file.read_text().splitlines()

    @property
    def _groups_file(self) -> Path:
        return self.folder / "groups.txt"


class SlowEnvironment(QuickEnvironment):
    def _install(self, groups: list[str]) -> None:
        wait = "sleep 0.3; echo $$ > new; mv new installing; until [ -e done ]; do sleep 0.05; done"
        self._run(["sh", "-c", wait], "")
        super()._install(groups)


@reports_errors
def make_slowly(arguments: list[str]) -> int:
    environment = SlowEnvironment(Path(arguments[0]))
    environment.say = print_line
    environment.ensure()
    return 0


if __name__ == "__main__":
    sys.exit(make_slowly(sys.argv[1:]))
