"""What is saved loads again, here and in the Rust library; what is damaged or foreign is refused with the reason."""

import hashlib
import json
import os
import random
import subprocess
import sys
from array import array

import numpy
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import g2c.tokenizer
from g2c.common.errors import CourseError, FileFormatError, MissingFileError, SavingError
from g2c.common.files import parse_json
from g2c.corpus.corpora import Corpus
from g2c.corpus.verify import verify
from g2c.formats import merge_table
from g2c.formats.artifact import load_artifact, save_artifact
from g2c.formats.hf_format import from_hf_dict, to_hf_dict
from g2c.formats.token_ids import load_token_ids, save_token_ids
from g2c.formats.tokenizer_json import fingerprint, load, save
from g2c.formats.validity import check_tokenizer
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import bpe

TEXT = "First Citizen: we are accounted poor citizens, the patricians good. 1234 we'll\n\n  Ça va 中文 \U0001f44b\n" * 3
CORPUS = Corpus("poem", TEXT, len(TEXT.encode()), "0" * 64)
PATTERNS = [None, "gpt2", "gpt4", r"\w+|[^\w]+", 'a "quoted"\tpattern\\d|/|é\x7f']


def trained(pattern=None, special_tokens=("<|endoftext|>", "<|pad|>", "<|end|>"), merges=60):
    tokenizer = BPETokenizer(special_tokens, pattern=pattern)
    tokenizer.train(TEXT, tokenizer.base_vocab_size + merges, progress=False)
    return tokenizer


def assert_same(loaded, tokenizer):
    assert list(loaded.merges.items()) == list(tokenizer.merges.items())
    assert loaded.vocab == tokenizer.vocab
    assert loaded.special_tokens == tokenizer.special_tokens
    assert loaded.special_to_id == tokenizer.special_to_id
    assert loaded.pattern == tokenizer.pattern
    assert loaded.byte_ids == tokenizer.byte_ids


# --- a tokenizer there and back ---------------------------------------------------------------------------------------


AWKWARD = st.sampled_from(["\\u0000", '"vocab": {}', "null", "<\n\x00|>", "é中\U0001f44b", "<|end|>"])


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@given(
    st.text(max_size=80),
    st.sets(AWKWARD | st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=3, max_size=6), max_size=3),
    st.sampled_from(PATTERNS),
    st.integers(0, 40),
)
def test_any_trained_tokenizer_is_written_as_the_library_writes_it_and_comes_back(
    tmp_path_factory, text, special_tokens, pattern, merges
):
    tokenizer = BPETokenizer(sorted(special_tokens), pattern)
    tokenizer.train_exact(text * 3, tokenizer.base_vocab_size + merges, progress=False)
    folder = tmp_path_factory.mktemp("saved")
    path = save(tokenizer, folder)
    content = path.read_text(encoding="utf-8")
    assert content == json.dumps(json.loads(content), indent=2, ensure_ascii=False)
    Tokenizer.from_file(str(path)).save(str(folder / "rust.json"))
    assert (folder / "rust.json").read_bytes() == path.read_bytes()
    assert_same(load(path, BPETokenizer), tokenizer)


def test_a_folder_gets_the_file_for_transformers_too(tmp_path):
    assert save(trained(), tmp_path / "folder") == tmp_path / "folder" / "tokenizer.json"
    assert sorted(os.listdir(tmp_path / "folder")) == ["tokenizer.json", "tokenizer_config.json"]
    assert json.loads((tmp_path / "folder" / "tokenizer_config.json").read_text()) == {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|endoftext|>",
        "pad_token": "<|pad|>",
        "additional_special_tokens": ["<|end|>"],
    }


def test_a_path_that_ends_in_json_is_the_file_itself(tmp_path):
    assert save(trained(), str(tmp_path / "mine.json")) == tmp_path / "mine.json"
    assert os.listdir(tmp_path) == ["mine.json"]
    assert_same(load(str(tmp_path / "mine.json"), BPETokenizer), trained())


def test_the_class_saves_and_loads(tmp_path):
    tokenizer = trained("gpt2")
    path = tokenizer.save(tmp_path)
    assert_same(BPETokenizer.load(path), tokenizer)
    assert_same(BPETokenizer.load(tmp_path), tokenizer)
    assert type(BPETokenizer.load(path)) is BPETokenizer
    assert type(bpe.BPETokenizer.load(path)) is bpe.BPETokenizer
    assert type(load(path)) is g2c.tokenizer.BPETokenizer
    ids = tokenizer.encode(TEXT)
    assert BPETokenizer.load_token_ids(tokenizer.save_token_ids(ids, tmp_path / "ids")).tolist() == ids
    folder = tokenizer.save_artifact(tmp_path / "artifact", ids, corpus=CORPUS, train={"vocab_size": 319})
    assert type(BPETokenizer.load_artifact(folder).tokenizer) is BPETokenizer


# --- what is not saved ------------------------------------------------------------------------------------------------


def change_merges(tokenizer, change):
    entries = [[pair, new_id] for pair, new_id in tokenizer.merges.items()]
    change(entries)
    tokenizer.merges = {pair: new_id for pair, new_id in entries}


def swap_last_two(entries):
    entries[-1][1], entries[-2][1] = entries[-2][1], entries[-1][1]


