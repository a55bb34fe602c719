"""What helps a student on: `g2c hint` and `g2c solution`."""

import re

from g2c.formats.artifact import save_artifact
from g2c.tokenizer.base import BPEBase
from support.clones import Clone, copy_course


def hint(clone: Clone, *arguments: str) -> str:
    done = clone.g2c("hint", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hints_in(text: str) -> list[str]:
    """The hints in an output: "1 Double, first hint."."""
    return [" ".join(found) for found in re.findall(r"^Hint (\d) of 3\n(.+)$", text, flags=re.MULTILINE)]


HINTS = ["1 Double, first hint.", "2 Double, second hint.", "3 Double, third hint."]


def test_each_call_shows_one_hint_more(small_course):
    text = hint(small_course, "double")
    assert "small/toys/doubling.py, line 1" in text and "Ask again for the next hint." in text
    assert hints_in(text) == HINTS[:1]
    assert hints_in(hint(small_course)) == HINTS[:2], "without a name, of the next exercise"

    # A hint comes also for a file that is not Python, or is not there.
    small_course.write("double", "return (")
    done = small_course.g2c("hint")
    assert done.returncode == 1 and "doubling.py, line 3 is not valid Python" in done.stderr, done.stderr
    small_course.path("small/toys/doubling.py").unlink()
    for _ in range(2):
        text = hint(small_course, "double")
        assert hints_in(text) == HINTS
        assert re.search(r"the answer +small solution double", text)
    assert hints_in(hint(small_course, "halve")) == ["1 Halve, first hint."]


def test_without_a_failing_exercise_and_for_an_unknown_one_a_sentence_says_so(small_course):
    for arguments, key, said in (
        (["hint"], "all", "Every exercise passes. To see the hints of one, name it: small hint halve."),
        (["hint", "treble"], "", "There is no exercise 'treble'. The exercises are: double, halve."),
    ):
        done = small_course.g2c(*arguments, G2C_SOLUTIONS=key)
        assert (done.returncode, done.stderr) == (1, f"small: {said}\n")


def test_the_answer_is_shown_after_a_yes_alone(small_course):
    done = small_course.g2c("solution", "double", stdin="\n")
    assert done.returncode == 0 and "You have seen 0 of its 3 hints." in done.stdout
    assert "Nothing shown." in done.stdout and "number + number" not in done.stdout
    answer = (
        "Answer key: small/solutions/doubling.py\n"
        "def double(number):\n"
        "    # Twice is the number and once more the number.\n"
        "    return number + number\n"
    )
    assert small_course.g2c("solution", "double", stdin="y\n").stdout.endswith(answer)


def test_a_name_of_several_modules_means_the_one_in_work_and_a_slip_gets_the_nearest(course_template, tmp_path):
    clone = copy_course(course_template, tmp_path / "clone", module_ids=["04", "04a"])
    assert hint(clone, "encode").startswith("BPETokenizer.encode  g2c/tokenizer/bpe.py, line")
    assert "There is no exercise 'encod'. Did you mean encode? The" in clone.g2c("hint", "encod").stderr
    save_artifact(BPEBase(), clone.path("artifacts/tokenizers/Mine"), [72])
    shown = clone.g2c("show", "Mien", "Hi").stderr
    assert "There is no artifact" in shown and shown.endswith(" Did you mean Mine? Saved there: Mine.\n")
