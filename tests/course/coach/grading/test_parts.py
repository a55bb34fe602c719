"""The parts of grading: values in messages, points, records, notes, and refusals of the command."""

import ast
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.common.errors import CourseError
from coach.exercises import modules
from coach.grading import marks, session, values
from coach.grading.autograder import results
from coach.grading.boundary import NOT_STARTED
from coach.grading.command import modules_of_most
from coach.grading.folders import copy_visible, importable_packages
from coach.grading.marks import Grade, Scheme
from coach.grading.points import constant_files, counted_tests, listed_tests, write_list
from coach.grading.records import Run
from coach.grading.reports import report
from coach.grading.session import Session, libraries_in
from coach.grading.submissions import Submission
from coach.grading.values import OpaqueValue, make_error, pack, unpack
from coach.testing.comparison import kind_name
from g2c import commands
from support.scarce import within

constant = st.none() | st.booleans() | st.integers() | st.integers(2**63, 2**9999) | st.text() | st.binary()
constant |= st.floats(allow_nan=False) | st.just("\ud800")
plain_values = st.recursive(
    constant | st.frozensets(constant) | st.sets(constant) | st.builds(Counter, st.lists(constant)),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.tuples(constant, constant) | constant, inner)
    ),
    max_leaves=20,
)


def sent(value):
    """A value after its way to the test runner."""
    return unpack(pack(value))


# --- values -----------------------------------------------------------------------------------------------------------