INVALID_STATES = [
    (lambda t: t.vocab.pop(300), "vocab has no entry for the ID 300, which should be b"),
    (lambda t: t.vocab.update({300: b"?"}), r"vocab\[300\] is b'\?', but it should be b"),
    (lambda t: t.vocab.update({9999: b"?"}), "vocab contains the ID 9999, which no merge makes"),
    (lambda t: t.vocab.update({65: b"B"}), r"vocab\[65\] is b'B', but it should be b'A'"),
    (lambda t: t.vocab.update({256: b"?"}), r"vocab\[256\] is b'\?', but it should be b'<\|endoftext\|>'"),
    (lambda t: t.vocab.pop(7), "vocab has no entry for the ID 7"),
    (lambda t: t.merges.popitem(), "vocab contains the ID 318, which no merge makes"),
    (lambda t: t.merges.update({(65, 66): 500}), r"The merge \(65, 66\) -> 500 should have the ID 319"),
    (lambda t: t.merges.update({(65, 66): 256}), r"The merge \(65, 66\) -> 256 makes a wrong ID"),
    (lambda t: t.merges.update({(65, 400): 319}), "uses 400, which is neither a byte nor made by an earlier merge"),
    (lambda t: t.merges.update({(319, 319): 319}), "uses 319, which is neither a byte nor"),
    (lambda t: t.merges.update({(65, -1): 319}), "uses -1, which"),
    (lambda t: t.merges.update({(65, 256): 319}), "uses 256, which is neither a byte"),
    (lambda t: t.merges.update({(65, 66, 67): 319}), r"merges contains \(65, 66, 67\): 319, but an entry must be"),
    (lambda t: t.merges.update({"ab": 319}), "merges contains 'ab': 319"),
    (lambda t: t.merges.update({(65, 66): "319"}), r"merges contains \(65, 66\): '319'"),
    (lambda t: t.merges.update({(65.0, 66): 319}), r"merges contains \(65\.0, 66\)"),
    (lambda t: change_merges(t, swap_last_two), "makes a wrong ID: IDs are above"),
    (lambda t: setattr(t, "special_tokens", ("<|endoftext|>", "<|pad|>")), "special_to_id is"),
    (lambda t: t.id_to_special.update({300: "x"}), "id_to_special is"),
    (lambda t: setattr(t, "pattern", "gpt2"), "The pattern 'gpt2' is a name, not a regex"),
    (lambda t: setattr(t, "pattern", "("), "is not a valid regex"),
    (lambda t: setattr(t, "pattern", "a*"), "can match the empty string"),
    (lambda t: setattr(t, "byte_ids", bytes(256)), "byte_ids must be bytes"),
]


@pytest.mark.parametrize("was_valid_before", [False, True])
@pytest.mark.parametrize(("change", "problem"), INVALID_STATES)
def test_an_invalid_state_is_not_saved(tmp_path, change, problem, was_valid_before):
    tokenizer = trained()
    if was_valid_before:
        check_tokenizer(tokenizer)
    change(tokenizer)
    with pytest.raises(ValueError, match=problem):
        save(tokenizer, tmp_path)
    with pytest.raises(ValueError, match=problem):
        save_artifact(tokenizer, tmp_path / "artifact", [])
    assert os.listdir(tmp_path) == []


def by_hand(*merges, special_tokens=()):
    """A tokenizer with these merges, as two byte strings each."""
    tokenizer = BPETokenizer(special_tokens)
    ids = {token: token_id for token_id, token in tokenizer.vocab.items() if token_id < 256}
    for left, right in merges:
        new_id = tokenizer.vocab_size
        tokenizer.merges[ids[left], ids[right]] = new_id
        tokenizer.vocab[new_id] = left + right
        ids[left + right] = new_id
    return tokenizer


