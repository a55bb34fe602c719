"""The list of exercises says the truth about the exercise files, the answer key and the suites."""

import ast
import dataclasses
import re

import pytest

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course import exercises
from g2c.course.exercises import all_exercises, find_exercise, modules, parse

MODULES = list(modules().values())
EXERCISES = all_exercises()
by_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.id)
by_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.qualified_name)


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Qualified name -> function, for the functions and methods of a file."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    found[f"{node.name}.{member.name}"] = member
    return found


def is_todo(node: ast.AST) -> bool:
    """Whether `node` is raise NotImplementedError("TODO: ...")."""
    if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
        return False
    call = node.exc
    return (
        isinstance(call.func, ast.Name)
        and call.func.id == "NotImplementedError"
        and len(call.args) == 1
        and isinstance(call.args[0], ast.Constant)
        and str(call.args[0].value).startswith("TODO: ")
    )


def todo_functions(text: str) -> list[str]:
    """Qualified names of the functions whose body ends in a TODO, from top to bottom."""
    return [name for name, function in functions(ast.parse(text)).items() if is_todo(function.body[-1])]


def test_every_todo_of_the_package_is_listed_in_the_order_of_its_file():
    todos = {}
    packages = sorted({module.exercise_file.parent for module in MODULES})
    for path in (path for package in packages for path in sorted(package.glob("*.py"))):
        text = path.read_text(encoding="utf-8")
        names = todo_functions(text)
        assert sum(map(is_todo, ast.walk(ast.parse(text)))) == len(names), f"a TODO in {path.name} ends no function"
        if names:
            todos[path.stem] = names
    listed = {module.file: [exercise.qualified_name for exercise in module.exercises] for module in MODULES}
    assert todos == listed


@by_exercise
def test_a_todo_names_its_exercise(exercise):
    module = modules()[exercise.module_id]
    function = functions(ast.parse(module.exercise_file.read_text(encoding="utf-8")))[exercise.qualified_name]
    assert function.body[-1].exc.args[0].value == f"TODO: {exercise.name}"


@by_module
def test_the_files_of_a_module_exist(module):
    for path in (module.exercise_file, module.key_file, module.suite_file):
        assert path.is_file(), f"module {module.id} lists {path}, which does not exist"


@by_module
def test_the_groups_of_a_module_are_the_classes_of_its_suite_in_the_same_order(module):
    tree = ast.parse(module.suite_file.read_text(encoding="utf-8"))
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
    assert classes == list(module.groups)


@by_module
def test_the_key_defines_every_todo_and_nothing_more(module):
    tree = ast.parse(module.key_file.read_text(encoding="utf-8"))
    assert list(functions(tree)) == [exercise.qualified_name for exercise in module.exercises]
    docstring, *rest = tree.body
    assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)
    for node in rest:
        assert isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef)), ast.unparse(node)
        if isinstance(node, ast.ClassDef):
            assert ast.unparse(node.bases[0]) == f"{module.file}.{node.name}", "it must extend the exercise's class"
            assert all(isinstance(member, ast.FunctionDef) for member in node.body)


def test_every_key_belongs_to_a_module():
    keys = {path for path in (REPOSITORY / "g2c" / "solutions").glob("*.py") if path.name != "__init__.py"}
    assert keys == {module.key_file for module in MODULES}


@by_exercise
def test_a_function_of_the_key_takes_what_the_exercise_takes(exercise):
    module = modules()[exercise.module_id]
    ours, theirs = (
        functions(ast.parse(path.read_text(encoding="utf-8")))[exercise.qualified_name].args
        for path in (module.key_file, module.exercise_file)
    )
    names = [[argument.arg for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs)] for a in (ours, theirs)]
    assert names[0] == names[1]


@by_exercise
def test_the_three_hints_of_an_exercise_are_short_and_all_different(exercise):
    assert len(set(exercise.hints)) == 3
    for hint in exercise.hints:
        assert 20 < len(hint) <= 400
        assert hint.endswith((".", "?")) and "!" not in hint


@by_exercise
def test_a_hint_does_not_hold_a_line_of_the_key(exercise):
    text = modules()[exercise.module_id].key_file.read_text(encoding="utf-8")
    function = functions(ast.parse(text))[exercise.qualified_name]
    code = [squeezed(line) for line in ast.unparse(function).splitlines()[1:]]
    # A bare "else:" or "return None" is a line of many programs; a line that says something has more to it.
    telling = [line for line in code if len(line) > 12]
    assert telling
    for hint in exercise.hints:
        for line in telling:
            assert line not in squeezed(hint)


def squeezed(text: str) -> str:
    return re.sub(r"[\s`]", "", text).replace('"', "'").rstrip(":")


def test_points_are_a_hundred_for_a_module():
    assert {module.id: module.points for module in MODULES} == {module.id: 100 for module in MODULES}


# --- finding an exercise ----------------------------------------------------------------------------------------------