def typed(value):
    """A value with the types of its parts: True equals 1."""
    if isinstance(value, dict):
        return type(value), [(typed(key), typed(each)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [*map(typed, value)]
    return type(value), {*map(typed, value)} if isinstance(value, set | frozenset) else value


@given(value=plain_values)
def test_builtin_values_arrive_as_they_are(value):
    assert typed(sent(value)) == typed(value)


@pytest.mark.parametrize("array", [np.arange(6).reshape(2, 3), np.zeros((0, 4), dtype=np.int64), np.array([True])])
def test_arrays_keep_shape_and_type(array):
    assert np.array_equal(sent(array), array)
    assert sent(array).dtype == array.dtype and sent(array).shape == array.shape
    assert sent(np.int64(5)) == 5 and isinstance(sent(np.int64(5)), np.integer)


def equal_to_everything(kind):
    """A class whose objects equal everything."""
    return type("Sly", (kind,), {"__eq__": lambda self, other: True, "__hash__": lambda self: 1})


@pytest.mark.parametrize("value", [[1, 2, 3], (1,), {1}, "a", b"a", 5, 2**70, 0.5, {1: 2}, Counter("a")])
def test_a_subclass_arrives_as_its_plain_content(value):
    arrived = sent(equal_to_everything(type(value))(value))
    assert type(arrived) in (type(value), dict) and arrived == value and arrived != [0]


def test_what_cannot_travel_equals_nothing_and_says_what_it_was():
    silent = equal_to_everything(object)()
    assert repr(sent(iter([]))).startswith("<list_iterator") and type(sent(iter([]))).__name__ == "list_iterator"
    assert sent(silent) != 1 and "Sly object" in repr(sent(silent))
    found = sent(letter for letter in "ab")
    assert kind_name(found) == "an iterator" and kind_name(sent(object())) == "an object of class object"
    with pytest.raises(TypeError, match="only by the code that made it"):
        list(found)


def test_no_name_in_an_answer_is_looked_up(monkeypatch):
    import msgpack

    monkeypatch.setattr("builtins.__import__", None)
    for name in ("g2c.tokenizer.bpe.BPETokenizer", "BPETokenizer", "os.stat_result", "exec"):
        content = msgpack.packb([name, {"a": 1}, b""])
        found = unpack(msgpack.packb(msgpack.ExtType(values.OBJECT, content)), {"Known": Fraction})
        assert isinstance(found, OpaqueValue) and repr(found) == f"<{name} object>"
        assert kind_name(found) == f"an object of class {name.replace('.', '_')}"
    error = make_error("system", "SystemExit", "text")
    assert type(error).__mro__[1:] == Exception.__mro__ and str(error) == "text"


def test_an_error_of_python_s_or_of_given_code_is_of_that_class():
    given = type("NoMoney", (Exception,), {"__init__": lambda self, owner, amount: None})
    assert isinstance(make_error("NoMoney", "Exception", "too little", {"NoMoney": given}), given)
    assert type(make_error("IndexError", "IndexError", "empty")) is IndexError


# --- points -----------------------------------------------------------------------------------------------------------


def collected(group, name, file="tests/test_tokenizer.py", core=False, **points):
    return {"collected": f"{file}::{group}::{name}", "core": core, **points}


def outcome(group, name, how="passed", file="tests/test_tokenizer.py", message="why"):
    return {"test": f"{file}::{group}::{name}", "outcome": how, "report": {"message": message}}


HIDDEN = "hidden/test_more.py"
TESTS = [
    ("TestMerge", "given"),
    ("TestMerge", "one"),
    ("TestMerge", "two"),
    ("TestTrainStep", "one"),
    ("TestTrain", "one"),
]
UNTOUCHED = [
    *(collected(*test) for test in TESTS),
    collected("TestMore", "a", HIDDEN, points=5, shared_by=f"{HIDDEN}::TestMore"),
    collected("TestMore", "b", HIDDEN, points=5, shared_by=f"{HIDDEN}::TestMore"),
    collected("TestMore", "c", HIDDEN),
    *(outcome(*test, "passed" if test[1] == "given" else "failed") for test in TESTS),
    *(outcome("TestMore", name, "failed", HIDDEN) for name in "abc"),
    {"finished": True},
]


def scheme_of(untouched, *constants) -> Scheme:
    return Scheme(counted_tests(Run.of(untouched), constants), [marks.modules()["04"]])


@given(st.dictionaries(st.sampled_from(TESTS), st.lists(st.sampled_from(["passed", "failed", "skipped"]), min_size=1)))
def test_the_tests_of_a_group_share_its_points_and_without_a_result_they_have_failed(found):
    """A test that passed has failed all the same if it failed once more, such as when it was torn down."""
    records = [outcome(*test, how) for test, results in found.items() for how in results]
    forged = [outcome("TestMerge", "forged", "passed"), outcome("TestForged", "x", "passed")]
    passed = {test for test, how in found.items() if set(how) == {"passed"}}
    got = {mark.group.name: mark.points for mark in scheme_of(UNTOUCHED).mark(Run.of(records + forged))}
    counted = 2 if ("TestMerge", "given") in passed else 3  # A free test that fails is one test more.
    assert got["TestMerge"] == Fraction(20, counted) * len(passed & {("TestMerge", "one"), ("TestMerge", "two")})
    assert got["TestTrainStep"] == 10 * (("TestTrainStep", "one") in passed)
    assert got["TestTrain"] == 10 * (("TestTrain", "one") in passed)


def test_a_group_that_cannot_be_run_leaves_its_points_to_the_others():
    without = [record for record in UNTOUCHED if "TestTrain::" not in str(record)]
    groups = {group.name: group.points for group in scheme_of(without).groups}
    assert groups["TestTrainStep"] == 20 and "TestTrain" not in groups


def test_hidden_tests_have_the_points_of_their_mark_or_one():
    marks = scheme_of(UNTOUCHED).mark(Run.of(outcome("TestMore", name, file=HIDDEN) for name in "ac"))
    got = {mark.group.shown: mark.points for mark in marks if mark.group.module_id == "hidden"}
    assert got == {"test_more.py: TestMore": Fraction(5, 2), "test_more.py: TestMore::c": 1}


def scheme_with(*tests, core=(), constants=()) -> Scheme:
    """A scheme of tests that all fail on the untouched files; `constants` pass for a constant."""
    records = [collected(*test, core=test in core) for test in tests]
    records += [outcome(*test, "failed") for test in tests]
    return scheme_of([*records, {"finished": True}], Run.of(outcome(*test) for test in constants))


A, B, C, A1, A2, RUST = [*(("TestMerge", name) for name in ("a", "b", "c", "a[1]", "a[2]")), ("TestRust", "a")]
OF_KEY = "Your encode made further tests fail; these points are with the key's encode."
# The report does not say which of several made tests fail, because they were not tried one by one.
OF_KEYS = "At least one of your _merge and encode made further tests fail; these points are with the key's {}."


POINTS = {
    "a constant": ([A, B], {"constants": [A]}, [A], {}, 0, ""),
    "no constant": ([A, B], {"constants": [A]}, [B], {}, 10, ""),
    "core": ([A, B], {"core": [A]}, [A], {}, 10, ""),
    "no core": ([A, B, C], {"core": [A]}, [B, C], {}, 10, "At most half of the points without a."),
    "no core and little else": ([A, B], {"core": [A]}, [B], {}, 10, ""),
    "cases": ([A1, A2, B], {}, [A1, B], {}, 15, ""),
    "with the key": ([A, B], {}, [], {("encode",): [A]}, 10, OF_KEY),
    "with the key of two": ([A], {}, [], {("_merge", "encode"): [A]}, 20, OF_KEYS.format("_merge and encode")),
    "no better with it": ([A, B], {}, [A], {("encode",): [B]}, 10, ""),
    "all together": ([RUST], {}, [], {("encode",): [RUST]}, 0, ""),
}


@pytest.mark.parametrize(
    ("tests", "marked", "passes", "passes_with_key", "points", "remark"), POINTS.values(), ids=POINTS
)
def test_the_points_of_a_group(tests, marked, passes, passes_with_key, points, remark):
    """A message of a run with the key could say what the student's code has found of it, for the next submission."""
    graded = Run.of(outcome(*test, "passed" if test in passes else "failed", message="own") for test in tests)
    for names, passed in passes_with_key.items():
        again = [outcome(*test, "passed" if test in passed else "failed", message="the key") for test in tests]
        graded.again.append((names, Run.of(again).tests))
    [mark] = scheme_with(*tests, **marked).mark(graded)
    assert (mark.points, mark.remark) == (points, remark)
    assert {record.report.message for _, record in mark.failures} <= {"own"}


def test_what_is_forgiven_costs_five_points_each_and_nobody_has_less_than_none():
    [mark] = scheme_with(A).mark(Run.of([outcome(*A)]))
    grade, empty = Grade("Ada", [mark]), Grade("Bob", [])
    for each in (grade, empty):
        each.forgive("BPE.py was graded as bpe.py.")
        each.forgive("BPE.py is not in UTF-8.")
    assert (grade.score, empty.score) == (10, 0)
    assert "**10 of 20 points**" in report(grade) and "| | forgiven | -10 | |" in report(grade)
    assert "5 points off: BPE.py is not in UTF-8." in report(grade)
    assert sum(test["score"] for test in results(grade)["tests"]) == results(grade)["score"] == 10


FREE = ("TestMerge", "free"), ("TestEncode", "free")
RUST_B = ("TestRust", "b")


@pytest.mark.parametrize(
    ("missed", "points"), [(A, [0, 15]), (RUST, [20, Fraction(15, 2)]), (FREE[0], [10, 15]), (FREE[1], [20, 10])]
)
def test_all_together_earns_by_share_and_a_test_that_needs_no_work_costs_points_of_its_exercise_if_it_fails(
    missed, points
):
    """Such as one on an argument that has changed."""
    tests = [A, *FREE, RUST, RUST_B]
    marks = scheme_with(*tests, constants=FREE).mark(
        Run.of(outcome(*test, "failed" if test == missed else "passed") for test in tests)
    )
    assert [mark.points for mark in marks] == points
    assert [node.split("::", 1)[1] for mark in marks for node, _ in mark.failures] == ["::".join(missed)]
    said = "free can pass without work and earns nothing. Because it fails, it counts as one more test."
    assert (said in report(Grade("Ada", marks))) == (missed in FREE)


MISTAKES = {
    "one and another failure": (["x", "x", "x", ""], 2, 10),
    "two": (["x", "x", "y", ""], 2, Fraction(20, 3)),
    "none": ([""] * 4, 2, Fraction(20, 3)),
    "a test passes": (["x"] * 4, 1, 10),
    "a test passes, and another failure": (["x", "x", "x", ""], 1, 4),
    "no test passes": (["x"] * 4, 0, 0),
    "little is missed": (["x"], 2, Fraction(40, 3)),
}


@pytest.mark.parametrize(("mistakes", "passing", "points"), MISTAKES.values(), ids=MISTAKES)
def test_one_mistake_costs_at_most_half_of_its_group_if_something_works(mistakes, passing, points):
    tests = [("TestMerge", f"t{number}") for number in range(len(mistakes) + passing)]
    records = [outcome(*test, "failed") for test in tests[: len(mistakes)]]
    for record, name in zip(records, mistakes):
        record["report"]["mistake"] = {"name": name, "why": "", "pitfall": None}
    records += [outcome(*test) for test in tests[len(mistakes) :]]
    [mark] = scheme_with(*tests).mark(Run.of(records))
    remark = "Half of the points, because one mistake explains nearly all failures."
    assert (mark.points, mark.remark) == (points, remark if points == 10 else "")


def test_with_the_answer_key_all_together_earns_the_share_that_the_exercises_earned():
    tests = [A, B, RUST, RUST_B]
    graded = Run.of(outcome(*test, "passed" if test == A else "failed") for test in tests)
    graded.again = [(("_merge",), Run.of(outcome(*test) for test in tests[2:]).tests)]
    merge, together = scheme_with(*tests).mark(graded)
    assert (merge.points, together.points) == (10, Fraction(15, 2))
    assert together.remark.endswith("with the key's _merge, in proportion to those of the exercises.")


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (UNTOUCHED[:-1], "did not finish on the untouched"),
        ([{"not loaded": {"test": "x", "outcome": "failed"}}, {"finished": True}], "x cannot be run"),
    ],
)
def test_without_a_whole_run_on_the_untouched_files_there_are_no_marks(found, sentence):
    with pytest.raises(CourseError, match=sentence):
        scheme_of(found)