@pytest.mark.parametrize(
    ("tokenizer", "problem"),
    [
        # "abc" is split as a,bc: b,c was learned first. So (ab, c) can never happen.
        (
            by_hand((b"b", b"c"), (b"a", b"b"), (b"ab", b"c")),
            r"258 \(b'abc'\) does not encode to itself: .* to 256",
        ),
        # Two ways to the same bytes: one name in the file for two tokens.
        (by_hand((b"a", b"b"), (b"b", b"c"), (b"a", b"bc"), (b"ab", b"c")), "have the same bytes"),
        # A special token that is spelled like a learned token.
        (by_hand((b"a", b"b"), special_tokens=["ab"]), "have the same bytes"),
    ],
)
def test_merges_that_libraries_read_differently_are_not_saved(tmp_path, tokenizer, problem):
    with pytest.raises(ValueError, match=problem):
        save(tokenizer, tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_tokenizer_is_checked_once_when_it_is_loaded_and_saved_again(tmp_path, monkeypatch):
    checked = []
    file = save(trained(), tmp_path / "t.json")
    monkeypatch.setattr(merge_table, "first_broken_token", lambda left, right: checked.append(len(left)))
    tokenizer = load(file, BPETokenizer)
    save_artifact(tokenizer, tmp_path / "artifact", tokenizer.encode(TEXT))
    assert checked == [60], f"the {60} merges were checked {len(checked)} times"
    tokenizer.merges = dict(tokenizer.merges)
    tokenizer.train(TEXT, 330, progress=False)
    save(tokenizer, file)
    assert checked == [60, 71], "a tokenizer that was trained again is checked again"


def test_integers_of_numpy_are_written_as_integers(tmp_path):
    tokenizer = trained("gpt2")
    by_numpy = trained("gpt2")
    by_numpy.merges = {
        (numpy.int64(left), numpy.uint32(right)): numpy.int64(new_id)
        for (left, right), new_id in tokenizer.merges.items()
    }
    by_numpy.vocab = {numpy.int32(token_id): token for token_id, token in tokenizer.vocab.items()}
    assert save(by_numpy, tmp_path / "n.json").read_bytes() == save(tokenizer, tmp_path / "t.json").read_bytes()
    assert json.dumps(to_hf_dict(by_numpy)) == json.dumps(to_hf_dict(tokenizer))


@pytest.mark.parametrize("digits", ["1" * 19, "-" + "9" * 19, "12345678901234567890123456789"])
def test_digits_that_are_too_many_for_an_integer_may_be_in_a_string(tmp_path, digits):
    path = tmp_path / "x.json"
    path.write_text(f'{{"{digits}": "{digits}", "n": {digits[:18]}}}')
    assert parse_json(path.read_bytes(), path)[digits] == digits
    path.write_text(f'{{"n": {digits}}}')
    with pytest.raises(FileFormatError, match=f"the integer {digits[:18]}... is too large"):
        parse_json(path.read_bytes(), path)


def test_something_else_than_a_tokenizer_is_not_saved(tmp_path):
    with pytest.raises(TypeError, match="should be a BPETokenizer, but it is of type dict"):
        save({}, tmp_path)


def test_one_file_of_an_artifact_is_not_replaced_alone(tmp_path):
    tokenizer = trained()
    folder = save_artifact(tokenizer, tmp_path / "artifact", tokenizer.encode(TEXT))
    for path in (folder, folder / "tokenizer.json"):
        with pytest.raises(CourseError, match="contains an artifact. Use save_artifact"):
            save(trained("gpt2"), path)
    load_artifact(folder, cls=BPETokenizer)


# --- what other programs write ----------------------------------------------------------------------------------------


def load_changed(tmp_path, change):
    data = to_hf_dict(trained("gpt2"))
    change(data)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return load(path, BPETokenizer)


def merges_as_strings(data):
    data["model"]["merges"] = [" ".join(merge) for merge in data["model"]["merges"]]


def as_save_pretrained_writes(data):
    data["truncation"] = {"direction": "Right", "max_length": 512, "strategy": "LongestFirst", "stride": 0}
    data["padding"] = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 257,
                       "pad_type_id": 0, "pad_token": "<|pad|>"}  # fmt: skip
    data["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}


def as_older_versions_write(data):
    for name in ("type", "byte_fallback", "ignore_merges"):
        del data["model"][name]
    data["model"].update(continuing_subword_prefix="", end_of_word_suffix="")
    merges_as_strings(data)


@pytest.mark.parametrize(
    "change",
    [
        merges_as_strings,
        as_save_pretrained_writes,
        as_older_versions_write,
        lambda data: data.pop("version"),
        lambda data: data["added_tokens"].reverse(),
        lambda data: data["added_tokens"][0].update(normalized=True),
        lambda data: data["model"].update(unk_token="<|endoftext|>"),
        lambda data: data.update(model=dict(reversed(data["model"].items()))),
    ],
)
def test_reads_what_others_write(tmp_path, change):
    assert_same(load_changed(tmp_path, change), trained("gpt2"))


GPT2 = trained("gpt2")


@given(st.text(max_size=60))
def test_byte_level_with_its_own_regex_is_the_gpt2_pattern(text):
    data = to_hf_dict(GPT2)
    data["pre_tokenizer"] = data["pre_tokenizer"]["pretokenizers"][1] | {"use_regex": True}
    assert from_hf_dict(data, BPETokenizer).encode(text) == Tokenizer.from_str(json.dumps(data)).encode(text).ids


SPLIT = {"type": "Split", "pattern": {"Regex": "a+|b"}, "behavior": "Isolated", "invert": False}
COURSE = ["<|endoftext|>", "<|pad|>", "<|end|>"]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def sequence(*steps):
    return lambda data: data.update(pre_tokenizer={"type": "Sequence", "pretokenizers": list(steps)})


def give_to(data, token, token_id):
    data["model"]["vocab"][token] = token_id


def exchange_ids(data, one, other):
    vocab = data["model"]["vocab"]
    vocab[one], vocab[other] = vocab[other], vocab[one]


# The special tokens of trained("gpt2") are 256 <|endoftext|>, 257 <|pad|> and 258 <|end|>; its merges make 259 to 318.
FOREIGN = [
    (lambda d: d.update(normalizer={"type": "NFC"}), "normalizer is {'type': 'NFC'}; only null is supported"),
    (lambda d: d.update(version="2.0"), "version is '2.0'"),
    (lambda d: d.update(extra=1), "The file has a part named 'extra', which is unknown"),
    (lambda d: d["model"].update(type="Unigram"), "model.type is 'Unigram'; only \"BPE\" is supported"),
    (lambda d: d["model"].update(byte_fallback=True), "model.byte_fallback is True; only false is supported"),
    (lambda d: d["model"].update(ignore_merges=True), "model.ignore_merges is True"),
    (lambda d: d["model"].update(dropout=0.1), "model.dropout is 0.1; only null is supported"),
    (lambda d: d["model"]["vocab"].pop("A"), "no token for the byte 65 ('A'), so this tokenizer leaves that byte out"),
    (lambda d: d["model"].update(continuing_subword_prefix="##"), "model.continuing_subword_prefix is '##'"),
    (lambda d: d.update(pre_tokenizer=None), "pre_tokenizer is null"),
    (lambda d: d.update(pre_tokenizer={"type": "Whitespace"}), "pre_tokenizer is {'type': 'Whitespace'}"),
    (lambda d: d.update(pre_tokenizer=BYTE_LEVEL | {"add_prefix_space": True}), "pre_tokenizer.add_prefix_space"),
    (sequence(SPLIT, SPLIT, BYTE_LEVEL), "pre_tokenizer is"),
    (sequence({"type": "Digits"}, BYTE_LEVEL), "pretokenizers[0]"),
    (sequence(SPLIT | {"behavior": "Removed"}, BYTE_LEVEL), "pretokenizers[0].behavior is 'Removed'"),
    (sequence(SPLIT | {"invert": True}, BYTE_LEVEL), "pretokenizers[0].invert is True"),
    (sequence(SPLIT | {"pattern": {"String": " "}}, BYTE_LEVEL), "pattern is {'String': ' '}, not a regex"),
    (sequence(SPLIT | {"pattern": {"Regex": "gpt4"}}, BYTE_LEVEL), "in the course is the name of another pattern"),
    (sequence(SPLIT, BYTE_LEVEL | {"use_regex": True}), "would split the text a second time"),
    (lambda d: d.update(post_processor={"type": "TemplateProcessing"}), "post_processor.type is 'TemplateProcessing'"),
    (lambda d: d.update(decoder={"type": "WordPiece"}),
     "decoder.type is 'WordPiece'; only \"ByteLevel\" is supported"),
    (lambda d: d["added_tokens"][1].update(special=False), "added_tokens[1].special is False"),
    (lambda d: d["added_tokens"][1].update(extra=1), "added_tokens[1] has a part named 'extra'"),
    (lambda d: d["model"]["vocab"].pop("<|end|>"), "'<|end|>' the ID 258, but model.vocab has None"),
    (lambda d: give_to(d, "A", 10**17), "model.vocab['A'] is 100000000000000000, but an ID must"),
    (lambda d: d["added_tokens"][1].update(id=300), "'<|pad|>' the ID 300, but model.vocab has 257"),
    (lambda d: d["added_tokens"].pop(0), "model.vocab['<|endoftext|>'] is 256, but that token is neither"),
    (lambda d: (d["added_tokens"].pop(), d["model"]["vocab"].pop("<|end|>")), "-> 259 should have the ID 258"),
    (lambda d: exchange_ids(d, "A", "<|end|>"), "added_tokens[2] gives '<|end|>' the ID 258, but model.vocab has 65"),
    (lambda d: d["model"]["merges"].pop(), "and no merge makes it"),
    (lambda d: (give_to(d, "aaaa", 319), give_to(d, "aa", 320), d["model"]["merges"].extend(["aa aa", "a a"])),
     "model.merges[60] is 'aa aa': The merge (320, 320) -> 319 uses 320, which is neither a byte nor made by"),
    (lambda d: (give_to(d, "<|end|>a", 319), d["model"]["merges"].append(["<|end|>", "a"])),
     "uses 258, which is neither a byte nor made by an earlier merge"),
    (lambda d: d["model"]["merges"].pop(0), "which is neither a byte nor made by an earlier merge"),
    (lambda d: d["model"]["merges"].reverse(), "makes a wrong ID: IDs are above those of the bytes"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "problem"), FOREIGN)
def test_what_cannot_be_expressed_is_refused_with_the_reason(tmp_path, change, problem):
    with pytest.raises(FileFormatError) as error:
        load_changed(tmp_path, change)
    assert problem in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'changed.json'}: ")


