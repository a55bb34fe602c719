"""A text in chunks gives the IDs of the whole, in little memory; and several texts are encoded at the same time."""

import random
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, repeat
from pydoc_data.topics import topics

import pytest

from g2c.engine import encoding, fast, parts
from g2c.solutions.bpe import BPETokenizer

OWN_PATTERN = r"[^\s\p{L}]?\p{L}+|\p{N}{1,3}+|\s+$|\s|."
PIECES = [
    *("a", "b", "c", "ab", "abc", "the", " the", "x", "'s", "'LL", "'", "ß", "ss", "ſ"),
    *("é", "中", "文字", "👋", "\u0301", " ", "  ", "     ", "\t", "\n", "\n\n", "\r\n", "1", "12", "2024"),
    *(".", ",", "...", "/", "\ufeff", "\0", "<|end|>", "<|end|><|end|>", "<|e", "nd|>", "<|x", "<|x|>"),
]  # fmt: skip
SPECIAL_TOKENS = [[], ["<|end|>", "<|end|><|end|>", "<|x", "<|x|>"], ["<|end|>"], ["ab", "abc", "中"]]
TEXT = "\n".join(topics.values())


def random_text(choose: random.Random, length: int) -> str:
    return "".join(choose.choice(PIECES) for _ in range(length))


def random_chunks(choose: random.Random, text: str) -> list[str]:
    chunks, begin = [], 0
    while begin < len(text):
        size = choose.choice([0, 1, 1, 2, 3, 7, 30])
        chunks.append(text[begin : begin + size])
        begin += size
    return chunks


def trained(special_tokens=(), pattern=None, merges=120) -> BPETokenizer:
    tokenizer = BPETokenizer(special_tokens, pattern)
    text = random_text(random.Random(0), 3000)
    tokenizer.train_exact(text, tokenizer.base_vocab_size + merges, progress=False)
    return tokenizer


# --- the IDs ----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@pytest.mark.parametrize("special_tokens", SPECIAL_TOKENS, ids=lambda tokens: f"{len(tokens)} special")
@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4", OWN_PATTERN])
def test_any_chunks_give_the_ids_of_the_whole(pattern, special_tokens, monkeypatch):
    tokenizer = trained(special_tokens, pattern)
    choose = random.Random(7)
    for part in (1, 5, 12):
        monkeypatch.setattr(fast, "STREAM_BYTES", part)
        for _ in range(8):
            text = random_text(choose, choose.choice([3, 10, 40, 100]))
            chunks = random_chunks(choose, text)
            allowed = choose.choice(["all", "all", "none"])
            encode = tokenizer.encode_ordinary if allowed == "none" else tokenizer.encode
            found = list(tokenizer.encode_iterable(chunks, allowed_special=allowed))
            assert found == encode(text), (
                f"encode_iterable({chunks!r}, allowed_special={allowed!r}) with parts of {part} characters "
                "differs from encode of the joined text"
            )


# --- laziness and memory ----------------------------------------------------------------------------------------------


def test_only_what_is_needed_is_read():
    read = []

    def lines():
        for number in range(1_000_000):
            read.append(number)
            yield f"This is line {number}.\n"

    tokenizer = BPETokenizer(pattern="gpt4")
    stream = tokenizer.encode_iterable(lines())
    assert read == []
    assert type(next(stream)) is int
    assert len(read) < 2 * fast.STREAM_BYTES / len("This is line 1.\n")


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@pytest.mark.parametrize("text", [" ", "a", "中", "<|end|>"])
@pytest.mark.parametrize("pattern", [None, "gpt2", OWN_PATTERN])
def test_text_without_a_cut_takes_time_that_grows_with_its_length(pattern, text, monkeypatch):
    tokenizer = trained(["<|end|>"], pattern)
    tokenizer.train_exact(f"{text * 8} x", 261, progress=False)
    searched, last_cut = [], parts.last_safe_cut
    monkeypatch.setattr(parts, "last_safe_cut", lambda held, *more: searched.append(len(held)) or last_cut(held, *more))
    length = 100_000 // len(text.encode())
    assert list(tokenizer.encode_iterable(repeat(text, length))) == list(tokenizer.encode_fast(text * length))
    assert sum(searched) <= 2 * 100_000


