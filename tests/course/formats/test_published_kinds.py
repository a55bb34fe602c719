"""What published tokenizers have and the course's do not, on small files of each kind: the IDs are the library's."""

import base64
import json

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from g2c.formats.from_vocabulary import parse_ranks, table_of_ranks
from g2c.formats.hf_format import bytes_to_chars
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact
from support.tokenizer_files import content_of, read, state

PARTS = [*"aeAB 1'.:!/\n中か・\u0301é①Ａ", "<|end|>", "<think>", "<|end", "  ", ".:.:", "it's", "\u212b", "12345"]
TEXT = "Größe, it's 1234567 WORDS; helloWorld//x\n/y .:.:.:. ... é中文か・ノ हिन्दी don't\u0301 <think>\n" * 3


def content(pattern, *, normalizer=None, merges=60, **model):
    """The content of a tokenizer.json with this pattern, whose bytes are numbered as in published files."""
    trained = BPETokenizer(pattern=pattern)
    trained.train_exact(TEXT, 256 + merges, progress=False)
    data = content_of(trained)
    data["model"].update(model)
    data["normalizer"] = normalizer
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    data["added_tokens"] = [
        {"id": 256 + merges, "content": "<|end|>", **flags, "special": True},
        {"id": 257 + merges, "content": "<think>", **flags, "special": False},
    ]
    return data


def every_merge(data):
    """All pairs of tokens that make a token, in the order of its ID, as in the files of gpt-oss and Llama 3."""
    vocab = data["model"]["vocab"]
    learned = sorted((token for token in vocab if len(token) > 1), key=vocab.get)
    pairs = [[token[:cut], token[cut:]] for token in learned for cut in range(1, len(token))]
    data["model"]["merges"] = [pair for pair in pairs if pair[0] in vocab and pair[1] in vocab]
    return data


def with_whole_piece():
    """As in Llama 3: no merges of bytes make "xyz", nor "abcd", since b and c come first; and .:.: is made from a token
    of higher ID."""
    data = content("gpt4", merges=0, ignore_merges=True)
    tokens = [b"bc", b":.", b"ab", b"abcd", b".:.:", b".:.", b"xyz", b"..", b"...", b"...."]
    data["model"]["vocab"] |= {bytes_to_chars(token): 256 + rank for rank, token in enumerate(tokens)}
    for number, entry in enumerate(data["added_tokens"]):
        entry["id"] = 256 + len(tokens) + number
    return every_merge(data)


KINDS = {
    "o200k": every_merge(content("o200k", ignore_merges=True)),
    "llama3": with_whole_piece(),
    "qwen": content("qwen", normalizer={"type": "NFC"}),
    "gpt2": content("gpt2", normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}]}),
}
LIBRARIES = {name: tokenizers.Tokenizer.from_str(json.dumps(data)) for name, data in KINDS.items()}
OURS = {name: read(data) for name, data in KINDS.items()}


@pytest.mark.parametrize("name", KINDS)
@given(text=st.lists(st.sampled_from([*PARTS, "abc", "xyz", "abcd", " ("]), max_size=25).map("".join))
def test_each_kind_gives_the_ids_of_the_library(name, text):
    ours, library = OURS[name], LIBRARIES[name]
    ids = library.encode(text, add_special_tokens=False).ids
    assert ours.encode(text) == ours.encode_fast(text) == ours.to_hf().encode(text).ids == ids
    assert ours.decode(ids) == library.decode(ids, skip_special_tokens=False)
    assert ours.to_hf().decode(ids) == library.decode(ids), "<think> is shown, <|end|> is not"


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_can_be_saved(name, tmp_path):
    ours = OURS[name]
    again, ids, manifest, folder = load_artifact(ours.save_artifact(tmp_path / "saved", list(ours.vocab)))
    assert (state(again), ids.tolist()) == (state(ours), list(ours.vocab))
    assert manifest["tokenizer"]["vocab_size"] == len(ours.vocab)
    shown = json.loads((folder / "tokenizer_config.json").read_text())
    assert "<think>" not in shown["additional_special_tokens"], "transformers would omit it from what it decodes"
    assert again.encode_fast(TEXT) == LIBRARIES[name].encode(TEXT, add_special_tokens=False).ids


def test_a_tokenizer_keeps_only_the_merges_that_encoding_applies():
    ours, listed = OURS["llama3"], KINDS["llama3"]["model"]["merges"]
    assert ours.whole_pieces == {b"abcd": 259, b"xyz": 262}, "bc is merged first, so no text gives ab and cd"
    assert [pair for pair, made in ours.merges.items() if made == 265] == [(263, 263)]
    assert ["...", "."] in listed, "which no text needs"
    assert ours.merges[261, 58] == 260, "the token 260, .:.:, is made from the token 261"
    with pytest.raises(ValueError, match=r"normalizes texts \(NFC\), which tiktoken does not"):
        OURS["qwen"].to_tiktoken()


def test_ranks_are_read_as_tiktoken_reads_them():
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"abc": 257, b"xyz": 258}
    lines = b"\n".join(base64.b64encode(token) + b" %d" % rank for token, rank in ranks.items())
    assert parse_ranks(lines + b"\n\n") == ranks
    tokenizer = table_of_ranks(ranks, {"<|end|>": 300}, "o200k").tokenizer(BPETokenizer)
    assert tokenizer.encode("xyz xyz abc<|end|>") == tokenizer.encode_fast("xyz xyz abc<|end|>")
    assert tokenizer.encode("xyz") == [258] and len(tokenizer.encode(" xyz")) == 4
    for data in (b"IQ= 0", b"IQ==", b"IQ== rank"):
        with pytest.raises(ValueError):
            parse_ranks(data)
