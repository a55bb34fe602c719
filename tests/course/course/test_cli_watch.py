"""`g2c watch`, in a real terminal: from the first failing test to the next when the file is fixed."""

import os
import re
import sys
from collections.abc import Callable, Iterator

import pexpect
import pytest

from g2c.course.exercises import modules
from support.clones import Clone, write_answers

DOUBLING, COUNTING = "g2c/toys/doubling.py", "g2c/toys/counting.py"
DOUBLE = '    raise NotImplementedError("TODO: double")'
HALVE = '    raise NotImplementedError("TODO: halve")'
ADD = '        raise NotImplementedError("TODO: add")'
HALVED = "    if number % 2:\n        raise ValueError(number)\n    return number // 2"
WATCHING = "q quit"


@pytest.fixture
def watch() -> Iterator[Callable[..., pexpect.spawn]]:
    """A function that starts `g2c watch`, or `g2c` with other arguments, in a terminal, in a copy of the course."""
    started = []

    def start(clone: Clone, *arguments: str, **variables: str) -> pexpect.spawn:
        environment = {**clone.environment, "TERM": "xterm", **variables}
        # The terminal says how wide it is, also after a change.
        del environment["COLUMNS"]
        terminal = pexpect.spawn(
            sys.executable,
            ["-m", "g2c", *(arguments or ["watch"])],
            cwd=str(clone.folder),
            env=environment,
            encoding="utf-8",
            timeout=30,
            dimensions=(40, 120),
        )
        started.append(terminal)
        return terminal

    yield start
    for terminal in started:
        terminal.close(force=True)


def wait_for(terminal: pexpect.spawn, text: str) -> None:
    """Wait until the terminal shows this text, in whatever colors."""
    terminal.expect(r"(?:\x1b\[[\d;]*m)*".join(map(re.escape, text)))


@pytest.mark.whole
def test_it_goes_from_the_first_failing_test_to_the_next_and_to_the_next_module(two_modules, watch):
    terminal = watch(two_modules)
    wait_for(terminal, "Next: write double")
    wait_for(terminal, "Watching g2c/toys/doubling.py: save it to test it.")
    wait_for(terminal, WATCHING)

    two_modules.replace(DOUBLING, DOUBLE, "    return number + 3")
    wait_for(terminal, "Failing: double")
    wait_for(terminal, "1 of 2 tests of this exercise passed before it.")
    wait_for(terminal, "double(4) is 8: 4 + 4")
    wait_for(terminal, WATCHING)

    two_modules.replace(DOUBLING, "    return number + 3", "    return 2 * number")
    wait_for(terminal, " 1 of 2 exercises")
    wait_for(terminal, "✓ double is right: 2 tests passed.")
    wait_for(terminal, "Next: write halve")
    wait_for(terminal, WATCHING)

    two_modules.replace(DOUBLING, HALVE, HALVED)
    wait_for(terminal, "All tests of module 91 pass.")
    wait_for(terminal, "./noteboosh.sh 91")
    wait_for(terminal, "go on with module 92")
    wait_for(terminal, "any other key goes on to the next module.")
    assert terminal.expect(["Tally", pexpect.TIMEOUT], timeout=1) == 1, "the end screen stays until a key is pressed"
    terminal.send("n")
    wait_for(terminal, " 0 of 1 exercise")
    wait_for(terminal, "Next: write Tally.add")
    wait_for(terminal, "Watching g2c/toys/counting.py")

    two_modules.replace(COUNTING, ADD, "        self.total += number\n        return self.total")
    wait_for(terminal, "All tests of module 92 pass.")
    wait_for(terminal, "q quits.")

    # What was right and is broken again is noticed too.
    two_modules.replace(DOUBLING, "    return 2 * number", "    return (")
    wait_for(terminal, "g2c/toys/doubling.py, line 3 is not valid Python")
    wait_for(terminal, WATCHING)

    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    assert "Traceback" not in terminal.before
    terminal.close()
    assert terminal.exitstatus == 130


def test_keys_show_a_hint_the_list_and_the_answer_and_q_quits(small_course, watch):
    terminal = watch(small_course)
    wait_for(terminal, WATCHING)
    for key, shown in (
        ("h", "Hint 1 of 3"),
        ("h", "Hint 2 of 3"),
        ("x", "Next: write double"),
        ("l", "halve                to be written"),
        ("\x1b[A", "Next: write double"),
        ("s", "You have seen 2 of its 3 hints."),
        ("n", "Next: write double"),
        ("s", "y shows it."),
        ("y", "Answer key: g2c/solutions/doubling.py"),
        ("x", "Next: write double"),
        ("r", "Running tests/test_doubling.py"),
    ):
        terminal.send(key)
        wait_for(terminal, shown)
    wait_for(terminal, WATCHING)
    terminal.send("q")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


