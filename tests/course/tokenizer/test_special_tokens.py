"""Special tokens of any text and at any ID, and training with them."""

import random
from pydoc_data.topics import topics

import pytest

from g2c.formats.hf_format import BYTE_TO_CHAR
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.special_tokens import _BYTE_CHARACTERS, special_token_ids
from support.agreement import disagreements

TEXT = "\n".join(topics.values())[:5000]
OVERLAPPING = ["<|a", "<|a|>", "<|a|><|a|>", "|>"]
ANY_TEXT = ["<｜begin▁of▁sentence｜>", "結束", " ", "\n\n", "\x7f", "a b", "ſ ", "<|end|>", "👋"]


def trained(special_tokens, pattern=None) -> BPETokenizer:
    tokenizer = BPETokenizer(special_tokens, pattern)
    tokenizer.train_exact(TEXT, tokenizer.base_vocab_size + 20, progress=False)
    return tokenizer


def random_text(pieces, length: int, seed: int) -> str:
    choose = random.Random(seed)
    return "".join(choose.choice([*pieces, "the cat", " ", "|", "é"]) for _ in range(length))


def test_the_characters_that_spell_bytes_are_the_byte_alphabet():
    """The set is in the lowest rooms, which may not import the alphabet of g2c.formats."""
    assert frozenset(BYTE_TO_CHAR.values()) == _BYTE_CHARACTERS


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("special_tokens", [OVERLAPPING, ANY_TEXT], ids=["overlapping", "any text"])
@pytest.mark.parametrize("pattern", [None, "gpt4"])
def test_the_library_tokenizers_finds_the_same_and_decodes_them(special_tokens, pattern, tmp_path):
    tokenizer = trained(special_tokens, pattern)
    library, back = tokenizer.to_hf(), BPETokenizer.load(tokenizer.save(tmp_path))
    texts = [random_text(special_tokens, 12, seed) for seed in range(100)]
    assert disagreements(tokenizer, texts[:50]) == []
    for text in texts:
        ids = tokenizer.encode(text)
        assert ids == tokenizer.encode_fast(text) == back.encode(text) == library.encode(text).ids, text
        assert library.decode(ids, skip_special_tokens=False) == tokenizer.decode(ids) == text


@pytest.mark.parametrize(
    ("special_tokens", "problem"),
    [
        ({"<|a|>", "<|b|>"}, "must be a list of strings"),
        (None, "must be a list of strings"),
        ([""], "must not be empty"),
        (["<|\ud83d|>"], "lone surrogate"),
        (["<|é|>"], "'<|é|>' is spelled like bytes"),
        (["|"], "'|' is spelled like bytes"),
        (["Ġthe"], "'Ġthe' is spelled like bytes"),
        (["<|a|>", "<|b|>", "<|a|>"], "'<|a|>' is listed twice"),
    ],
)
def test_what_other_libraries_would_read_otherwise_is_refused(special_tokens, problem):
    with pytest.raises((ValueError, TypeError)) as error:
        special_token_ids(special_tokens)
    assert problem in str(error.value)


# --- IDs and training -------------------------------------------------------------------------------------------------


def test_special_tokens_have_any_ids_but_then_nothing_is_trained():
    tokenizer = BPETokenizer({"<|end|>": 258, "<|pad|>": 100_000})
    assert tokenizer.encode("a<|end|><|pad|>") == [97, 258, 100_000]
    for train in (tokenizer.train, tokenizer.train_exact, tokenizer.train_fast):
        with pytest.raises(ValueError, match="other IDs than 0, 1, 2 and so on, as in a published tokenizer"):
            train(TEXT, 290, progress=False)
    with pytest.raises(ValueError, match="has the ID 40000000, but its ID must be from 0 to 1,999,999"):
        BPETokenizer({"<|end|>": 40_000_000})
    with pytest.raises(ValueError, match="'<|end|>' and '<|pad|>' have the same ID, 300"):
        BPETokenizer({"<|end|>": 300, "<|pad|>": 300})
    in_order = BPETokenizer({"<|pad|>": 257, "<|end|>": 256})
    in_order.train(TEXT, 290, progress=False)
    assert in_order.merges == trained(["<|end|>", "<|pad|>"]).merges | in_order.merges


def test_ctrl_c_keeps_what_was_learned():
    def stop(report):
        if report.done == 5:
            raise KeyboardInterrupt

    for name in ("train", "train_exact"):
        tokenizer = BPETokenizer(["<|end|>"])
        with pytest.raises(KeyboardInterrupt, match="Stopped after 5 merges. The tokenizer is complete up to there"):
            getattr(tokenizer, name)(TEXT, 290, progress=stop)
        assert list(tokenizer.merges.values()) == [257, 258, 259, 260, 261], name
        assert set(tokenizer.vocab) == {*range(262)}
