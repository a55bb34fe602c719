"""A student at a terminal of 40 rows and 80 columns, at the end of a module: each screen fits, and says what to do."""

import re

import pytest

from g2c.course.exercises import modules
from support.clones import copy_course, write_answers

ROWS = 40
LAST_LINES = ("r run again   s solution   q quit", "any other key goes on.", "q quits.", "g2c watch")


def assert_fits(terminal) -> None:
    assert len(terminal.lines) <= ROWS and terminal.rows_scrolled_away == 0, "\n".join(terminal.lines)
    assert terminal.lines[-1].endswith(LAST_LINES), "\n".join(terminal.lines)


def test_the_end_screen_stays_until_a_key_is_pressed_and_the_next_module_follows(two_modules, open_terminal):
    two_modules.write("double", "return 2 * number")
    terminal = open_terminal(two_modules, "watch")
    terminal.wait_for(r"Next: write halve(.*\n)*.*q quit$")
    assert_fits(terminal)
    two_modules.write("halve", "if number % 2:\n    raise ValueError(number)\nreturn number // 2")
    terminal.wait_for(r"All tests of module 91 pass\.(.*\n)*.*go on with module 92(.*\n)*.*goes on\.$")
    assert_fits(terminal)
    assert terminal.stays(1)
    terminal.type(" ")
    terminal.wait_for(r"Next: write Tally\.add(.*\n)*.*q quit$")
    assert_fits(terminal)
    terminal.type("q")


@pytest.mark.whole
@pytest.mark.timeout(600)
def test_the_end_screen_of_module_04_names_what_comes_next(course_template, tmp_path, open_terminal):
    clone = copy_course(course_template, tmp_path / "clone", module_ids=["04", "04a"])
    write_answers(clone, modules()["04"].exercises)
    terminal = open_terminal(clone, "watch")
    terminal.wait_for(r"All tests of module 04 pass\.(.*\n)*.*(goes on\.|quits\.)$")
    assert_fits(terminal)
    text = "\n".join(terminal.lines)
    assert re.search(r"128 tests passed in \d+\.\d s", text)
    assert "from ten lines of Hamlet it learned" in text
    order = [text.index(command) for command in ("./noteboosh.sh 04", "g2c train shakespeare", "module 04a")]
    assert order == sorted(order)
    terminal.type("q")
