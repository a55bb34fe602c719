"""An environment that is made in a moment, for test_scripts.py: its Python is the one that runs the tests.

    python quick_environment.py CLONE COMMAND

makes one where a shell runs COMMAND in place of the installation.
"""

import re
import sys
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.course.plain import print_line, reports_errors
from g2c.course.setup.environment import EnvironmentFolder


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class QuickEnvironment(EnvironmentFolder):
    """An environment that notes the commands that would install it, in place of running them.

    Args:
        failing: commands that contain this text fail.
        command: what a shell runs, in the clone, in place of the installation of the course.

    Attributes:
        said: the messages for the user.
    """

    def __init__(self, repository: Path, *, failing: str = "nothing", command: str = "") -> None:
        self.said: list[str] = []
        super().__init__(repository, self.said.append)
        self._failing, self._command = failing, command

    @property
    def commands(self) -> list[str]:
        """The commands since the environment was made anew."""
        return (self.repository / "commands.txt").read_text().splitlines()

    @property
    def installed(self) -> list[str]:
        """The groups of each installation since then."""
        return re.findall(r"-e \.\[(.+)\]", "\n".join(self.commands))

    def _run(self, command: list[str], failure: str = "") -> bool:
        if "venv" in command:
            text = f'#!/bin/sh\nPYTHONPATH="{self.repository}" exec "{sys.executable}" "$@"\n'
            write_program(self.python, text)
            (self.repository / "commands.txt").unlink(missing_ok=True)
            return True
        if self._command and "-e" in command and not super()._run(["sh", "-c", self._command], failure):
            return False
        line = " ".join(command).replace(f"{self.repository}/.venv", ".venv")
        with (self.repository / "commands.txt").open("a") as file:
            file.write(f"{line}\n")
        if command[1:2] == ["-m"] and command[-1] == "uv" and self._failing not in line:
            write_program(self.folder / "bin" / "uv", "#!/bin/sh\n")
        if self._failing not in line:
            return True
        if failure:
            raise CourseError(failure)
        return False

    def _compile(self) -> None:
        self._run([str(self.python), "-m", "g2c.engine"])


@reports_errors
def main(arguments: list[str]) -> int:
    environment = QuickEnvironment(Path(arguments[0]), command=arguments[1])
    environment.say = print_line
    environment.ensure()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