@pytest.mark.whole
def test_a_small_terminal_still_shows_the_report_and_the_keys(small_course, open_terminal):
    small_course.replace(DOUBLING, DOUBLE, "    return [][number]")
    terminal = open_terminal(small_course, "watch")
    assert "r run again" in terminal.wait_for("q quit$")[-1]
    terminal.resize(12, 44)
    lines = terminal.wait_for("s answer")
    assert lines[-1] == "h hint  l list  r run  s answer  q quit"
    assert "Failing: double" in lines
    assert any("IndexError" in line for line in lines)
    assert terminal.rows_scrolled_away == 0


@pytest.mark.whole
def test_a_file_of_a_later_module_is_tested_when_it_is_saved(two_modules, watch):
    terminal = watch(two_modules)
    wait_for(terminal, "Watching g2c/toys/doubling.py")
    wait_for(terminal, WATCHING)
    two_modules.replace(COUNTING, ADD, "        return number")
    wait_for(terminal, "Failing: Tally.add")
    wait_for(terminal, "Watching g2c/toys/counting.py")
    wait_for(terminal, WATCHING)
    two_modules.replace(DOUBLING, DOUBLE, "    return 2 * number")
    wait_for(terminal, "Next: write halve")


@pytest.mark.whole
def test_a_file_saved_while_its_tests_run_is_tested_at_once(small_course, watch):
    small_course.replace(DOUBLING, DOUBLE, "    import time\n    time.sleep(60)")
    terminal = watch(small_course)
    wait_for(terminal, "Running tests/test_doubling.py")
    small_course.replace(DOUBLING, "    import time\n    time.sleep(60)", "    return 2 * number")
    wait_for(terminal, "Running tests/test_doubling.py")
    wait_for(terminal, "Next: write halve")
    assert "double" not in terminal.before


@pytest.mark.whole
def test_an_editor_that_replaces_the_file_is_followed(small_course, watch):
    terminal = watch(small_course)
    wait_for(terminal, WATCHING)
    path = small_course.path(DOUBLING)
    text = path.read_text(encoding="utf-8").replace(DOUBLE, "    return 2 * number")
    path.rename(path.with_suffix(".py~"))
    path.with_suffix(".new").write_text(text, encoding="utf-8")
    os.replace(path.with_suffix(".new"), path)
    wait_for(terminal, "Next: write halve")


@pytest.mark.whole
def test_saving_without_a_change_runs_nothing(small_course, watch):
    terminal = watch(small_course)
    wait_for(terminal, WATCHING)
    path = small_course.path(DOUBLING)
    path.write_bytes(path.read_bytes())
    assert terminal.expect(["Running", pexpect.TIMEOUT], timeout=1) == 1


def test_it_says_when_the_answer_key_is_watched(small_course, watch):
    terminal = watch(small_course, G2C_SOLUTIONS="all")
    wait_for(terminal, "The answer key is in use for module 91")
    wait_for(terminal, "All tests of module 91 pass.")


@pytest.mark.whole
def test_the_first_exercise_of_the_course_leads_to_the_second(clone, watch):
    first, second = modules()["04"].exercises[:2]
    terminal = watch(clone)
    wait_for(terminal, f"Next: write {first.qualified_name}")
    wait_for(terminal, WATCHING)
    write_answers(clone, [first])
    wait_for(terminal, f"Next: write {second.qualified_name}")


def test_ctrl_c_ends_a_command_whose_tests_still_run(small_course, watch):
    small_course.replace(DOUBLING, DOUBLE, "    import time\n    time.sleep(60)")
    terminal = watch(small_course, "status")
    wait_for(terminal, "Running tests/test_doubling.py")
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    assert "Traceback" not in terminal.before
    terminal.close()
    assert terminal.exitstatus == 130


def test_the_answer_stands_beside_the_students_code_where_there_is_room(small_course, watch):
    terminal = watch(small_course, "solution", "double")
    wait_for(terminal, "Show it? [y/N]")
    terminal.sendline("y")
    terminal.expect(r"Yours: g2c/toys/doubling\.py[^\r\n]*Answer key: g2c/solutions/doubling\.py")
    terminal.expect(pexpect.EOF)
