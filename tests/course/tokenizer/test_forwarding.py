"""The student's way needs the standard library alone, and what needs more is imported when it is called."""

import ast
import subprocess
import sys

import pytest

from g2c.common.paths import REPOSITORY

NEEDS_NOTHING = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numpy", "tokenizers", "tqdm", "rich") or name.startswith(UPPER_ROOMS):
            raise ImportError(f"the student's way imported {name}")

UPPER_ROOMS = "g2c.formats", "g2c.engine", "g2c.corpus", "g2c.course"
sys.meta_path.insert(0, Refuse())
from g2c.tokenizer import BPETokenizer, CharTokenizer, UnigramTokenizer, WordBPETokenizer, WordPieceTokenizer
from g2c.tokenizer import apply_merge, byte_characters, save, load
tokenizer = BPETokenizer.with_course_special_tokens()
tokenizer.train("low lower lowest<|end|>", 270, progress=False)
assert tokenizer.decode(tokenizer.encode("lower<|end|>")) == "lower<|end|>"
assert WordPieceTokenizer.train and save and load
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_students_way_imports_neither_libraries_nor_upper_rooms():
    run(NEEDS_NOTHING)


@pytest.mark.parametrize("room", ["common", "formats", "engine", "corpus"])
def test_only_the_tokenizer_room_hands_out_the_students_class(room):
    """A file below course gets the class of a tokenizer as an argument: the code that it names is not the student's."""
    naming = set()
    for path in sorted((REPOSITORY / "g2c" / room).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            names += [node.attr] if isinstance(node, ast.Attribute) else []
            if "BPETokenizer" in names:
                naming.add(path.name)
    assert naming == set()