DAMAGED = [
    (lambda d: d.pop("model"), "model is None, but it should be an object"),
    (lambda d: d.update(added_tokens={}), "added_tokens is {}, but it should be a list"),
    (lambda d: d.update(added_tokens=["x"]), "added_tokens[0] is 'x', but it should be an object"),
    (lambda d: d["added_tokens"][1].update(content=5), "added_tokens[1] is"),
    (lambda d: d["added_tokens"][1].update(id=True), "added_tokens[1] is"),
    (lambda d: d["added_tokens"].append(d["added_tokens"][0]), "[3] is '<|endoftext|>', which appears twice"),
    (lambda d: d["model"].update(vocab=[["a", 0]]), "model.vocab is [['a', 0]], but it should be an object"),
    (lambda d: give_to(d, "A", 66), "model.vocab gives the ID 66 to 'A' and 'B'"),
    (lambda d: give_to(d, "A", -1), "model.vocab['A'] is -1, but an ID must be an integer from 0 to 2**31 - 1"),
    (lambda d: give_to(d, "A", 65.0), "model.vocab['A'] is 65.0"),
    (lambda d: (give_to(d, "<|end|>", 2**31), d["added_tokens"][2].update(id=2**31)), "'<|end|>'] is 2147483648, but"),
    (lambda d: (give_to(d, "<|end|>", 257), d["added_tokens"][2].update(id=257)), "gives the ID 257 to '<|pad|>' and"),
    (lambda d: d["model"].pop("merges"), "model.merges is None, but it should be a list"),
    (lambda d: d["model"]["merges"].append("abc"), "model.merges[60] is 'abc', but a merge must be a pair of tokens"),
    (lambda d: d["model"]["merges"].append(["a", "b", "c"]),
     "merges[60] is ['a', 'b', 'c'], but a merge must be a pair"),
    (lambda d: d["model"]["merges"].append(["q", "q"]), "is ['q', 'q'], but model.vocab has no token 'qq'"),
    (lambda d: d["model"]["merges"].append(d["model"]["merges"][0]), "which is an earlier merge"),
    (lambda d: (give_to(d, "qz", 319), give_to(d, "zx", 320), give_to(d, "qzx", 321),
                d["model"]["merges"].extend(["q z", "z x", "q zx"])),
     "The token 321 (b'qzx') does not encode to itself"),
    (sequence(SPLIT | {"pattern": {"Regex": "("}}, BYTE_LEVEL), "is not a valid regex"),
    (sequence(SPLIT | {"pattern": {"Regex": "a*"}}, BYTE_LEVEL), "can match the empty string"),
    (sequence(SPLIT | {"pattern": "a"}, BYTE_LEVEL), "pretokenizers[0].pattern is 'a', but it should be an object"),
    (lambda d: (d["added_tokens"][0].update(content="<|é"), give_to(d, "<|é", d["model"]["vocab"].pop(COURSE[0]))),
     "The special token '<|é' is not printable ASCII"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "problem"), DAMAGED)
