"""Encoding, decoding and counting in loops: the results of the plain algorithm, whatever the table of words holds."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.engine import compiled, encoding
from g2c.engine.counting import WordCounter
from g2c.engine.encoding import Encoder
from g2c.engine.fast import encode_texts, tables_of
from g2c.engine.merging import SHORT
from g2c.engine.parts import Parts
from g2c.engine.words import MAX_WORD
from g2c.solutions.bpe import BPETokenizer
from support.scarce import within

TEXT = "\n\n".join(topics[name] for name in sorted(topics))[:300_000]


@pytest.fixture(scope="module", params=["gpt2", "gpt4", None])
def trained(request) -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>", "<|pad|>"], pattern=request.param)
    tokenizer.train_exact(TEXT, 3000)
    return tokenizer


def ids_of(encoder: Encoder, text: bytes) -> list[int]:
    return [token_id for some in encoder.encode(text) for token_id in some.tolist()]


def tokenizer_with(merges: list[tuple[int, int]]) -> BPETokenizer:
    tokenizer = BPETokenizer(pattern="gpt4")
    tokenizer.set_merges(merges)
    return tokenizer


# --- encoding ---------------------------------------------------------------------------------------------------------


@given(
    merges=st.lists(st.tuples(st.integers(97, 99), st.integers(97, 99)), unique=True, max_size=6),
    later=st.lists(st.tuples(st.integers(256, 262), st.integers(97, 262)), max_size=8),
    words=st.lists(st.text("abcé", max_size=70), max_size=20),  # so many that the table of words is full
)
def test_any_merges_have_the_ids_of_encode(merges, later, words):
    table = list(merges)
    for left, right in later:
        if (left, right) not in table and max(left, right) < 256 + len(table) and not 99 < right < 256:
            table.append((left, right))
    tokenizer = tokenizer_with(table)
    text = " ".join(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "MAX_SLOTS", 16)
        encoder = Encoder(tables_of(tokenizer))
        for _ in range(2):  # The second time, the last words are known.
            assert ids_of(encoder, text.encode()) == tokenizer.encode(text)


@pytest.mark.parametrize(
    "length", [1, 2, 3, 7, 8, 300, 3000] + [edge + i for edge in (MAX_WORD, SHORT, 255) for i in (-1, 0, 1)]
)
def test_words_of_any_length(length):
    tokenizer = tokenizer_with([(97, 97), (256, 256), (257, 97), (97, 98), (258, 259), (99, 100)])
    encoder = Encoder(tables_of(tokenizer))
    ends_fit_together = ("ab" + "b" * (length - 7) + "aaaaa")[-length:]
    for word in ("a" * length, "ab" * (length // 2) + "a", "a" * (length - 1) + "b", ends_fit_together, "abcdefg"):
        text = f"{word}ab {word}cd {word} {word}"
        for _ in range(2):
            assert ids_of(encoder, text.encode()) == tokenizer.encode(text)


def test_a_small_output_array_changes_no_ids(trained, monkeypatch):
    monkeypatch.setattr(encoding, "OUTPUT", 1)
    texts = [TEXT[:300] + "<|end|><|end|>", TEXT[300:900], "", TEXT[900:1500] + "<|pad|>"]
    assert encode_texts(trained, texts) == [token_id for text in texts for token_id in trained.encode(text)]


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
def test_millions_of_letters_are_merged_in_little_time(pattern):
    tokenizer = BPETokenizer(["<|end|>"], pattern)
    tokenizer.set_merges([(97, 97), *((made, made) for made in range(257, 266))])
    # 1,000,000 = 976 * 1024 + 512 + 64
    with within(20):
        ids = tokenizer.encode_fast("a" * 1_000_000 + "<|end|>" + "a" * 1024)
    assert ids == [266] * 976 + [265, 262, 256, 266]


# --- counting ---------------------------------------------------------------------------------------------------------


LONG_WORDS = ["incomprehensibilities", " incomprehensible", "y" * 16, "x" * 300]


@given(
    texts=st.lists(st.lists(st.sampled_from([*"ab' \n1é!", *LONG_WORDS]), max_size=80).map("".join), max_size=5),
    pattern=st.sampled_from(["gpt2", "gpt4"]),
)
def test_words_of_any_text_are_counted(texts, pattern):
    tokenizer, counter, sums = BPETokenizer(pattern=pattern), WordCounter(), WordCounter()
    for text in texts:
        one = WordCounter()
        for each in (one, counter):
            each.count(text.encode(), tokenizer.pattern, Parts.whole(text.encode()))
        sums.add(one.words())
    expected = list(Counter(piece for text in texts for piece in tokenizer._pieces(text)).items())
    assert list(counter.words().items()) == list(sums.words().items()) == expected


# --- compiled and plain -----------------------------------------------------------------------------------------------


def run(*command: str, **variables: str) -> str:
    """Run Python in another process, which must succeed; return what it prints."""
    done = subprocess.run([sys.executable, *command], env=os.environ | variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout


def test_the_loops_as_ordinary_python_give_the_same_results():
    """The properties of this folder in another process, where an overflow is an error."""
    files = [os.path.relpath(Path(__file__).with_name(name)) for name in ("test_encoder.py", "test_exact.py")]
    properties = "any_merges or any_length or words_of_any_text or any_words or plain_recounting and first-seen"
    options = ["-m", "pytest", "--solutions", "-q", "-x", "-p", "no:cacheprovider", "-k", properties]
    run(*options, *files, G2C_COMPILED="0", PYTHONWARNINGS="error::RuntimeWarning")


NEEDING_NUMBA = """
import sys
from g2c.solutions.bpe import BPETokenizer
tokenizer = BPETokenizer(pattern="gpt4")
for times, calls in ((4_000, 1), ({times}, {calls})):
    for _ in range(calls):
        tokenizer.encode_fast("the other cat, " * times)
    print("numba" in sys.modules)
print(tokenizer.train_exact("the the the", 259))
"""


@pytest.mark.parametrize(
    ("times", "calls", "switch"),
    [(20_000, 1, "1"), *(pytest.param(*case, marks=pytest.mark.whole) for case in ((1, 2_000, "1"), (20_000, 1, "0")))],
)
def test_much_text_is_worth_the_import_of_numba(times, calls, switch):
    """Then, the loops of training, which are imported after others were compiled, find their inner loops."""
    printed = run("-c", NEEDING_NUMBA.format(times=times, calls=calls), G2C_COMPILED=switch)
    assert printed == f"False\n{compiled.IS_COMPILED and switch == '1'}\n[257, 258, 258]\n"


def double(numbers: compiled.Int64, factor: int) -> int:
    for i in range(len(numbers)):
        numbers[i] = numbers[i] * factor
    return len(numbers)


@pytest.mark.skipif(not compiled.IS_COMPILED, reason="numba is not installed")
@pytest.mark.parametrize("has_cache", [True, False])
def test_a_loop_is_compiled_with_and_without_a_cache(has_cache, monkeypatch, tmp_path):
    monkeypatch.setattr(compiled, "_cache_folder", lambda: tmp_path if has_cache else None)
    for _ in range(2):
        loop, numbers = compiled.Loop(double), np.array([5])
        loop.load()
        assert loop(numbers, 3) == 1 and numbers.tolist() == [15]
    assert any(tmp_path.rglob("*.nbc")) == has_cache
    with pytest.raises(TypeError, match="unbox array"):
        loop(np.array([5], np.int32), 3)
