"""What helps a student on: `g2c hint` and `g2c solution`."""

import re

import pytest

from g2c.common.errors import CourseError
from g2c.course.exercises import all_exercises, find_exercise, modules
from g2c.course.source import find_function
from support.clones import Clone, copy_course

DOUBLING = "g2c/toys/doubling.py"
DOUBLE = '    raise NotImplementedError("TODO: double")'


def hint(clone: Clone, *arguments: str) -> str:
    done = clone.g2c("hint", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hints_in(text: str) -> list[str]:
    """The hints in an output: "1 Double, first hint."."""
    return [" ".join(found) for found in re.findall(r"^Hint (\d) of 3\n(.+)$", text, flags=re.MULTILINE)]


FIRST, SECOND, THIRD = (f"{number} Double, {word} hint." for number, word in enumerate(("first", "second", "third"), 1))


# --- hint -------------------------------------------------------------------------------------------------------------


def test_the_next_hint_comes_after_another_try(small_course):
    text = hint(small_course, "double")
    assert "g2c/toys/doubling.py, line 1" in text
    assert hints_in(text) == [FIRST]
    assert "change your code, save it, and ask again" in text

    text = hint(small_course, "double")
    assert hints_in(text) == [FIRST]
    assert "Your code has not changed since this hint" in text

    small_course.replace(DOUBLING, DOUBLE, "    return number")
    assert hints_in(hint(small_course, "double")) == [FIRST, SECOND]
    assert hints_in(hint(small_course, "double")) == [FIRST, SECOND]

    small_course.replace(DOUBLING, "    return number\n", "    return number + 2\n")
    text = hint(small_course, "double")
    assert hints_in(text) == [FIRST, SECOND, THIRD]
    assert re.search(r"the answer +g2c solution double", text)
    assert hints_in(hint(small_course, "double", "--more")) == [FIRST, SECOND, THIRD]


def test_more_gives_the_next_hint_at_once(small_course):
    assert hints_in(hint(small_course, "double", "--more")) == [FIRST]
    assert hints_in(hint(small_course, "double", "--more")) == [FIRST, SECOND]
    assert hints_in(hint(small_course, "double", "--more")) == [FIRST, SECOND, THIRD]


def test_hints_of_one_exercise_leave_those_of_another_alone(small_course):
    hint(small_course, "double", "--more")
    hint(small_course, "double", "--more")
    assert hints_in(hint(small_course, "halve")) == ["1 Halve, first hint."]


def test_without_a_name_the_hint_is_for_the_next_exercise(small_course):
    assert hints_in(hint(small_course)) == [FIRST]
    small_course.replace(DOUBLING, DOUBLE, "    return 2 * number")
    assert hints_in(hint(small_course)) == ["1 Halve, first hint."]


def test_when_all_passes_there_is_nothing_to_hint_at(small_course):
    done = small_course.g2c("hint", G2C_SOLUTIONS="all")
    assert done.returncode == 1
    assert done.stderr.startswith("g2c: Every exercise passes.")


@pytest.mark.whole
def test_a_name_that_several_modules_have_means_the_current_module(clone_of_two):
    assert clone_of_two.g2c("hint", "encode").stdout.startswith("BPETokenizer.encode  g2c/tokenizer/bpe.py, line ")
    assert "Yours: g2c/tokenizer/bpe.py" in clone_of_two.g2c("solution", "encode", "--yes").stdout


def test_which_module_is_current_is_asked_only_for_a_name_that_several_have():
    assert find_exercise("encode", lambda: "04").qualified_name == "BPETokenizer.encode"
    assert find_exercise("encode", lambda: "04b").qualified_name == "WordBPETokenizer.encode"
    assert find_exercise("train_step", lambda: pytest.fail("was asked")).module_id == "04"
    with pytest.raises(CourseError, match="Several exercises are called 'encode'"):
        find_exercise("encode", lambda: "04c")


@pytest.fixture
def clone_of_two(course_template, tmp_path) -> Clone:
    return copy_course(course_template, tmp_path / "clone", module_ids=["04", "04a"])


def test_an_unknown_exercise_is_refused(small_course):
    done = small_course.g2c("hint", "treble")
    assert done.returncode == 1
    assert done.stderr == "g2c: There is no exercise 'treble'. The exercises are: double, halve.\n"


def test_a_hint_comes_also_for_a_file_with_a_syntax_error_or_no_file(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    return (")
    assert hints_in(hint(small_course, "double")) == [FIRST]
    small_course.path(DOUBLING).unlink()
    assert hints_in(hint(small_course, "double")) == [FIRST, SECOND]


@pytest.mark.parametrize("entry", ["1", '{"shown": 7, "code": ""}', '{"shown": "2"}', '{"code": ""}'])
def test_damaged_memory_begins_with_the_first_hint(entry, small_course):
    small_course.path(".g2c").mkdir()
    small_course.path(".g2c/hints.json").write_text(f'{{"91:double": {entry}}}', encoding="utf-8")
    assert hints_in(hint(small_course, "double")) == [FIRST]


# --- solution ---------------------------------------------------------------------------------------------------------


def test_the_answer_stands_beside_the_students_code(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    return number + 3  # a try")
    done = small_course.g2c("solution", "double", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "Yours: g2c/toys/doubling.py\n"
        "def double(number: int) -> int:\n"
        "    return number + 3  # a try\n"
        "\n"
        "Answer key: g2c/solutions/doubling.py\n"
        "def double(number):\n"
        "    # Twice is the number and once more the number.\n"
        "    return number + number\n"
        "\n"
    )


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "nonsense\n"])
def test_without_a_yes_nothing_is_shown(answer, small_course):
    done = small_course.g2c("solution", "double", stdin=answer)
    assert done.returncode == 0
    assert "You have seen 0 of its 3 hints." in done.stdout
    assert "Nothing shown." in done.stdout
    assert "number + number" not in done.stdout


def test_with_a_yes_it_is_shown(small_course):
    hint(small_course, "double")
    done = small_course.g2c("solution", "double", stdin="y\n")
    assert "You have seen 1 of its 3 hints." in done.stdout
    assert "return number + number" in done.stdout


def test_the_answer_is_shown_although_the_students_file_is_not_python(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    return (")
    text = small_course.g2c("solution", "double", "--yes").stdout
    assert "# g2c/toys/doubling.py, line 3 is not valid Python: '(' was never closed." in text
    assert "return number + number" in text


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda exercise: exercise.qualified_name)
def test_the_code_of_every_exercise_is_found_in_its_file_and_in_the_key(exercise):
    module = modules()[exercise.module_id]
    todo = find_function(module.exercise_file, exercise)
    assert todo.first_todo is not None
    assert todo.code.endswith(f'raise NotImplementedError("TODO: {exercise.name}")')
    assert '"""' not in todo.code
    answer = find_function(module.key_file, exercise)
    assert answer.first_todo is None
    assert answer.code.lstrip().startswith(f"def {exercise.name}(")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"def encode(:", "line 1 is not valid Python"),
        (b"def encode():\n    return '\xff'", "cannot be read"),
        (b"\0", "is not valid Python"),
        (b"def encode(): pass", "has no function BPETokenizer.encode; it must keep this name"),
        (b"class BPETokenizer:\n    encode = None", "has no function BPETokenizer.encode"),
    ],
)
def test_a_file_in_which_an_exercise_cannot_be_found_says_why(content, message, tmp_path):
    (tmp_path / "bpe.py").write_bytes(content)
    exercise = find_exercise("BPETokenizer.encode")
    with pytest.raises(CourseError) as raised:
        find_function(tmp_path / "bpe.py", exercise)
    assert message in str(raised.value)


def test_a_todo_is_one_also_when_code_stands_before_it(tmp_path):
    exercise = find_exercise("BPETokenizer.encode")
    (tmp_path / "bpe.py").write_text(
        "class BPETokenizer:\n    def encode(self, text):\n        ids = []\n"
        "        if text:\n            raise NotImplementedError('TODO: encode')\n        return ids\n"
    )
    assert find_function(tmp_path / "bpe.py", exercise).first_todo == 5