@by_exercise
def test_an_exercise_is_found_by_its_qualified_name(exercise):
    assert find_exercise(exercise.qualified_name) is exercise
    assert find_exercise(f"{exercise.module_id}:{exercise.qualified_name}") is exercise
    assert find_exercise(exercise.short_name) is exercise


@pytest.mark.parametrize("name", ["", "no_such", "BPETokenizer", "05:encode", "04:", "04:pad_batch"])
def test_an_unknown_exercise_is_refused_with_the_names_that_exist(name):
    with pytest.raises(CourseError, match="The exercises are: .*BPETokenizer.encode"):
        find_exercise(name)


# --- the list itself --------------------------------------------------------------------------------------------------

TWO_MODULES = """
[[module]]
id = "04"
title = "One"
package = "g2c.tokenizer"
file = "one"
suite = "tests/test_one.py"
notebook = "notebooks/04-one.ipynb"
handout = "docs/04-one.md"
given = ["TestGiven"]
together = ["TestAll"]
together_points = 10

[[module.exercise]]
name = "encode"
class = "One"
groups = ["TestEncode"]
points = 20
hints = ["first", "second", "third"]

[[module.exercise]]
name = "helper"
groups = ["TestHelper", "TestHelperAgain"]
points = 5
hints = ["first", "second", "third"]

[[module]]
id = "05"
title = "Two"
package = "g2c.tokenizer"
file = "two"
suite = "tests/test_two.py"
notebook = "notebooks/05-two.ipynb"
handout = "docs/05-two.md"
given = []
together = []
together_points = 0

[[module.exercise]]
name = "encode"
class = "Two"
groups = ["TestEncode"]
points = 30
hints = ["first", "second", "third"]
"""


def test_a_list_is_read_as_it_is_written(monkeypatch):
    read = parse(TWO_MODULES)
    assert list(read) == ["04", "05"]
    one = read["04"]
    assert one.public_names == ("One", "helper")
    assert one.groups == ("TestGiven", "TestEncode", "TestHelper", "TestHelperAgain", "TestAll")
    assert one.points == 35
    assert [exercise.qualified_name for exercise in one.exercises] == ["One.encode", "helper"]
    assert one.exercise_of("TestHelperAgain").name == "helper"
    assert one.exercise_of("TestGiven") is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.title = "Another"

    monkeypatch.setattr(exercises, "modules", lambda: read)
    assert find_exercise("05:encode") is read["05"].exercises[0]
    assert [exercise.short_name for exercise in all_exercises()] == ["One.encode", "helper", "Two.encode"]
    assert find_exercise("Two.encode") is read["05"].exercises[0]
    with pytest.raises(CourseError, match=r"more than one exercise 'encode'.*One\.encode or Two\.encode"):
        find_exercise("encode")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('id = "05"', 'id = "04"', "the module ID '04' stands twice"),
        ('file = "two"', 'file = "one"', "the exercise file 'one' stands twice"),
        ('class = "Two"', 'class = "One"', "the public name 'One' stands twice"),
        ('groups = ["TestHelper",', 'groups = ["TestEncode",', "the test group of module 04 'TestEncode' stands twice"),
        ('name = "helper"', 'name = "encode"\nclass = "One"', "the exercise of module 04 'One.encode' stands twice"),
        ('title = "One"\n', "", "Module 04 lacks 'title'"),
        ('title = "One"', 'title = ""', "Module 04: 'title' is ''"),
        ('title = "One"', 'titel = "One"\ntitle = "One"', "Module 04 has fields that are not known: titel"),
        ("points = 20", 'points = "20"', "Module 04, exercise encode: 'points' is '20'"),
        ("points = 20", "points = true", "Module 04, exercise encode: 'points' is True"),
        ("points = 20", "points = 0", "Module 04, exercise encode has 0 points"),
        ("together_points = 10", "together_points = -1", "Module 04 has -1 points"),
        ('groups = ["TestEncode"]', "groups = []", "Module 04, exercise encode has no test group"),
        ('groups = ["TestEncode"]', "groups = [3]", "Module 04, exercise encode: 'groups' holds 3"),
        ('"first", "second", "third"', '"first", "second"', "Module 04, exercise encode has 2 hints"),
        ('"first", "second", "third"', '"first", " ", "third"', "Module 04, exercise encode: 'hints' holds ' '"),
        ('id = "04"', 'id = "04', "not valid TOML"),
    ],
)
def test_a_mistake_in_the_list_is_named(old, new, message):
    assert old in TWO_MODULES
    with pytest.raises(CourseError) as raised:
        parse(TWO_MODULES.replace(old, new, 1))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "The list of modules lacks 'module'"),
        ("module = 1", "'module' is 1"),
        ("module = []", "'module' is not written as"),
        ("module = [1, 2]", "'module' is not written as"),
        (TWO_MODULES + "[settings]", "The list of modules has fields that are not known: settings"),
    ],
    ids=["empty", "number", "no modules", "no tables", "one more table"],
)
def test_a_list_of_another_shape_is_refused(text, message):
    with pytest.raises(CourseError) as raised:
        parse(text)
    assert message in str(raised.value)