def test_what_is_damaged_is_refused_with_the_place(tmp_path, change, problem):
    with pytest.raises(FileFormatError) as error:
        load_changed(tmp_path, change)
    assert problem in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'changed.json'}: ")
    assert "damaged or was edited" in str(error.value)


@pytest.mark.parametrize("content", [b"", b"null", b"[]", b'"BPE"', b"{}", b"5", b"PK\x03\x04", b"\x93NUMPY", b"<p>"])
def test_a_file_of_another_kind_is_refused(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="tokenizer.json"):
        load(path, BPETokenizer)


def test_a_file_that_is_cut_short_anywhere_is_refused(tmp_path):
    data = save(trained(), tmp_path).read_bytes()
    path = tmp_path / "tokenizer.json"
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        with pytest.raises(FileFormatError, match="tokenizer.json is not valid JSON"):
            load(path, BPETokenizer)


def test_a_file_that_is_not_there(tmp_path):
    for path in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(MissingFileError, match="There is no file"):
            load(path, BPETokenizer)


# --- token IDs --------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 100_000)))
def test_token_ids_round_trip(tmp_path_factory, ids):
    path = save_token_ids(ids, tmp_path_factory.getbasetemp() / "ids.uint32")
    assert path.read_bytes() == numpy.array(ids, dtype="<u4").tobytes()
    for mmap in (False, True):
        loaded = load_token_ids(path, mmap=mmap)
        assert loaded.dtype == numpy.dtype("<u4") and loaded.tolist() == ids


@pytest.mark.parametrize(
    "ids",
    [
        [1, 2**31 - 1],
        (1, 2**31 - 1),
        iter([1, 2**31 - 1]),
        (i for i in (1, 2**31 - 1)),
        array("I", [1, 2**31 - 1]),
        [numpy.int64(1), numpy.uint32(2**31 - 1)],
        *(numpy.array([1, 2**31 - 1], dtype=kind) for kind in ("<u4", ">u4", "<i4", "<i8", "<u8")),
        numpy.array([1, 7, 2**31 - 1, 7])[::2],
    ],
)
def test_ids_come_in_many_forms(tmp_path, ids):
    assert save_token_ids(ids, tmp_path / "ids").read_bytes() == b"\x01\0\0\0\xff\xff\xff\x7f"


def test_more_ids_than_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr("g2c.formats.token_ids.BLOCK", 1000)
    monkeypatch.setattr("g2c.formats.artifact.BLOCK", 1000)
    ids = numpy.arange(2500)
    for form in (ids, ids.tolist(), iter(ids.tolist())):
        assert numpy.array_equal(load_token_ids(save_token_ids(form, tmp_path / "ids")), ids)
    with pytest.raises(ValueError, match="The ID -1 at position 2500 is not a token ID"):
        save_token_ids([*ids.tolist(), -1], tmp_path / "ids")
    assert numpy.array_equal(load_token_ids(tmp_path / "ids"), ids)


@pytest.mark.parametrize(
    ("ids", "error", "problem"),
    [
        ([1, -1], ValueError, "The ID -1 at position 1 is not a token ID: IDs go from 0 to 2147483647"),
        ([2**70], ValueError, f"{2**70}, but token IDs are below"),
        (numpy.array([5, 2**63], dtype="u8"), ValueError, f"The ID {2**63} at position 1"),
        ([1, 2.0], TypeError, "position 1 holds 2.0, of type float"),
        ([1, "2"], TypeError, "position 1 holds '2', of type str"),
        ([[1, 2]], TypeError, r"position 0 holds \[1, 2\], of type list"),
        ("text", TypeError, "of type str: encode the text first"),
        (numpy.array([1.0]), TypeError, "this one is 1-dimensional and of type float64"),
        (numpy.array([True]), TypeError, "of type bool"),
        (numpy.array([[1]]), TypeError, "this one is 2-dimensional"),
        (5, TypeError, "not iterable"),
    ],
)
def test_what_is_not_a_token_id_is_not_saved(tmp_path, ids, error, problem):
    path = save_token_ids([1, 2, 3], tmp_path / "ids")
    with pytest.raises(error, match=problem):
        save_token_ids(ids, path)
    assert load_token_ids(path).tolist() == [1, 2, 3]
    assert os.listdir(tmp_path) == ["ids"]


def test_a_memory_map_reads_from_the_disk_and_cannot_be_written_to(tmp_path):
    path = save_token_ids([1, 2, 3], tmp_path / "ids")
    ids = load_token_ids(path, mmap=True)
    assert isinstance(ids, numpy.memmap)
    with pytest.raises(ValueError, match="read-only"):
        ids[0] = 5
    empty = load_token_ids(save_token_ids([], tmp_path / "empty"), mmap=True)
    assert empty.size == 0 and not empty.flags.writeable


