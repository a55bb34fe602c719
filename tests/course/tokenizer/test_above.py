"""The student's way needs the standard library alone; what needs more is imported when it is asked for, and looks as if
it were written in the class: to `help`, to an editor and to a type checker."""

import inspect
import pydoc
import re
import subprocess
import sys

import pytest

from coach.common.course_file import course_file
from coach.common.paths import REPOSITORY
from g2c.tokenizer import BPETokenizer, load, load_artifact
from g2c.tokenizer.above import Above, Methods
from g2c.tokenizer.base import BPEBase

NEEDS_NOTHING = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        is_upper = name.startswith(UPPER_ROOMS) or name.startswith("coach.") and not name.startswith("coach.common")
        if name.split(".")[0] in ("numpy", "tokenizers", "tqdm", "rich") or is_upper:
            raise ImportError(f"the student's way imported {name}")

UPPER_ROOMS = "g2c.formats", "g2c.engine", "g2c.corpus"
sys.meta_path.insert(0, Refuse())
from g2c.tokenizer import BPETokenizer, CharTokenizer, UnigramTokenizer, WordBPETokenizer, WordPieceTokenizer
from g2c.tokenizer import apply_merge, byte_characters, load
tokenizer = BPETokenizer.with_course_special_tokens()
tokenizer.train("low lower lowest<|end|>", 270, progress=False)
assert tokenizer.decode(tokenizer.encode("lower<|end|>")) == "lower<|end|>"
assert WordPieceTokenizer.train and load
"""


def test_the_students_way_imports_neither_libraries_nor_upper_rooms():
    done = subprocess.run([sys.executable, "-c", NEEDS_NOTHING], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("room", ["common", "formats", "engine", "corpus"])
def test_only_the_tokenizer_room_hands_out_the_students_class(room):
    """A file below course gets the class of a tokenizer as an argument: the code that it names is not the student's."""
    files = sorted((REPOSITORY / "g2c" / room).glob("*.py"))
    naming = r"(?m)^(from|import) .*\bBPETokenizer\b|[)\w]\.BPETokenizer\b"
    assert [path.name for path in files if re.search(naming, path.read_text(encoding="utf-8"))] == []


def test_no_method_that_does_an_exercise_is_free_for_the_students_code():
    """course.toml lists them, because coach knows no tokenizer."""
    doing = {name for name in vars(Methods) if name.startswith(("train_", "encode_", "decode_", "to_"))}
    assert set(course_file()["for_comparison"]) == doing


METHODS = [name for name, value in vars(Methods).items() if isinstance(value, Above)]


@pytest.mark.parametrize("name", METHODS)
def test_a_method_looks_like_the_function(name):
    function = inspect.unwrap(getattr(BPETokenizer, name))
    parameters = list(inspect.signature(getattr(BPETokenizer(), name)).parameters)
    documentation = pydoc.render_doc(getattr(BPETokenizer, name), renderer=pydoc.plaintext)
    assert not {"tokenizer", "cls", "self"} & {*parameters}
    assert all(parameter in documentation for parameter in parameters)
    assert (inspect.getdoc(function) or "").split("\n")[0] in documentation
    # An editor completes what dir lists.
    assert name in dir(BPETokenizer()) and name in dir(BPETokenizer)
    assert f"{name}(" in pydoc.render_doc(BPETokenizer, renderer=pydoc.plaintext)


def test_they_are_called_with_the_tokenizer_or_its_class(tmp_path):
    path = BPETokenizer.save(BPETokenizer(["<|end|>"]), tmp_path)
    assert type(BPETokenizer.load(path)) is BPETokenizer and type(BPEBase.load(path)) is BPEBase
    assert type(BPETokenizer().load(path)) is type(load(path)) is BPETokenizer
    folder = BPETokenizer().save_artifact(tmp_path / "artifact", [1])
    assert type(load_artifact(folder).tokenizer) is BPETokenizer
    assert type(BPEBase.load_artifact(folder).tokenizer) is BPEBase


USES = """
from g2c.tokenizer.base import BPEBase
BPEBase().train_exact("text", "300")[0].unknown
BPEBase.load(BPEBase().save("x")).unknown
BPEBase.load_artifact("x").ids.unknown
"""


@pytest.mark.whole
def test_a_type_checker_knows_them(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "uses.py").write_text(USES, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", REPOSITORY / "pyproject.toml", tmp_path / "uses.py"]
    said = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY).stdout
    for told in ("incompatible type", '"int" has no', '"BPEBase" has no', '"ndarray['):
        assert told in said, said
    assert said.count(": error:") == 4, said
