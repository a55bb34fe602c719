"""WordPiece and Unigram as tokenizer.json: the libraries give the same IDs."""

import random

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from g2c.common.errors import CorpusError
from g2c.corpus.corpora import read_table
from g2c.corpus.published_tokenizers import load_bert
from g2c.formats.subword_json import unigram_to_hf, wordpiece_to_hf
from g2c.solutions.unigram import UnigramTokenizer
from g2c.solutions.wordpiece import WordPieceTokenizer

SENTENCES = """the king and the queen hugs her son; the low, lower and lowest lords never hug.
unaffordable tokenization isn't naïve: Größe, café, Ελλάδα, привет, 你好 世界, 한국어, 1,024 €5 #hash ## C# $x_y"""
ALPHABET = "abcdefghijklmnopqrstuvwxyzäöüßéñçABCDEFG0123456789.,;:!?'\"-_#$ \t\n你好αβγжд😀\u0301\u200b\u00a0"


def texts() -> list[str]:
    """Texts of known words and of random characters, always the same."""
    rng, words = random.Random(20), SENTENCES.split()
    known = [" ".join(rng.choices(words, k=rng.randint(0, 12))) for _ in range(150)]
    return known + ["".join(rng.choices(ALPHABET, k=rng.randint(0, 40))) for _ in range(150)]


@pytest.mark.parametrize(
    ("tokenizer", "convert"),
    [
        (WordPieceTokenizer(), wordpiece_to_hf),
        (WordPieceTokenizer(lowercase=False, max_input_chars_per_word=7), wordpiece_to_hf),
        (UnigramTokenizer(), unigram_to_hf),
    ],
)
def test_the_library_tokenizers_gives_the_same_ids(tokenizer, convert):
    tokenizer.train(SENTENCES * 2, 150)
    theirs = tokenizers.Tokenizer.from_str(convert(tokenizer).to_str())
    for text in texts():
        assert tokenizer.encode(text) == theirs.encode(text, add_special_tokens=False).ids, text
        if convert is wordpiece_to_hf:
            assert tokenizer.encode(text, add_special_tokens=True) == theirs.encode(text).ids, text


SCORES = st.floats(-12, -0.5) | st.integers(-3, -1)


@given(
    st.dictionaries(st.text("ab▁", min_size=1, max_size=4), SCORES, min_size=1, max_size=10),
    st.lists(st.text("aabb c", max_size=12), max_size=20),
)
@example({"a": -1.8632380643103665, "▁b": -2.356798619654877, "aa": -2.925493994841834}, ["baaa"])
def test_viterbi_decides_ties_as_tokenizers_does_with_scores_of_any_digits(scores, texts):
    tokenizer = UnigramTokenizer({"<unk>": 0} | scores)
    theirs = unigram_to_hf(tokenizer)
    for text in texts:
        assert tokenizer.encode(text) == theirs.encode(text).ids, (tokenizer.scores, text)
    for first in range(tokenizer.vocab_size):
        ids = [*range(first, tokenizer.vocab_size), first]
        assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
        assert tokenizer.decode(ids, skip_special_tokens=True) == theirs.decode(ids)


@pytest.mark.interop
@pytest.mark.timeout(300)
def test_sentencepiece_gives_the_same_segmentations(tmp_path):
    sentencepiece = pytest.importorskip("sentencepiece", reason="it is not installed (pip install -e '.[interop]')")
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join([SENTENCES.replace("\n", " ")] * 20), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus),
        model_prefix=str(tmp_path / "model"),
        vocab_size=150,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        bos_id=-1,
        eos_id=-1,
        minloglevel=2,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "model.model"))
    scores = {theirs.id_to_piece(number): theirs.get_score(number) for number in range(theirs.get_piece_size())}
    tokenizer = UnigramTokenizer(scores)
    for text in texts():
        # Before a text that begins with a space it puts another one; tokenizers does not.
        if text and not text.startswith(" "):
            assert tokenizer.encode(text) == theirs.encode(text), text


@pytest.mark.whole
def test_the_vocabulary_of_bert_gives_the_ids_of_bert():
    try:
        (table,), theirs = read_table("bert"), load_bert()
    except CorpusError:
        pytest.skip("BERT's vocabulary is missing; fetch it with: ./datasets.sh bert")
    bert = WordPieceTokenizer(table.decode("utf-8").splitlines())
    characters = [chr(point) for point in [*range(0xD800), *range(0xE000, 0x30000)]]
    rows = ("".join(f"a{one}b {one} " for one in characters[start : start + 50]) for start in range(0, 190_000, 50))
    for text in [*texts(), *rows]:
        assert bert.encode(text, add_special_tokens=True) == theirs.encode(text).ids, text