def test_a_mapped_file_is_checked_without_filling_the_memory(tmp_path):
    path = tmp_path / "ids.uint32"
    numpy.zeros(20_000_000, "<u4").tofile(path)
    before = psutil.Process().memory_info().rss
    ids = load_token_ids(path, mmap=True)
    grown = psutil.Process().memory_info().rss - before
    assert len(ids) == 20_000_000
    assert grown < 40e6, f"checking {path.stat().st_size:,} mapped bytes took {grown:,} bytes of memory"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\1\0\0\0\2\0\0", "ids has 7 bytes, which is not a multiple of 4: it is truncated"),
        (b"\1\0\0\0\0\0\0\x80", "ids contains 2147483648 at position 1, but token IDs are below"),
        (b"\x93NUMPY\1\0\x76\0{'de", "numpy.load reads"),
        (b'{\n  "version"....', "it is text, not a file of token IDs"),
        (b"1 2 3 4 ", "it is text"),
    ],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_that_holds_no_token_ids_is_refused(tmp_path, content, problem, mmap):
    (tmp_path / "ids").write_bytes(content)
    with pytest.raises(FileFormatError, match=problem):
        load_token_ids(tmp_path / "ids", mmap=mmap)


def test_token_ids_that_are_not_there(tmp_path):
    with pytest.raises(MissingFileError, match="There are no token IDs at .*ids"):
        load_token_ids(tmp_path / "ids")
    with pytest.raises(FileFormatError, match="is a folder"):
        load_token_ids(tmp_path)


# --- an artifact ------------------------------------------------------------------------------------------------------


def saved_artifact(folder, tokenizer=None, text=TEXT):
    tokenizer = tokenizer or trained()
    train = {"algorithm": "train", "vocab_size": 319}
    return save_artifact(tokenizer, folder, tokenizer.encode(text), corpus=CORPUS, train=train)


def test_artifact_round_trip(tmp_path):
    tokenizer = trained("gpt4")
    folder = saved_artifact(tmp_path / "artifact", tokenizer)
    assert sorted(os.listdir(folder)) == ["ids.uint32", "manifest.json", "tokenizer.json", "tokenizer_config.json"]
    assert os.listdir(tmp_path) == ["artifact"]
    for mmap in (False, True):
        artifact = load_artifact(folder, mmap=mmap, cls=BPETokenizer)
        assert_same(artifact.tokenizer, tokenizer)
        assert artifact.ids.tolist() == tokenizer.encode(TEXT)
        assert isinstance(artifact.ids, numpy.memmap) == mmap
        assert artifact.path == folder
        assert artifact.manifest == json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    rust = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert rust.encode(TEXT).ids == numpy.memmap(folder / "ids.uint32", "<u4").tolist()


def test_the_manifest_says_what_the_files_are_and_came_from(tmp_path):
    tokenizer = trained("gpt2")
    ids = tokenizer.encode(TEXT)
    manifest = load_artifact(saved_artifact(tmp_path / "artifact", tokenizer), cls=BPETokenizer).manifest
    assert {**manifest["ids"], "sha256": ""} == {
        "file": "ids.uint32",
        "dtype": "uint32",
        "byte_order": "little",
        "count": len(ids),
        "min_id": min(ids),
        "max_id": max(ids),
        "sha256": "",
    }
    assert manifest["documents"] == {"count": 1, "separator_id": 256}
    described = manifest["tokenizer"]
    assert (described["vocab_size"], described["num_merges"]) == (319, 60)
    assert described["special_tokens"] == ["<|endoftext|>", "<|pad|>", "<|end|>"]
    assert described["pattern"] == tokenizer.pattern
    assert described["fingerprint"] == fingerprint(tokenizer)
    assert manifest["corpus"] == {"name": "poem", "bytes": len(TEXT.encode()), "sha256": "0" * 64}
    assert manifest["train"] == {"algorithm": "train", "vocab_size": 319}
    assert set(manifest["software"]) == {"g2c", "tokenizers"}


@pytest.mark.parametrize(
    ("ids", "documents"),
    [([], 0), ([256], 0), ([1], 1), ([1, 256], 1), ([1, 256, 2], 2), ([256, 1, 2, 256, 256, 3, 256], 2)],
)
def test_documents_are_counted_between_separators(tmp_path, monkeypatch, ids, documents):
    for block in (1, 2, 100):
        monkeypatch.setattr("g2c.formats.token_ids.BLOCK", block)
        monkeypatch.setattr("g2c.formats.artifact.BLOCK", block)
        folder = save_artifact(trained(), tmp_path / "artifact", ids)
        manifest = load_artifact(folder, cls=BPETokenizer).manifest
        assert manifest["documents"]["count"] == documents
        assert manifest["ids"]["count"] == len(ids)
        assert manifest["ids"]["min_id"] == min(ids, default=None)


