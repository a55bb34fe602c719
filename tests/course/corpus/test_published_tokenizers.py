"""The published tokenizers, read from their own files, give the published IDs. Without a table tests are skipped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import g2c.tokenizer
from g2c.corpus.corpora import CORPORA, TABLES, files_are_here, load_corpus
from g2c.tokenizer import load_bert

ODD = "I'm WE'LL 'ſ 12345 ٣٤٥ ½² 日本語 Привет 👩‍👩‍👧 e\u0301 {}(); :// SolidGoldMagikarp <|endoftext|> <|endof".split()
ODD += ["  ", "\n", "\r\n\n", "\t ", " naïve", "\u00a0", "\u3000", "\u200b", "\x00"]
PART = st.text(max_size=4) | st.text("aeiou thsrn", max_size=12) | st.sampled_from(ODD)
TEXTS = st.text(max_size=40) | st.lists(PART, max_size=10).map("".join)


def need(name: str) -> None:
    entry = TABLES.get(name) or CORPORA[name]
    if not files_are_here(entry):
        pytest.skip(f"{name} is not here (./datasets.sh {name})")


@pytest.fixture(scope="module", params=["gpt2", "cl100k"])
def published(request):
    """(a published tokenizer, the same in the library `tokenizers`)."""
    need(request.param)
    tokenizer = getattr(g2c.tokenizer, f"load_{request.param}")()
    return tokenizer, tokenizer.to_hf()


def test_texts_have_the_published_ids(published):
    tokenizer, _ = published
    for text, *ids in (
        ("Hello, world!", [15496, 11, 995, 0], [9906, 11, 1917, 0]),
        ("The quick brown fox<|endoftext|>", [464, 2068, 7586, 21831, 50256], [791, 4062, 14198, 39935, 100257]),
        ("<|fim_prefix|><|fim_middle|><|fim_suffix|><|endofprompt|>", None, [100258, 100259, 100260, 100276]),
        (" SolidGoldMagikarp", [43453], None),
    ):
        if expected := ids[tokenizer.vocab_size == 100261]:
            assert tokenizer.encode(text) == tokenizer.encode_fast(text) == expected
            assert tokenizer.decode(expected) == text


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "ids", "in_hindi"),
    [
        ("o200k", [13225, 11, 2375, 0, 199999, 7633, 19354, 22], 25),
        ("llama3", [9906, 11, 1917, 0, 128001, 4513, 10961, 22], 43),
        ("qwen3", [9707, 11, 1879, 0, 151643, *range(16, 23)], 78),
    ],
)
def test_the_tokenizers_of_today_give_the_published_ids(name, ids, in_hindi):
    """Notebook 04d, exercise 9, has what they take for the sentence in Hindi."""
    need(name)
    tokenizer = getattr(g2c.tokenizer, f"load_{name}")()
    end = "<|end_of_text|>" if name == "llama3" else "<|endoftext|>"
    assert tokenizer.encode(f"Hello, world!{end}1234567") == ids
    rights = "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।"
    assert tokenizer.encode(rights) == tokenizer.encode_fast(rights) == tokenizer.to_hf().encode(rights).ids
    assert len(tokenizer.encode(rights)) == in_hindi
    assert len(tokenizer.whole_pieces) == (588 if name == "llama3" else 0)


def test_deepseek_is_the_librarys_own():
    need("deepseek")
    library = g2c.tokenizer.load_deepseek()
    text = "Hello, world!<｜end▁of▁sentence｜>1234567"
    assert library.encode(text, add_special_tokens=False).ids == [19923, 14, 2058, 3, 1, 6895, 18009, 25]


@pytest.mark.whole
def test_tinyshakespeare_has_the_same_tokens_everywhere(published):
    need("tinyshakespeare")
    (tokenizer, library), text = published, load_corpus("tinyshakespeare").text
    ids = tokenizer.encode_fast(text)
    assert len(ids) == {50257: 338_025, 100261: 301_829}[tokenizer.vocab_size]
    assert ids == library.encode(text).ids


@given(text=TEXTS)
@pytest.mark.timeout(0)
def test_random_texts_have_the_ids_that_the_library_gives(published, text):
    tokenizer, library = published
    ids = library.encode(text).ids
    assert tokenizer.encode(text) == tokenizer.encode_fast(text) == ids
    assert tokenizer.decode(ids) == text


def test_bert_is_the_librarys_own_with_its_published_settings():
    need("bert")
    tokens = load_bert().encode("Tokenization isn't naïve. \U0001f44b " + "x" * 101).tokens
    assert tokens == "[CLS] token ##ization isn ' t naive . [UNK] [UNK] [SEP]".split()
