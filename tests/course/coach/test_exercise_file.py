"""What keeps tests from using an exercise file, in one sentence, before any test and in every command the same."""

import textwrap

import pytest

from coach.exercise_file import check_file
from coach.exercises import modules
from coach.source import SourceError

BPE = modules()["04"].exercise_file.read_bytes()
COUNTS = "def _get_pair_counts(self, ids: list[int], *, barrier_ids: Collection[int] | None = None) -> dict[Pair, int]:"
MERGE = "def _merge(self, ids: list[int], pair: Pair, new_id: int) -> list[int]:"
TODO = 'raise NotImplementedError("TODO: encode")'
DECODE = BPE.decode().index("    def decode(")


def at(text: str, later: int = 0) -> str:
    """The line of a text in the exercise file, or so many lines later."""
    return f"line {BPE.decode()[: BPE.decode().index(text)].count(chr(10)) + 1 + later}"


END = BPE.count(b"\n") + 2
CLASS, LAST = at("class BPETokenizer("), f"line {BPE.count(b'%c' % 10) + 1}"


def with_one(old: str, new: str) -> bytes:
    assert BPE.decode().count(old) == 1
    return BPE.decode().replace(old, new).encode()


def without_closing_quotes(function: str) -> bytes:
    before, quotes, rest = BPE.decode().partition(function)
    opening, docstring, after = rest.split('"""', 2)
    return (before + quotes + opening + '"""' + docstring + after).encode()


def ending(change) -> bytes:
    """The file, with the last method changed."""
    return (BPE.decode()[:DECODE] + change(BPE.decode()[DECODE:])).encode()


def problem(tmp_path, content: bytes) -> str:
    file = tmp_path / "bpe.py"
    file.write_bytes(content)
    try:
        check_file(modules()["04"], file)
    except SourceError as error:
        return str(error).replace(str(file), "bpe.py")
    return ""


INNER = "def {0}(ids):\n            return ids\n        return {0}(text)"
ACCEPTED = {
    "BOM": b"\xef\xbb\xbf" + BPE,
    "Latin-1": b"# coding: latin-1\n# \xe9\n" + BPE,
    "CRLF": BPE.replace(b"\n", b"\r\n"),
    "form feed": BPE.replace(b"    def _merge", b"\x0c\n    def _merge").rstrip(),
    "harmless": with_one(COUNTS, "def _get_pair_counts(self, ids, barrier_ids=(), debug=False):"),
    "inner function": with_one(TODO, INNER.format("pieces")),
    "inner function of the name": with_one(TODO, INNER.format("encode")),
    "__repr__": BPE + b"\n    def __repr__(self):\n        return 'mine'\n",
}


@pytest.mark.parametrize("content", ACCEPTED.values(), ids=ACCEPTED)
def test_what_python_imports_and_tests_can_call_is_accepted(content, tmp_path):
    assert problem(tmp_path, content) == ""


