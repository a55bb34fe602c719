"""What published tokenizers have and the course's do not, on small files of each kind: the IDs are the library's."""

import base64
import json
import random

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import FileFormatError
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.verify import verify
from g2c.formats.artifact import load_artifact
from g2c.formats.hf_format import BYTE_TO_CHAR, bytes_to_chars, from_hf_dict, to_hf_dict
from g2c.formats.interop import from_ranks, parse_ranks
from g2c.formats.tokenizer_json import fingerprint, load
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.patterns import PATTERNS

PARTS = [*"aeAB 1'.:!/\n中か・\u0301é①Ａ", "<|end|>", "<think>", "<|end", "  ", ".:.:", "it's", "\u212b", "12345"]
TEXT = "Größe, it's 1234567 WORDS; helloWorld//x\n/y .:.:.:. ... é中文か・ノ हिन्दी don't\u0301 <think>\n" * 3


def content(pattern, *, normalization=None, merges=60, **model):
    """The content of a tokenizer.json with this pattern, whose bytes are numbered as in published files."""
    trained = BPETokenizer(pattern=pattern)
    trained.train_exact(TEXT, 256 + merges, progress=False)
    data = to_hf_dict(trained)
    data["model"].update(model)
    data["normalizer"] = normalization and {"type": normalization}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    for number, (token, special) in enumerate((("<|end|>", True), ("<think>", False))):
        data["added_tokens"].append({"id": 256 + merges + number, "content": token, **flags, "special": special})
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


def in_a_list(data):
    normalizer = data["normalizer"]
    data["normalizer"] = {"type": "Sequence", "normalizers": [normalizer] if normalizer else []}
    return data


KINDS = {
    "o200k": every_merge(content("o200k", ignore_merges=True)),
    "llama3": with_whole_piece(),
    "qwen": content("qwen", normalization="NFC"),
    "deepseek": in_a_list(content("deepseek")),
    "gpt4o": content("o200k"),
    "starcoder": content("gpt2", normalization="NFC"),
    "claude": in_a_list(content("gpt2", normalization="NFKC")),
}
KINDS["gpt4o"]["pre_tokenizer"]["pretokenizers"][0] |= {"behavior": "Removed", "invert": True}
# As in StarCoder, SmolLM and Command R, with the runs of spaces and the template of GPT-NeoX and RoBERTa.
digits = [{"type": "Digits", "individual_digits": True}, {"type": "Digits", "individual_digits": False}]
byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
KINDS["starcoder"]["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [*digits, byte_level]}
KINDS["starcoder"]["added_tokens"] += [{**KINDS["starcoder"]["added_tokens"][1], "id": 318, "content": "  "}]
KINDS["starcoder"]["added_tokens"][2]["normalized"] = True
KINDS["starcoder"]["post_processor"] = {"type": "BertProcessing", "sep": ["<|end|>", 316], "cls": ["<|end|>", 316]}
KINDS["claude"]["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
KINDS["llama3"]["post_processor"] = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<|end|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<|end|>": {"id": "<|end|>", "ids": [266], "tokens": ["<|end|>"]}},
}
LIBRARIES = {name: tokenizers.Tokenizer.from_str(json.dumps(data)) for name, data in KINDS.items()}
OURS = {name: from_hf_dict(data, BPETokenizer) for name, data in KINDS.items()}


@pytest.mark.parametrize("name", KINDS)
@given(text=st.lists(st.sampled_from([*PARTS, "\U00011de1", "abc", "xyz", "abcd", " ("]), max_size=25).map("".join))
def test_each_kind_gives_the_ids_of_the_library(name, text):
    ours, library = OURS[name], LIBRARIES[name]
    ids = library.encode(text, add_special_tokens=False).ids
    assert ours.encode(text) == ours.encode_fast(text) == ours.encode_batch([text, text])[1] == ids
    assert list(ours.encode_iterable([*text])) == ours.to_hf().encode(text).ids == ids
    assert ours.decode(ids) == library.decode(ids, skip_special_tokens=False)
    assert ours.to_hf().decode(ids) == library.decode(ids), "<think> is shown, <|end|> is not"


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_can_be_saved_encodes_a_corpus_and_is_verified(name, tmp_path):
    ours, chance = OURS[name], random.Random(1)
    text = "".join(chance.choices([*PARTS, " ", "x "], k=30_000))
    (tmp_path / "corpus.txt").write_text(text)
    shown = json.loads((ours.save(tmp_path / "saved").parent / "tokenizer_config.json").read_text())
    assert "<think>" not in shown["additional_special_tokens"], "transformers would omit it from what it decodes"
    folder = encode_corpus(ours, tmp_path / "corpus.txt", tmp_path / "artifact", shard_bytes=20_000, progress=False)
    artifact = load_artifact(folder, cls=BPETokenizer)
    assert artifact.ids.tolist() == LIBRARIES[name].encode(text, add_special_tokens=False).ids
    assert fingerprint(artifact.tokenizer) == fingerprint(ours)
    assert [check for check in verify(folder) if check.passed is False] == []


def test_a_tokenizer_keeps_only_the_merges_that_encoding_applies():
    ours, listed = OURS["llama3"], KINDS["llama3"]["model"]["merges"]
    assert ours.whole_pieces == {b"abcd": 259, b"xyz": 262}, "bc is merged first, so no text gives ab and cd"
    assert [pair for pair, made in ours.merges.items() if made == 265] == [(263, 263)]
    assert ["...", "."] in listed, "which no text needs"
    assert ours.merges[261, 58] == 260, "the token 260, .:.:, is made from the token 261"


def test_what_tiktoken_cannot_do_is_refused():
    with pytest.raises(ValueError, match=r"normalizes texts \(NFC\), but"):
        OURS["qwen"].to_tiktoken()
    with pytest.raises(ValueError, match="splits texts by several regexes, but"):
        OURS["deepseek"].to_tiktoken()


def test_ranks_are_read_as_tiktoken_reads_them():
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"abc": 257, b"xyz": 258}
    lines = b"\n".join(base64.b64encode(token) + b" %d" % rank for token, rank in ranks.items())
    assert parse_ranks(lines + b"\n= 259\n\n") == ranks
    tokenizer = from_ranks(ranks, {"<|end|>": 300}, "o200k", BPETokenizer)
    assert tokenizer.encode("xyz xyz abc<|end|>") == tokenizer.encode_fast("xyz xyz abc<|end|>")
    assert tokenizer.encode("xyz") == [258] and len(tokenizer.encode(" xyz")) == 4
    with pytest.raises(ValueError, match="It is empty, but should have a line for each token"):
        parse_ranks(b"\n")


