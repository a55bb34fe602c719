"""`g2c watch`, in a real terminal: from the first failing test to the next when the file is fixed."""

import os
import re

import pytest

WATCHING = r"(.*\n)*.*q quit$"


def test_every_save_is_tested_in_whichever_module_it_is(two_modules, open_terminal):
    terminal = open_terminal(two_modules, "watch")
    terminal.wait_for(rf"next: write double{WATCHING}")
    two_modules.write("double", "return number + 3")
    terminal.wait_for(
        r"TestDouble +1 of +2(.*\n)*FAILED .*test_four\n(.*\n)*.*double\(4\) is 8: 4 \+ 4"
        r"(.*\n)*Watching small/toys/doubling\.py: save it to test it\.\n.*q quit$"
    )
    two_modules.write("add", "return number")
    terminal.wait_for(rf"next: fix add(.*\n)*.*Watching small/toys/counting\.py{WATCHING}")

    # An editor that replaces the file.
    path = two_modules.path("small/toys/doubling.py")
    text = path.read_text(encoding="utf-8").replace("    return number + 3", "    return 2 * number")
    path.rename(path.with_suffix(".py~"))
    path.with_suffix(".new").write_text(text, encoding="utf-8")
    os.replace(path.with_suffix(".new"), path)
    terminal.wait_for(rf"✓ double now passes\.\nWhat double teaches\.(.*\n)*next: write halve{WATCHING}")

    # A save that breaks what was right is noticed.
    two_modules.write("double", "return (")
    terminal.wait_for(rf"small/toys/doubling\.py, line 3 is not valid Python{WATCHING}")
    # A save while the tests run ends that run.
    two_modules.write("double", "import time\ntime.sleep(1000)")
    terminal.wait_for(r"TestGiven +1 of +1\n +TestDouble$")
    two_modules.write("double", "return 2 * number")
    terminal.wait_for(rf"next: write halve{WATCHING}")


def test_keys_show_a_hint_the_list_and_the_answer_and_q_quits(small_course, open_terminal):
    terminal = open_terminal(small_course, "watch")
    terminal.wait_for("q quit$")
    for key, shown in (
        ("h", r"Hint 1 of 3(.*\n)*Ask again for the next hint\."),
        ("h", r"Hint 2 of 3(.*\n)*Ask again for the next hint\."),
        ("l", "halve                not started"),
        ("s", r"You have seen 2 of its 3 hints\.\n\ny shows it"),
        ("n", r"goes back\.\n\nh hint"),
        ("s", r"goes back\.\n(.*\n)*y shows it"),
        ("y", "Answer key: small/solutions/doubling.py"),
        ("r", "next: write double"),
    ):
        terminal.type(key)
        terminal.wait_for(rf"{shown}(.*\n)*.*(q quit|goes back\.)$")
    terminal.type("q")
    assert terminal.exit_code() == 0


def test_a_small_terminal_still_shows_the_report_and_the_keys(small_course, open_terminal):
    small_course.write("double", "return [][number]")
    terminal = open_terminal(small_course, "watch", rows=14, columns=60)
    lines = terminal.wait_for(r"^.{,60}q quit$")
    assert any("IndexError" in line for line in lines), lines
    assert any(line.startswith(">") and "[][number]" in line for line in lines), "the line of the error"


@pytest.mark.whole
def test_the_screen_of_a_complete_module_stays_until_a_key_is_pressed_and_the_next_module_follows(
    two_modules, open_terminal
):
    two_modules.write("double", "return 2 * number")
    terminal = open_terminal(two_modules, "watch")
    terminal.wait_for(r"next: write halve(.*\n)*.*q quit$")
    two_modules.write("halve", "if number % 2:\n    raise ValueError(number)\nreturn number // 2")
    terminal.wait_for(r"All tests of module 91 pass\.(.*\n)*.*go on with module 92(.*\n)*.*goes on\.$")
    assert terminal.stays(1)
    terminal.type(" ")
    terminal.wait_for(r"next: write add(.*\n)*.*q quit$")
    assert terminal.rows_scrolled_away == 0
    terminal.type("q")


def test_without_a_terminal_it_names_the_command_that_needs_none(small_course):
    done = small_course.g2c("watch")
    assert done.returncode == 1 and done.stderr.startswith("small: `small watch` needs a terminal. `small` tests once")


@pytest.mark.parametrize("arguments", [["watch"], []], ids=["g2c watch", "g2c"])
def test_ctrl_c_ends_a_command_whose_tests_still_run(arguments, small_course, open_terminal):
    small_course.write("double", "import time\ntime.sleep(1000)")
    terminal = open_terminal(small_course, *arguments)
    terminal.wait_for(r"TestGiven +1 of +1\n +TestDouble$")
    terminal.type("\x03")
    assert terminal.exit_code() == 130
    assert not re.search("Traceback", "\n".join(terminal.lines))