def test_constants_take_the_place_of_every_function_that_students_write():
    ones, empty = constant_files(["04"])
    for content, expected in ((ones["bpe"], ["1"] * 5), (empty["bpe"], ["{}", "[]", "None", "[]", "''"])):
        returned = [node for node in ast.walk(ast.parse(content)) if isinstance(node, ast.Return)]
        assert [ast.unparse(node.value) for node in returned] == expected


@pytest.mark.parametrize("module", modules().values(), ids=modules())
def test_the_list_of_points_is_that_of_the_suites_and_15_are_for_all_together(module):
    assert len(listed_tests(module)) > 10
    assert module.together_points >= 15


def test_a_group_whose_points_nobody_could_earn_is_named(tmp_path, monkeypatch):
    tests = [replace(test, free=test.free or "::TestMerge::" in test.node) for test in listed_tests(modules()["04"])]
    monkeypatch.setattr("coach.grading.points.POINTS", tmp_path / "points.json")
    with pytest.raises(CourseError, match="04, test group TestMerge: each of its tests passes without"):
        write_list([modules()["04"]], tests)


def test_a_suite_that_has_changed_needs_a_new_list(tmp_path):
    (tmp_path / "suite.py").write_text("", encoding="utf-8")
    with pytest.raises(CourseError, match="python -m coach.grading.session 04"):
        listed_tests(replace(modules()["04"], suite_file=tmp_path / "suite.py"))


