"""With the same vocabulary, WordPiece and Unigram give the IDs of Hugging Face's library."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from g2c.common.errors import CorpusError
from g2c.corpus.corpora import read_table
from g2c.corpus.published_tokenizers import load_bert
from g2c.solutions.unigram import UnigramTokenizer
from g2c.solutions.wordpiece import WordPieceTokenizer

SENTENCES = """the king and the queen hugs her son; the low, lower and lowest lords never hug.
unaffordable tokenization isn't naïve: Größe, café, Ελλάδα, привет, 你好 世界, 한국어, 1,024 €5 #hash ## C# $x_y"""
ALPHABET = "abcdefghijklmnopqrstuvwxyzäöüßéñçABCDEFG0123456789.,;:!?'\"-_#$ \t\n你好αβγжд😀\u0301\u200b\u00a0"
RANDOM = random.Random(20)
TEXTS = [" ".join(RANDOM.choices(SENTENCES.split(), k=RANDOM.randint(0, 12))) for _ in range(150)]
TEXTS += ["".join(RANDOM.choices(ALPHABET, k=RANDOM.randint(0, 40))) for _ in range(150)]


def in_the_library(model, pre_tokenizer, decoder) -> Tokenizer:
    library = Tokenizer(model)
    library.pre_tokenizer, library.decoder = pre_tokenizer, decoder
    return library


@pytest.mark.parametrize(("lowercase", "longest"), [(True, 100), (False, 7)])
def test_wordpiece(lowercase, longest):
    ours = WordPieceTokenizer(lowercase=lowercase, max_input_chars_per_word=longest)
    ours.train(SENTENCES * 2, 150)
    model = models.WordPiece(ours.token_to_id, unk_token="[UNK]", max_input_chars_per_word=longest)
    theirs = in_the_library(model, pre_tokenizers.BertPreTokenizer(), decoders.WordPiece(cleanup=False))
    theirs.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    for text in TEXTS:
        assert ours.encode(text) == theirs.encode(text).ids, text


def test_the_vocabulary_of_bert_gives_the_ids_of_bert():
    try:
        (table,), theirs = read_table("bert"), load_bert()
    except CorpusError:
        pytest.skip("bert is not here (./datasets.sh bert)")
    ours = WordPieceTokenizer(table.decode().splitlines())
    for text in TEXTS:
        assert ours.encode(text, add_special_tokens=True) == theirs.encode(text).ids, text


@given(
    st.dictionaries(st.text("ab▁", min_size=1, max_size=4), st.floats(-12, -0.5) | st.integers(-3, -1), min_size=1),
    st.lists(st.text("aabb c", max_size=12), max_size=20),
)
@example({"a": -1.8632380643103665, "▁b": -2.356798619654877, "aa": -2.925493994841834}, ["baaa"])
@example({"▁": -1, "a": -1, "aa": -2}, ["aa"])
def test_unigram_with_scores_of_any_digits_and_ties(scores, texts):
    ours = UnigramTokenizer({"<unk>": 0} | scores)
    model = models.Unigram([*ours.scores.items()], ours.token_to_id["<unk>"])
    theirs = in_the_library(model, pre_tokenizers.Metaspace(), decoders.Metaspace())
    for text in texts:
        assert ours.encode(text) == theirs.encode(text).ids, (ours.scores, text)
        assert ours.decode(ours.encode(text)) == theirs.decode(theirs.encode(text).ids, skip_special_tokens=False)
