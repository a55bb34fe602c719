"""A student's file is imported as far as it goes, and small faults of form are repaired and noted."""

import re
import sys
import textwrap

import pytest

from coach.grading.boundary import _wanted
from coach.grading.importing import import_what_works
from support.exercise_files import solved, with_body

WANTED = _wanted()["g2c.tokenizer.bpe"]
MERGE = "def _merge(self, ids, pair, new_id):\n    return [new_id]\n"
HEAD, LAST = "class BPETokenizer:\n    def _merge(self, ids, pair, new_id):\n", "        return [new_id]\n"
IN_CLASS = HEAD + LAST


def with_lines(body):
    """The class, whose method has this body."""
    return f"{HEAD}{textwrap.indent(body, '        ')}\n"


MADE = "_merge returns nothing; it was graded with `return made`"
CONFLICT = "<<<<<<< HEAD\n        x = 1\n=======\n        x = 2\n>>>>>>> main\n"
FAULTS = {
    "a colon": (IN_CLASS.replace("new_id):", "new_id)  # the pair"), "line 2 was read as: def _merge"),
    "a tab": (f"{HEAD}\tx = 1\n{LAST}", "line 3 was read as: x = 1|line 4"),
    "no-break spaces": (f"{HEAD}\u00a0\u00a0 \u00a0 \u00a0\u00a0\u00a0return [new_id]\n", "line 3 was read as: return"),
    "print of Python 2": (f"{IN_CLASS}\nprint 'done', 1\nprint BPETokenizer\n", r"was read as: print\('done', 1\) "),
    "a parenthesis": (f"{IN_CLASS}\nprint(len('a')\n", r"was read as: print\(len\('a'\)\) "),
    "=": (with_lines("if pair = 1: pass\nreturn [new_id]"), "line 3 was read as: if pair == 1"),
    "an indent": (with_lines("x = 1\n  return [new_id]"), "line 4 was read as: return"),
    "else if": (with_lines("if ids: pass\nelse if pair: pass\nreturn [new_id]"), "line 4 was read as: elif pair"),
    "a conflict": (f"{HEAD}{CONFLICT}{LAST}", "line 3 was read as: # a conflict mark of git"),
    "return": (with_lines("made = []\nmade.append(new_id)"), f"line 4: {MADE}"),
    "return after a raise": (
        with_lines("if not ids:\n    raise ValueError(ids)\nlist((new_id,))"),
        r"line 5: _merge returns nothing; it was graded with `return list\(\(new_id,\)\)`",
    ),
    "return beside a function": (
        with_lines("made = []\ndef same(x):\n    return x\nmade.append(new_id)"),
        f"line 6: {MADE}",
    ),
    "the class": (IN_CLASS.replace("BPETokenizer", "MyBPE"), "class MyBPE was graded as BPETokenizer, which should be"),
    "outside": (f"class BPETokenizer:\n    pass\n\n\n{MERGE}", "_merge was graded as a method of BPETokenizer, though"),
    "no class": (MERGE.replace("self, ", ""), "_merge was graded as a method of BPETokenizer, though"),
    "a loop": (f"{IN_CLASS}\nwhile True:\n    pass\n", r"line \d is left out: while True: \(it does not finish\)"),
    "a function": (f"{IN_CLASS}\ndef f(:\n    pass\n", r"line \d is left out: def f\(:"),
    "a method": (f"{IN_CLASS}    de encode(self, text):\n        return 1\n", "line 4 is left out: de encode"),
    "a block": (f"{IN_CLASS}\ndef f():\n    if 1:\n", r"line \d is left out: def f\(\):"),
}
"""A fault -> a file with it, and the first note."""


def imported(code, tmp_path, monkeypatch):
    name = f"of_a_student_{abs(hash(code))}"
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        return import_what_works(name, WANTED)
    finally:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("code", "note"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_form_is_repaired_or_left_out_and_the_rest_works(code, note, tmp_path, monkeypatch):
    module, notes = imported(code, tmp_path, monkeypatch)
    assert module.BPETokenizer()._merge([1, 2], (1, 2), 9) == [9]
    assert module.BPETokenizer.__name__ == "BPETokenizer", "under which its objects travel"
    assert re.search(note, notes[0]), notes


def test_of_several_repairs_the_one_that_makes_the_file_valid_is_taken(tmp_path, monkeypatch):
    """With four columns for a tab, the error moves to the next line."""
    loop = "for i in ids:\n    if i:\n        x = 1\n\t\tx = 2\n    else:\n        x = 3\nreturn [new_id]"
    code = with_lines(loop).replace("        \t\t", "\t\t")
    _, notes = imported(code, tmp_path, monkeypatch)
    assert [note.partition(" (")[0] for note in notes] == ["line 6 was read as: x = 2"]


def test_right_files_and_todos_are_left_as_they_are(tmp_path, monkeypatch):
    done = solved("encode")
    bodies = "ids.append(1)\n        raise ValueError(ids)", "ids.sort()", "print(ids)", "self.merges[pair] = new_id"
    for code in (solved(), done, *(with_body(done, "_merge", f"        {body}") for body in bodies)):
        assert imported(code, tmp_path, monkeypatch)[1] == []


def test_what_no_line_can_repair_is_an_error(tmp_path, monkeypatch):
    with pytest.raises(SyntaxError):
        imported("def f(:\n    pass\n" * 9, tmp_path, monkeypatch)