# --- code worth a look ------------------------------------------------------------------------------------------------


def test_libraries_that_do_an_exercise_are_named_where_code_imports_them():
    code = b"import os, tokenizers\nfrom tiktoken import get_encoding\nimport_module('transformers')"
    assert libraries_in(code) == ["tiktoken", "tokenizers", "transformers"]
    assert libraries_in(b"# other tokenizers, from GPT-2 on\nmy_tokenizers = 1") == []
    with within(10):
        assert libraries_in(b"import " * 100_000) == []
    for module in modules().values():
        assert libraries_in(module.exercise_file.read_bytes()) == [], module.id


# --- what the command refuses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name what to grade"),
        (["nowhere"], "nowhere does not exist"),
        (["."], "No exercise file that a student has worked on was found"),
        ([".", "--hidden", "nowhere"], "not a folder"),
        ([".", "--seconds", "0"], "--seconds"),
        ([".", "--jobs", "0"], "--jobs"),
        (["bpe.py", "--notebooks"], "No notebook was found"),
        (["bpe.py", "--module", "04", "--hidden", "empty"], "contains no tests"),
        (["bpe.py", "--output", "bpe.py"], "is a file"),
        (["bpe.py", "--modules", "04, 99"], "There is no module '99'"),
        (["bpe.py", "--modules", "04,", "04a"], "--modules 04, ends with a comma. Write module IDs without spaces"),
        (["bpe.py", "--module", "04", "--hidden", "broken"], "test_mine.py"),
    ],
)
def test_what_cannot_be_graded_is_one_sentence(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if arguments and arguments[0] == "bpe.py":
        for name in ("bpe.py", "empty/notes.txt", "broken/test_mine.py"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("def test_it(:\n" if "mine" in name else "", encoding="utf-8")
    assert commands.main(["grade", *arguments]) == 1
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.err.startswith("g2c: ")
    assert not (tmp_path / "grades").exists()


def test_the_given_table_that_answers_an_exercise_is_not_there_when_a_submission_is_graded():
    """`g2c.formats.hf_format` has the table of `byte_characters`."""
    assert not [package for package in importable_packages() if "g2c.formats".startswith(package)]


def test_what_is_copied_from_a_read_only_clone_can_be_written(tmp_path):
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "bpe.py").touch()
    for path in (tmp_path / "clone" / "bpe.py", tmp_path / "clone"):
        path.chmod(0o555)
    copy_visible(tmp_path / "clone", tmp_path / "copy")
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "copy", tmp_path / "copy" / "bpe.py")} == {0o755}