INIT = "    def __init__(self):\n        self.merges = {}\n"
OUTSIDE = "\ndef mine():\n    return 1\n\n    def _merge(self, ids, pair, new_id):"
NOT_CLOSED = f"'(' was never closed.\n>  {at(TODO)[5:]}          return (ids\n                       ^"
REFUSED = [
    (b" \n", "has no code; undo that in your editor, or start over with `git checkout g2c/tokenizer/bpe.py`"),
    (with_one(TODO, f"{TODO}\n<<<<<<< HEAD\n=======\n>>>>>>> 1abc"), "is not valid Python: git has left a conflict"),
    (BPE.decode().encode("utf-16"), "bpe.py is not valid Python: its bytes are not UTF-8 text."),
    (BPE + b"# \xe9", "bpe.py is not valid Python: its bytes are not UTF-8 text."),
    (BPE + b"return 1\n", f"bpe.py, {LAST} is not valid Python: 'return' outside function"),
    (with_one(TODO, "return (ids"), NOT_CLOSED),
    (with_one(TODO, "pass\nreturn []"), f"{at(TODO, 1).capitalize()} is at the left margin, which ends the class"),
    (without_closing_quotes(COUNTS), f"The docstring that begins in {at(COUNTS, 1)} has no end"),
    # What tests call, under its name and in its class
    (with_one("def _get_pair_counts", "def _get_pairs_count"), f"it has _get_pairs_count, {at(COUNTS)}."),
    (with_one("class BPETokenizer(", "class BPETokeniser("), f"has no BPETokenizer; it has BPETokeniser, {CLASS}."),
    (ending(textwrap.dedent), f"{at('    def decode(')} defines decode, but not in class BPETokenizer: indent it like"),
    (with_one(MERGE, OUTSIDE), f"{at(MERGE, 1)} defines mine at the left margin, which ends the class above: _merge"),
    (ending(lambda code: ""), "bpe.py has no decode; the tests call it."),
    (BPE + b"\n\ndef encode(self, text):\n    return []\n", "defines encode outside of class BPETokenizer"),
    # How tests call it
    (with_one(COUNTS, "def _get_pair_counts(ids, counts=None):"), f"{at(COUNTS)} changes the def line of _get_pair_c"),
    (with_one(COUNTS, "def _get_pair_counts(ids, counts=None):"), "self is missing. It was: def _get_pair_counts("),
    (with_one(COUNTS, "def _get_pair_counts(self, ids):"), "barrier_ids is missing. It was: def"),
    (with_one(COUNTS, "def _get_pair_counts(self, ids, *, barrier_ids):"), "barrier_ids has no default value"),
    (with_one(MERGE, "def _merge(self, ids, pair, new_id, other):"), "other has no default value"),
    (with_one(MERGE, "def _merge(self, ids, new_id, pair):"), "in another order"),
    # What takes its place
    (BPE + b"\n    def encode(self, text):\n        return []\n", f"defines encode, and line {END} does so again"),
    (
        BPE + f"\n\nclass BPETokenizer:\n{INIT}".encode(),
        "defines class BPETokenizer again, in place of the one in line",
    ),
    (BPE + f"\n{INIT}".encode(), "defines __init__, which is given in the base class"),
    (with_one(TODO, "return self.encode_fast(text)"), "encode_fast, which is given for comparison: write encode"),
]


@pytest.mark.parametrize(("content", "sentence"), REFUSED)
def test_what_keeps_tests_from_using_the_file_is_said_with_its_line(content, sentence, tmp_path):
    assert sentence in problem(tmp_path, content)


@pytest.mark.parametrize("module", modules().values(), ids=modules())
def test_the_answer_key_is_accepted(module):
    check_file(module)
    check_file(module, module.key_file)


def test_a_missing_file_is_restored(tmp_path):
    with pytest.raises(SourceError, match=r"is missing; restore it with `git checkout g2c/tokenizer/bpe\.py`\.$"):
        check_file(modules()["04"], tmp_path / "bpe.py")


def test_pytest_and_g2c_say_the_same(two_modules):
    two_modules.replace("small/toys/doubling.py", "def double(", "def dubble(")
    sentence = "small/toys/doubling.py has no double; it has dubble, line 1. The tests call double."
    assert sentence in two_modules.run("-m", "pytest", "tests/test_doubling.py").stdout
    assert sentence in two_modules.g2c().stdout and sentence in two_modules.g2c("hint").stderr


def test_code_that_calls_a_todo_when_the_file_is_imported_is_to_be_removed(two_modules):
    path = two_modules.path("small/toys/doubling.py")
    path.write_text(f"{path.read_text(encoding='utf-8')}\nprint(double(2))\n", encoding="utf-8")
    said = two_modules.run("-m", "pytest", "tests/test_doubling.py").stdout
    sentence = "runs when the file is imported, and double is not written yet: remove this code."
    assert f"line 14 {sentence}" in said and ">   14  print(double(2))" in said and "next: fix double" in said, said
