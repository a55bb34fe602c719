"""Special tokens of any text and at any ID, which of them `encode` finds, and training with them."""

import random
from pydoc_data.topics import topics

import pytest

from g2c.common.errors import UnsupportedTokenizer
from g2c.formats.hf_format import BYTE_TO_CHAR
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load
from g2c.tokenizer.special_tokens import _BYTE_CHARACTERS, check_special_tokens

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
    library = tokenizer.to_hf()
    back = load(tokenizer.save(tmp_path), BPETokenizer)
    for seed in range(100):
        text = random_text(special_tokens, 12, seed)
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
        (["<|end|>", "x" * 1_000_000], "more than 1,000,000 characters in all"),
    ],
)
def test_what_other_libraries_would_read_otherwise_is_refused(special_tokens, problem):
    with pytest.raises((ValueError, TypeError)) as error:
        check_special_tokens(special_tokens)
    assert problem in str(error.value)


def test_no_tokenizer_is_made_that_cannot_be_saved(tmp_path):
    tokenizer = trained([])
    learned = next(token.decode() for token in tokenizer.vocab.values() if len(token) > 2 and token.isalpha())
    tokenizer.add_special_tokens({"<|a|>": 400})
    for taken in ([learned], {learned: 5000}, ["<|a|>"], {"<|b|>": 400}, {"<|b|>": 256}):
        with pytest.raises(ValueError, match=r"The special token .* or its ID, .* is already in the vocabulary"):
            tokenizer.add_special_tokens(taken)
    with pytest.raises(ValueError, match="has the ID 40000000, but its ID must be from 0 to 1,999,999"):
        tokenizer.add_special_tokens({"<|end|>": 40_000_000})
    tokenizer.add_special_tokens([f" {learned}"])
    load(tokenizer.save(tmp_path), BPETokenizer)


@pytest.mark.interop
def test_tiktoken_gets_them_only_if_it_finds_the_longest():
    pytest.importorskip("tiktoken")
    for special_tokens in (["<|a", "<|a|>"], ["<|a|>", "<|a"], ANY_TEXT):
        tokenizer = trained(special_tokens)
        try:
            encoding = tokenizer.to_tiktoken()
        except UnsupportedTokenizer as error:
            assert "begins with another special token" in str(error)
            continue
        for seed in range(50):
            text = random_text(special_tokens, 8, seed)
            assert encoding.encode(text, allowed_special="all") == tokenizer.encode(text)


# --- IDs and training -------------------------------------------------------------------------------------------------

ANY_IDS = {"<|end|>": 258, "<|end|><|end|>": 300, "<|pad|>": 100_000}


@pytest.mark.parametrize("pattern", [None, "gpt2"])
def test_a_tokenizer_with_special_tokens_at_any_ids_is_trained(pattern, tmp_path):
    text = TEXT.replace("the", "<|end|>").replace("assert", "<|end|><|end|><|pad|>")
    made = {}
    for name in ("train", "train_exact"):
        made[name] = BPETokenizer(ANY_IDS, pattern)
        ids = getattr(made[name], name)(text, 290, progress=False)
        assert ids == made[name].encode(text)
        assert {258, 300, 100_000} <= set(ids)
        assert list(made[name].merges.values()) == [256, 257, *range(259, 259 + 29)]
        assert made[name].vocab_size == 290
    assert made["train"].merges == made["train_exact"].merges
    assert made["train"].vocab == made["train_exact"].vocab
    assert load(made["train"].save(tmp_path), BPETokenizer).merges == made["train"].merges


def test_their_ids_do_not_change_what_is_learned():
    in_order, elsewhere = BPETokenizer(list(ANY_IDS), "gpt4"), BPETokenizer(ANY_IDS, "gpt4")
    for train, options in (("train_exact", {"ties": "lowest-id"}), ("train_exact", {}), ("train_fast", {})):
        for tokenizer in (in_order, elsewhere):
            tokenizer._reset()
            getattr(tokenizer, train)(TEXT, 285, progress=False, **options)
        learned = [[t.vocab[new_id] for new_id in t.merges.values()] for t in (in_order, elsewhere)]
        assert learned[0] == learned[1] and len(learned[0]) == 26


def test_ctrl_c_keeps_what_was_learned(monkeypatch):
    notes = []
    monkeypatch.setattr("g2c.common.progress.Reporter.note", lambda _, text: notes.append(text))

    def stop(report):
        if report.done == 5:
            raise KeyboardInterrupt

    for name in ("train", "train_exact"):
        tokenizer = BPETokenizer(ANY_IDS)
        with pytest.raises(KeyboardInterrupt):
            getattr(tokenizer, name)(TEXT, 290, progress=stop)
        assert list(tokenizer.merges.values()) == [256, 257, 259, 260, 261], name
        assert set(tokenizer.vocab) == {*range(256), *ANY_IDS.values(), *tokenizer.merges.values()}
        assert "Stopped after 5 merges" in notes.pop()


# --- the choice -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowed_special", "expected"),
    [
        ("all", [104, 256, 105, 257]),
        ("none", [104, *b"<|end|>", 105, *b"<|pad|>"]),
        ({"<|pad|>"}, [104, *b"<|end|>", 105, 257]),
        (["<|end|>"], [104, 256, 105, *b"<|pad|>"]),
        (set(), [104, *b"<|end|>", 105, *b"<|pad|>"]),
    ],
    ids=["all", "none", "one in a set", "one in a list", "an empty set"],
)
def test_every_encoder_takes_the_choice(allowed_special, expected):
    tokenizer, text = BPETokenizer(["<|end|>", "<|pad|>"]), "h<|end|>i<|pad|>"
    assert tokenizer.encode_with_special(text, allowed_special) == expected
    assert list(tokenizer.encode_fast(text, allowed_special=allowed_special)) == expected
    assert list(tokenizer.encode_iterable(text.partition("end"), allowed_special=allowed_special)) == expected
    assert [list(ids) for ids in tokenizer.encode_batch([text] * 2, allowed_special=allowed_special)] == [expected] * 2


@pytest.mark.parametrize("choice", ["some", "", "界", "<|end|>", {"<|other|>"}])
def test_another_choice_is_refused(choice):
    with pytest.raises(ValueError, match="allowed_special"):
        BPETokenizer(["<|end|>", "界"]).encode_with_special("text", choice)