def test_an_error_of_the_grader_costs_nobody_else_a_mark_and_is_told(monkeypatch):
    def fail(*_):
        raise KeyError("odd")

    graded = Session(["04"])
    graded.wall = SimpleNamespace(sentence="A wall.")
    for place, name in ((graded, "run"), (session, "_add_mistakes")):
        monkeypatch.setattr(graded, "run", lambda files: Run(finished=True))
        monkeypatch.setattr(place, name, fail)
        grade = graded.grade(Submission("Ada", {"bpe": b"x"}))
        assert not grade.is_graded and grade.wall == "A wall."
        assert grade.notes == ["Not graded, because of this machine: KeyError: 'odd'. Grade it again."]


def test_what_the_machine_keeps_from_being_graded_has_no_number(tmp_path, monkeypatch, capsys):
    """As if the examiner could not start a process for the code."""
    monkeypatch.setattr(session, "EXAMINER", ("-c", f"import os; os.write(1, bytes([{NOT_STARTED}])); input()"))
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "bpe.py").write_text("x = 1", encoding="utf-8")
    assert commands.main(["grade", str(tmp_path / "bob"), "--trust", "--output", str(tmp_path)]) == 1
    assert "Not graded, because of this machine: bob." in capsys.readouterr().out
    assert "\nbob,,,,,,,,,,Not graded, because" in (tmp_path / "grades.csv").read_text(encoding="utf-8").replace(
        '"', ""
    )
    text = (tmp_path / "students" / "bob" / "report.md").read_text(encoding="utf-8")
    assert "**Not graded**" in text and "could not be started" in text and "points" not in text
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert ">not graded<" in page and "0 points, please look" not in page


def test_no_examiner_is_started_after_the_deadline(monkeypatch):
    monkeypatch.setattr(Session, "_new_examiner", lambda self: pytest.fail("an examiner was started"))
    with Session(["04"], seconds=0, trust=True) as graded:
        assert graded.run({"bpe": b"x"}) == Run()


# --- which modules are graded -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("handed_in", "graded"),
    [
        ([["bpe"]] * 5 + [["bpe", "char_word", "batching"], []], ["04"]),
        ([["bpe"], ["char_word"]], ["04", "04a"]),
        ([["bpe"], ["char_word"], ["char_word"], ["batching"]], ["04a"]),
        ([["bpe", "char_word"]] * 2 + [["04-tokenizer.ipynb"]] * 9, ["04", "04a"]),
        ([[]], []),
    ],
)
def test_the_modules_are_those_that_most_handed_in(handed_in, graded):
    """One student with files of every module does not change what the others are graded for."""
    class_ = [Submission(str(number), dict.fromkeys(files, b"x")) for number, files in enumerate(handed_in)]
    assert modules_of_most(class_) == graded