def test_the_same_input_gives_the_same_files(tmp_path):
    one, other = (saved_artifact(tmp_path / name) for name in ("one", "other"))
    for name in os.listdir(one):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def test_a_name_means_the_courses_artifacts(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    folder = saved_artifact("MyTokenizer")
    assert folder == tmp_path / "artifacts" / "MyTokenizer"
    assert load_artifact("MyTokenizer", cls=BPETokenizer).path == folder
    for name in ("", ".", "..", ".hidden", "new\nline"):
        with pytest.raises(ValueError, match="is not a name for an artifact"):
            saved_artifact(name)


def test_saving_again_replaces_all_of_it(tmp_path):
    saved_artifact(tmp_path / "artifact")
    (tmp_path / "artifact" / ".DS_Store").touch()
    tokenizer = trained("gpt2")
    saved_artifact(tmp_path / "artifact", tokenizer)
    assert_same(load_artifact(tmp_path / "artifact", cls=BPETokenizer).tokenizer, tokenizer)
    assert os.listdir(tmp_path) == ["artifact"]
    assert len(os.listdir(tmp_path / "artifact")) == 4


def test_a_memory_map_outlives_the_saving_of_a_new_artifact(tmp_path):
    folder = saved_artifact(tmp_path / "artifact")
    ids = load_artifact(folder, mmap=True, cls=BPETokenizer).ids
    saved_artifact(folder, text="something else")
    assert ids.tolist() == trained().encode(TEXT)


def test_a_folder_with_other_files_is_not_replaced(tmp_path):
    folder = tmp_path / "homework"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(SavingError, match="homework also contains 'notes.txt', which is not part of an artifact"):
        saved_artifact(folder)
    with pytest.raises(SavingError, match="notes.txt is not a folder"):
        saved_artifact(folder / "notes.txt")
    assert (folder / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("ids", "error", "problem"),
    [
        ([1, 2, 319], ValueError, "The ID 319 at position 2 is not a token ID: IDs go from 0 to 318"),
        ([1, -1], ValueError, "The ID -1 at position 1"),
        ([1, "2"], TypeError, "position 1 holds '2'"),
    ],
)
def test_ids_that_the_tokenizer_does_not_have_are_not_saved(tmp_path, ids, error, problem):
    saved_artifact(tmp_path / "artifact")
    for folder in (tmp_path / "artifact", tmp_path / "another"):
        with pytest.raises(error, match=problem):
            save_artifact(trained(), folder, ids)
    assert os.listdir(tmp_path) == ["artifact"]
    assert load_artifact(tmp_path / "artifact", cls=BPETokenizer).ids.tolist() == trained().encode(TEXT)


def test_training_details_that_are_no_json_are_not_saved(tmp_path):
    with pytest.raises(TypeError, match="not JSON serializable"):
        save_artifact(trained(), tmp_path / "artifact", [1], train={"when": object()})
    assert os.listdir(tmp_path) == []


def test_a_full_disk_keeps_the_old_artifact(tmp_path):
    program = f"""
import resource
from g2c.common.errors import SavingError
from g2c.solutions.bpe import BPETokenizer
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    BPETokenizer().save_artifact({str(tmp_path / "artifact")!r}, iter([65] * 10_000))
except SavingError as error:
    print(error)
"""
    saved_artifact(tmp_path / "artifact")
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "artifact could not be written" in result.stdout and "Free some space" in result.stdout, result.stderr
    assert load_artifact(tmp_path / "artifact", cls=BPETokenizer).ids.tolist() == trained().encode(TEXT)
    assert os.listdir(tmp_path) == ["artifact"]


def test_an_artifact_that_is_not_there(tmp_path):
    with pytest.raises(MissingFileError, match="There is no artifact .*nothing"):
        load_artifact(tmp_path / "nothing", cls=BPETokenizer)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "ids.uint32", "manifest.json"])
def test_a_file_that_is_missing_is_named(tmp_path, name):
    folder = saved_artifact(tmp_path / "artifact")
    (folder / name).unlink()
    with pytest.raises(MissingFileError, match=name):
        load_artifact(folder, cls=BPETokenizer)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "ids.uint32", "manifest.json"])
def test_any_changed_byte_is_noticed_and_its_file_named(tmp_path, name):
    folder = saved_artifact(tmp_path / "artifact")
    content = (folder / name).read_bytes()
    generator = random.Random(name)
    edits = [content[:-1], content + b"\n", content + b"\0\0\0\0", b""]
    for _ in range(60):
        place = generator.randrange(len(content))
        edits.append(content[:place] + bytes([content[place] ^ generator.randrange(1, 256)]) + content[place + 1 :])
    for edit in edits:
        (folder / name).write_bytes(edit)
        with pytest.raises(FileFormatError) as error:
            load_artifact(folder, cls=BPETokenizer)
        assert str(folder / name) in str(error.value)
    (folder / name).write_bytes(content)
    load_artifact(folder, cls=BPETokenizer)


def test_a_file_of_another_artifact_is_noticed(tmp_path):
    one = saved_artifact(tmp_path / "one")
    other = saved_artifact(tmp_path / "other", trained("gpt2"), TEXT[:50])
    for name in os.listdir(one):
        if (one / name).read_bytes() == (other / name).read_bytes():
            continue
        content = (one / name).read_bytes()
        (one / name).write_bytes((other / name).read_bytes())
        with pytest.raises(FileFormatError):
            load_artifact(one, cls=BPETokenizer)
        (one / name).write_bytes(content)