def test_a_special_token_fills_the_gap_in_a_table_of_ranks():
    """As <|endoftext|> in p50k_base, whose last tokens come after it."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"abc": 258}
    tokenizer = from_ranks(ranks, {"<|end|>": 257}, "gpt2", BPETokenizer)
    assert tokenizer.encode("abc<|end|>") == tokenizer.encode_fast("abc<|end|>") == [258, 257]
    with pytest.raises(ValueError, match="-> 258, number 2, should have the ID 257: .* If this ID is a special token"):
        from_ranks(ranks, {}, "gpt2", BPETokenizer)


def test_tekken_is_read(tmp_path):
    tokens = [*(bytes([byte]) for byte in range(256)), b"th", b"the", b"not in the default vocabulary"]
    entries = [{"rank": rank, "token_bytes": base64.b64encode(t).decode()} for rank, t in enumerate(tokens)]
    config = {"pattern": PATTERNS["qwen"], "default_vocab_size": 261, "default_num_special_tokens": 3}
    special = [{"rank": 1, "token_str": "<s>", "is_control": True}]
    (tmp_path / "tekken.json").write_text(json.dumps({"config": config, "vocab": entries, "special_tokens": special}))
    tokenizer = load(tmp_path / "tekken.json", BPETokenizer)
    assert tokenizer.special_to_id == {"<SPECIAL_0>": 0, "<s>": 1, "<SPECIAL_2>": 2}
    assert tokenizer.encode("<s>the 1") == tokenizer.encode_fast("<s>the 1") == [1, 260, 35, 52]
    entries[257]["token_bytes"] = entries[256]["token_bytes"]
    (tmp_path / "tekken.json").write_text(json.dumps({"config": config, "vocab": entries}))
    with pytest.raises(FileFormatError, match="A token of this tekken.json has two ranks"):
        load(tmp_path / "tekken.json", BPETokenizer)


@pytest.mark.parametrize(
    ("data", "problem", "as_ranks"),
    [
        (dict(zip(BYTE_TO_CHAR.values(), range(256))), "It has the ID of each token, but no merges", "It is JSON"),
        ({"pat_str": "x", "bpe_ranks": "! 0 IQ=="}, "It is a table of tiktoken in JSON", "It is JSON"),
        ({"config": {}, "vocab": []}, "This is not a tekken.json that can be read: KeyError", "It is JSON"),
        ({"model": {"type": "Unigram"}}, "It is a Unigram tokenizer, which load_unigram of", "It is JSON"),
        ({"model_type": "gpt2"}, "It has no part named model, as a tokenizer.json has", "It is JSON"),
        ([["IQ==", 0]], "It holds [['IQ==', 0]], but a tokenizer.json is an object", "It is JSON"),
        ("IQ== 0\nIQ== 1\n", "It is a table of tiktoken. BPETokenizer.from", "Line 2 gives b'!' the rank 1"),
        ("#version: 0.2\nt h\n", "It lists merges, as GPT-2's vocab.bpe", "Line 1 is b'#version: 0.2'"),
        ("t h\nth e\n", "It lists merges, as GPT-2's vocab.bpe", "Line 1 is b't h'"),
        ("IQ== 0\nIQ= 0", "It is a table of tiktoken.", "Line 2 is b'IQ= 0'"),
        ({"!": 0, "model": 1}, "It has the ID of each token, but no merges", "It is JSON"),
        ("\n\x0e\n\x05<unk>\x15\n", "It is a model of SentencePiece", "Line 2 is b'\\x0e'"),
        ("version https://git-lfs.github.com/spec/v1\n", "It is a pointer of Git LFS", "Line 1 is b'version"),
        ("[PAD]\n[UNK]\n", None, "Line 1 is b'[PAD]'"),
    ],
)
def test_a_file_of_another_kind_is_named_as_such_by_both_readers(tmp_path, data, problem, as_ranks):
    file = tmp_path / "x.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data))
    for read, told in ((BPETokenizer.load, problem), (BPETokenizer.from_tiktoken_file, as_ranks)):
        with pytest.raises(FileFormatError) as error:
            read(file)
        assert str(error.value).startswith(f"{file}: {told}" if told else f"{file} is not valid JSON")