def test_memory_stays_below_a_megabyte():
    tokenizer = BPETokenizer(["<|endoftext|>"], "gpt4")
    tokenizer.train_exact(TEXT[:100_000], 1000, progress=False)
    lines = TEXT[:150_000].splitlines(keepends=True)
    for _ in tokenizer.encode_iterable(lines):
        pass
    lines += lines
    tracemalloc.start()
    try:
        for _ in tokenizer.encode_iterable(lines):
            pass
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "texts", "error", "message"),
    [
        ("encode_iterable", 5, TypeError, "not iterable"),
        *(
            ("encode_iterable", wrong, TypeError, "must be a str")
            for wrong in (b"bytes", ["text", 5], ["text", b"bytes"])
        ),
        ("encode_iterable", ["text", "\ud83d"], ValueError, "lone surrogate"),
        ("encode_batch", "text", TypeError, r"write \[text\]"),
        *(("encode_batch", ["text", wrong], TypeError, "must be a str") for wrong in (5, b"bytes")),
        ("encode_batch", ["text", "\ud83d"], ValueError, "lone surrogate"),
        ("encode_fast", b"bytes", TypeError, "must be a str"),
        ("encode_ordinary_fast", "\ud83d", ValueError, "lone surrogate"),
    ],
)
def test_what_is_no_text_is_refused(method, texts, error, message):
    with pytest.raises(error, match=message):
        list(getattr(BPETokenizer(), method)(texts))


def test_training_again_in_between_does_not_change_the_stream():
    tokenizer = BPETokenizer(pattern="gpt2")
    tokenizer.train_exact(TEXT[:20_000], 400, progress=False)
    expected = list(tokenizer.encode_fast(TEXT[:30_000]))
    stream = tokenizer.encode_iterable(TEXT[:30_000].splitlines(keepends=True))
    found = list(islice(stream, 100))
    tokenizer.train_exact("something else " * 20, 260, progress=False)
    assert [*found, *stream] == expected


# --- several texts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4", "[a-z]+|[^a-z]+"])
@pytest.mark.parametrize("num_threads", [None, 8])
def test_a_batch_gives_the_ids_of_each_text(pattern, num_threads):
    choose = random.Random(5)
    tokenizer = BPETokenizer(["<|end|>", "<|pad|>"], pattern)
    tokenizer.train_exact(TEXT[:20_000], 400, progress=False)
    ends = ["", "<|end|>", "<|end|><|pad|>", " <|end|> ", "<|en"]
    short = [choose.choice(ends) + random_text(choose, choose.randrange(40)) + choose.choice(ends) for _ in range(500)]
    assert tokenizer.encode_batch(iter(short), num_threads=num_threads) == [tokenizer.encode(text) for text in short]
    long = ["", *list(topics.values())[:20], TEXT[:70_000], TEXT[70_000:140_000]]
    assert tokenizer.encode_batch(long, num_threads=num_threads) == [tokenizer.encode_fast(text) for text in long]
    assert tokenizer.encode_batch([]) == []


def test_in_a_batch_a_text_may_have_more_ids_than_are_computed_at_a_time(monkeypatch):
    monkeypatch.setattr(encoding, "OUTPUT", 1000)
    texts = ["a", "b" * 20_001, "", "c" * 10_000, "d"]
    assert BPETokenizer().encode_batch(texts) == [list(text.encode()) for text in texts]


@pytest.mark.parametrize(("num_threads", "threads"), [(None, 3), (2, 2)])
def test_a_batch_has_a_thread_for_each_core_or_as_many_as_asked_for(num_threads, threads, monkeypatch):
    pools = []
    monkeypatch.setattr(fast, "cores", lambda: 3)
    monkeypatch.setattr(fast, "ThreadPoolExecutor", lambda *size: pools.append(size) or ThreadPoolExecutor(*size))
    BPETokenizer().encode_batch(["a" * fast.GROUP] * 8, num_threads=num_threads)
    assert pools == [(threads,)]