def forge(folder, change):
    """Change manifest.json and give it a checksum that fits."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    manifest.pop("sha256_of_the_above")

    def written():
        return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()

    manifest["sha256_of_the_above"] = hashlib.sha256(written()).hexdigest()
    path.write_bytes(written())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda m: m["ids"].update(count=7), r"manifest.json does not match .*: ids.count is 7, but it should be"),
        (lambda m: m["ids"].update(dtype="uint16"), "ids.dtype is 'uint16', but it should be 'uint32'"),
        (lambda m: m["ids"].update(file="../../secret"), "ids.file is '../../secret', but it should be 'ids.uint32'"),
        (lambda m: m["ids"].pop("sha256"), "ids.uint32 is not the file that was saved"),
        (lambda m: m["tokenizer"].update(fingerprint="0" * 64), "tokenizer.fingerprint is"),
        (lambda m: m["tokenizer"].update(pattern="a"), "tokenizer.pattern is 'a'"),
        (lambda m: m["tokenizer"].update(extra=1), "tokenizer.extra is 1"),
        (lambda m: m["documents"].update(count=3), "documents.count is 3"),
        (lambda m: m.update(documents=[]), "documents"),
        (lambda m: m.update(version=2), "has version 2, but this program reads version 1"),
        (lambda m: m.update(version=True), "has version True, but this program reads version 1"),
        (lambda m: m.update(extra=2), "is not the manifest of an artifact"),
        (lambda m: m.update(corpus="poem"), "'poem' as corpus, which should be an object"),
    ],
)
def test_a_manifest_is_not_believed_but_compared(tmp_path, change, problem):
    folder = saved_artifact(tmp_path / "artifact")
    forge(folder, change)
    with pytest.raises(FileFormatError, match=problem):
        load_artifact(folder, cls=BPETokenizer)
    assert any(check.passed is False for check in verify(folder))


def test_saving_when_another_process_has_just_put_the_old_artifact_aside(tmp_path, monkeypatch):
    folder = tmp_path / "artifact"
    BPETokenizer().save_artifact(folder, [1])
    listdir = os.listdir

    def listdir_a_moment_later(path):
        if path == folder and not aside.exists():
            folder.rename(aside)
        return listdir(path)

    aside = tmp_path / ".artifact.old"
    monkeypatch.setattr(os, "listdir", listdir_a_moment_later)
    BPETokenizer().save_artifact(folder, [2])
    assert load_artifact(folder, cls=BPETokenizer).ids.tolist() == [2]


@pytest.mark.parametrize("way", ["exchange", pytest.param("rename", marks=pytest.mark.whole)])
def test_loading_while_other_processes_save_gives_one_or_the_other(tmp_path, way):
    program = f"""
from g2c.common import files
from g2c.solutions.bpe import BPETokenizer
tokenizer = BPETokenizer()
other = BPETokenizer()
other.train("the the the", 258, progress=False)
if {way!r} == "rename":
    files._exchange = lambda one, other: False
for _ in range(10):
    tokenizer.save_artifact({str(tmp_path / "artifact")!r}, [1] * 10)
    other.save_artifact({str(tmp_path / "artifact")!r}, [257] * 20)
"""
    BPETokenizer().save_artifact(tmp_path / "artifact", [1] * 10)
    writers = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        artifact = load_artifact(tmp_path / "artifact", cls=BPETokenizer)
        seen.add((len(artifact.tokenizer.merges), *artifact.ids.tolist()))
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen == {(0, *[1] * 10), (2, *[257] * 20)}
    assert os.listdir(tmp_path) == ["artifact"]


# --- the fingerprint --------------------------------------------------------------------------------------------------


def test_the_fingerprint_is_that_of_the_tokenizer_not_of_the_file(tmp_path):
    tokenizer = trained("gpt2")
    loaded = load_changed(tmp_path, merges_as_strings)
    assert fingerprint(loaded) == fingerprint(tokenizer)
    permuted = trained("gpt2")
    permuted.byte_ids = bytes(reversed(range(256)))
    others = [permuted, trained(), trained("gpt4"), trained("gpt2", merges=59), trained("gpt2", ("<|endoftext|>",))]
    assert len({fingerprint(one) for one in (tokenizer, *others)}) == 6


# --- the chat template ------------------------------------------------------------------------------------------------


@pytest.fixture
def for_chats(tmp_path):
    """The folder of an artifact whose tokenizer has the course's special tokens."""
    return save_artifact(BPETokenizer.with_course_special_tokens(), tmp_path / "chats", [256, 72, 105])


def test_an_artifact_holds_the_chat_template_of_the_course_tokens(for_chats):
    template = (for_chats / "chat_template.jinja").read_bytes()
    described = load_artifact(for_chats).manifest["tokenizer"]
    assert described["template_file"] == "chat_template.jinja"
    assert described["template_sha256"] == hashlib.sha256(template).hexdigest()
    assert all(check.passed is not False for check in verify(for_chats))


def test_an_artifact_without_these_tokens_says_that_it_has_no_template(tmp_path):
    folder = save_artifact(trained(), tmp_path / "plain", [])
    assert not (folder / "chat_template.jinja").exists()
    described = load_artifact(folder).manifest["tokenizer"]
    assert (described["template_file"], described["template_sha256"]) == (None, None)


def test_a_chat_template_that_was_changed_or_is_missing_is_noticed(for_chats):
    template = for_chats / "chat_template.jinja"
    template.write_bytes(template.read_bytes().replace(b"user", b"uses"))
    with pytest.raises(FileFormatError, match="chat_template.jinja is not the file that was saved"):
        load_artifact(for_chats)
    assert ["chat_template.jinja" in check.detail for check in verify(for_chats)] == [True]
    template.unlink()
    with pytest.raises(MissingFileError, match="chat_template.jinja"):
        load_artifact(for_chats)
    assert ["chat_template.jinja" in check.detail for check in verify(for_chats)] == [True]
