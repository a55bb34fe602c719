"""The modules of the course lack nothing, and `g2c dev check` finds what a module lacks."""

import pytest

from g2c.course.dev_check import lacks
from g2c.course.exercises import modules
from support.clones import copy_whole_course


def test_the_modules_of_the_course_lack_nothing():
    assert [sentence for module in modules().values() for sentence in lacks(module)] == []


@pytest.fixture
def course(course_template, tmp_path):
    """A copy of the whole course, that the test may change."""
    return copy_whole_course(course_template, tmp_path / "course")


def test_it_names_everything_that_is_missing(course):
    """One change for each sentence: no rule of the check is there in vain."""
    listed, exercise, key = "g2c/course/exercises.toml", "g2c/tokenizer/char_word.py", "g2c/solutions/char_word.py"
    suite, handout = "tests/test_char_word.py", "docs/04a-characters-and-words.md"
    exercises, solutions = (f"notebooks/{folder}04a-characters-and-words.ipynb" for folder in ("", "solutions/"))

    course.replace(exercise, 'raise NotImplementedError("TODO: build_vocab")', "return None")
    course.replace(exercise, 'raise NotImplementedError("TODO: _split")', 'raise NotImplementedError("TODO: split")')
    text = course.path(exercise).read_text(encoding="utf-8")
    more = '\n\ndef unlisted() -> None:\n    raise NotImplementedError("TODO: unlisted")\n'
    course.path(exercise).write_text(text + more, encoding="utf-8")
    course.replace(key, "def _split(self", "def split(self")
    course.replace(suite, "class TestJoin:", "class TestJoined:")
    course.replace(suite, 'pytest.mark.student("04a")', 'pytest.mark.student("04")')
    course.replace(listed, 'groups = ["TestJoin"]\npoints = 5', 'groups = ["TestJoin"]\npoints = 6')
    course.replace(handout, '<a id="pitfall-join"></a>\n', "")
    course.replace("README.md", "| 04a [Characters", "| 4a [Characters")
    says = 'why="None.", pitfall="nowhere", group="TestEncoding"'
    wrong = f'@mistake("none", {says})\ndef new(self):\n    """A thought."""\n'
    path = course.path("mistakes/04a/encode.py")
    path.write_text(f"{path.read_text(encoding='utf-8')}\n\n{wrong}", encoding="utf-8")
    course.path("mistakes/04a/join.py").unlink()
    for path, old, new in [
        (exercises, "**Predict**", "**Guess**"),
        (solutions, '"execution_count": 2', '"execution_count": 9'),
    ]:
        text = course.path(path).read_text(encoding="utf-8")
        assert old in text
        course.path(path).write_text(text.replace(old, new), encoding="utf-8")

    done = course.g2c("dev", "check", "04a")
    assert done.returncode == 1, done.stderr
    for sentence in [
        f'{exercise}: CharTokenizer.build_vocab does not end in raise NotImplementedError("TODO: build_vocab").',
        f'{exercise}: WordTokenizer._split does not end in raise NotImplementedError("TODO: _split").',
        f"exercises.toml does not list unlisted, which has a TODO in {exercise}.",
        f"{key} does not define WordTokenizer._split.",
        f"{key} defines WordTokenizer.split, which is not an exercise.",
        f"{suite} has no class TestJoin, which exercises.toml lists as a test group.",
        f"exercises.toml does not list the class TestJoined of {suite} as a test group.",
        f'{suite} has no line pytestmark = pytest.mark.student("04a").',
        "exercises.toml: module 04a has 101 points in all; it must have 100.",
        "README.md has no row in its table of modules that begins with | 04a [Characters and words]",
        f"{handout} has no pitfall join, to which the suite or the mistake bank points",
        f"{handout} has no pitfall nowhere, to which the suite or the mistake bank points",
        "mistakes/04a/encode.py, new: module 04a has no test group TestEncoding.",
        "mistakes/04a/ has no wrong solution for WordTokenizer._join.",
        f"{exercises} is not what the solution generates; run python -m g2c.course.notebooks 04a",
        f"{solutions} was not run from top to bottom; run python -m g2c.course.notebooks --execute 04a",
    ]:
        assert sentence in done.stdout

    # A missing file is one line, whatever rules need it.
    course.path("tests/test_batching.py").unlink()
    course.path("notebooks/solutions/04c-batches.ipynb").unlink()
    done = course.g2c("dev", "check", "04c")
    assert "04c: tests/test_batching.py does not exist.\n" in done.stdout
    assert "04c: There is no notebook 04c-batches.ipynb in notebooks/solutions.\n" in done.stdout
    assert len(done.stdout.splitlines()) <= 4

    done = course.g2c("dev", "check", "04c", "06")
    assert done.returncode == 1
    assert done.stderr == f"g2c: exercises.toml has no module '06'; it lists {', '.join(modules())}.\n"
