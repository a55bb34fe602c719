"""The student's way needs the standard library alone, and what needs more is imported when it is called."""

import subprocess
import sys

import pytest

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
split_later = BPETokenizer(pattern="gpt2")
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_students_way_imports_neither_libraries_nor_upper_rooms():
    run(NEEDS_NOTHING)


@pytest.mark.parametrize(
    "needs_more", ['split_later.encode("a b")', 'BPETokenizer(pattern="a|b")', "tokenizer.to_hf()"]
)
def test_what_needs_more_is_seen_to_import_it(needs_more):
    run(f"{NEEDS_NOTHING}\ntry:\n    {needs_more}\n    raise SystemExit(1)\nexcept ImportError:\n    pass")
