"""Named patterns: what is assumed of the examined ones is true, and of a regex that is only added nothing is."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.patterns import EXAMINED, PATTERNS, SAFE_CUT, last_safe_cut, normalized, split_by_pattern

LINES = r"[^\n]+\n?|\n"


def test_a_regex_that_is_only_added_is_not_cut(monkeypatch):
    line = "words of one line, " * 395
    monkeypatch.setitem(PATTERNS, "lines", LINES)
    assert len(line) > 7500
    assert split_by_pattern(line, LINES) == [line]
    assert last_safe_cut(line.encode(), LINES) == 0
    tokenizer = BPETokenizer(pattern="lines")
    assert tokenizer.pattern == LINES and tokenizer.encode_fast(line) == tokenizer.encode(line)
    with pytest.raises(ValueError, match="tiktoken's .* with one of gpt2, gpt4, o200k, llama3, qwen, can be converted"):
        tokenizer.to_tiktoken()


@pytest.mark.parametrize("form", [None, "NFC"])
@pytest.mark.parametrize("pattern", sorted(EXAMINED))
@settings(max_examples=200)
@given(text=st.text(st.sampled_from("aAs'1 \n\r\t.!é中文、。か\u3099\u3000\u0301-/ſ")))
def test_an_examined_pattern_has_the_same_pieces_after_each_cut(pattern, form, text):
    cuts = [0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)]
    parts = [normalized(text[begin:end], form) for begin, end in pairwise(cuts)]
    together = [piece for part in parts for piece in split_by_pattern(part, pattern)]
    assert together == split_by_pattern(normalized(text, form), pattern)
