"""tokenizer.json: what is saved loads again, here and in the library; what is damaged or foreign is refused."""

import json
import os
import random
import re

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, trainers

import g2c.tokenizer
from g2c.common.errors import CourseError, FileFormatError, MissingFileError
from g2c.common.table_limits import MAX_TOKENS
from g2c.formats.artifact import load_artifact, save_artifact
from g2c.formats.hf_format import from_hf_dict, to_hf_dict, to_hf_json
from g2c.formats.tokenizer_json import fingerprint, load, save
from g2c.formats.validity import check_tokenizer
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import bpe, load_tokenizer_json
from g2c.tokenizer.patterns import TIKTOKEN_PATTERNS

TEXT = "First Citizen: we are accounted poor citizens, the patricians good. 1234 we'll\n\n  Ça va 中文 \U0001f44b\n" * 3
PATTERNS = [None, "gpt2", "gpt4", r"\w+|[^\w]+", 'a "quoted"\tpattern\\d|/|é\x7f']
STATE = ("merges", "vocab", "byte_ids", "special_tokens", "special_to_id", "special_token_ids", "pattern")


def trained(pattern=None, special_tokens=("<|endoftext|>", "<|pad|>", "<|end|>"), merges=60):
    tokenizer = BPETokenizer(special_tokens, pattern=pattern)
    tokenizer.train(TEXT, tokenizer.base_vocab_size + merges, progress=False)
    return tokenizer


def state(tokenizer):
    return [list(tokenizer.merges.items()), *(getattr(tokenizer, name) for name in STATE)]


# --- there and back ---------------------------------------------------------------------------------------------------

AWKWARD = st.sampled_from(["\\u0000", '"vocab": {}', "null", "<\n\x00|>", "é中\U0001f44b", "<|end|>"])


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
@given(
    st.text(max_size=80),
    st.sets(AWKWARD | st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=3, max_size=6), max_size=3),
    st.sampled_from(PATTERNS),
    st.integers(0, 40),
)
def test_any_trained_tokenizer_is_written_as_the_library_writes_it_and_comes_back(text, tokens, pattern, merges):
    tokenizer = BPETokenizer(sorted(tokens), pattern)
    tokenizer.train_exact(text * 3, tokenizer.base_vocab_size + merges, progress=False)
    content = to_hf_json(tokenizer).decode()
    assert content == tokenizers.Tokenizer.from_str(content).to_str(pretty=True)
    assert state(from_hf_dict(json.loads(content), BPETokenizer)) == state(tokenizer)


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


def test_a_path_that_ends_in_json_is_the_file_itself_and_another_extension_is_refused(tmp_path):
    for name in ("x.model", "x.tiktoken", "tokenizer.JSON"):
        with pytest.raises(ValueError, match=f"{name} ends in .*Give a path that ends in .json, or the name of a fold"):
            save(BPETokenizer(), tmp_path / name)
    assert save(trained(), str(tmp_path / "mine.json")) == tmp_path / "mine.json"
    assert os.listdir(tmp_path) == ["mine.json"]
    assert state(load(str(tmp_path / "mine.json"), BPETokenizer)) == state(trained())
    assert save(BPETokenizer(), tmp_path / "gpt2-v1.5") == tmp_path / "gpt2-v1.5" / "tokenizer.json"


def test_a_class_loads_its_own_tokenizers(tmp_path):
    path = trained("gpt2").save(tmp_path)
    for cls in (BPETokenizer, bpe.BPETokenizer):
        assert type(cls.load(path)) is cls
    assert type(g2c.tokenizer.load(path)) is g2c.tokenizer.BPETokenizer
    folder = trained().save_artifact(tmp_path / "artifact", [1])
    assert type(BPETokenizer.load_artifact(folder).tokenizer) is BPETokenizer


def test_one_file_of_an_artifact_is_not_replaced_alone(tmp_path):
    folder = save_artifact(trained(), tmp_path / "artifact", trained().encode(TEXT))
    for path in (folder, folder / "tokenizer.json"):
        with pytest.raises(CourseError, match="contains an artifact. Use save_artifact"):
            save(trained("gpt2"), path)
    load_artifact(folder, cls=BPETokenizer)


def test_the_fingerprint_is_that_of_the_tokenizer_not_of_the_file():
    tokenizer = trained("gpt2")
    assert fingerprint(from_hf_dict(changed(merges_as_strings), BPETokenizer)) == fingerprint(tokenizer)
    permuted, elsewhere = trained("gpt2"), BPETokenizer({"<|end|>": 300})
    permuted.byte_ids = bytes(reversed(range(256)))
    others = [permuted, trained(), trained("gpt4"), trained("gpt2", merges=59), trained("gpt2", ("<|endoftext|>",))]
    assert len({fingerprint(one) for one in (tokenizer, elsewhere, BPETokenizer(["<|end|>"]), *others)}) == 8
    assert fingerprint(BPETokenizer({"<|end|>": 256})) == fingerprint(BPETokenizer(["<|end|>"]))


# --- what is not saved ------------------------------------------------------------------------------------------------


def learn(tokenizer, *merges):
    """Append merges, such as "q z", and their tokens."""
    ids = {token: token_id for token_id, token in tokenizer.vocab.items()}
    for left, right in (pair.encode().split() for pair in merges):
        new_id = ids[left + right] = tokenizer.vocab_size
        tokenizer.merges[ids[left], ids[right]] = new_id
        tokenizer.vocab[new_id] = left + right


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda t: t.vocab.pop(300), r"vocab\[300\] is missing, but it should be b"),
        (lambda t: t.vocab.update({9999: b"?"}), r"vocab\[9999\] is b.*, but it should be absent, as no"),
        (lambda t: t.merges.update({(65, 66): 500}), r"The merge \(65, 66\) -> 500, number 61, should have the ID 319"),
        (lambda t: t.merges.update({(65, 400): 319}), "uses 400, which is neither a byte nor made by a merge"),
        (lambda t: setattr(t, "special_tokens", ("<|endoftext|>", "<|pad|>")), "special_tokens is"),
        (lambda t: setattr(t, "pattern", "gpt2"), "pattern is 'gpt2', but it should be"),
        # Libraries would read these otherwise: "qzx" is q, zx to them, and one name in the file stands for one token.
        (lambda t: learn(t, "z x", "q z", "qz x"), r"321 \(b'qzx'\) does not encode to itself: .* to 319"),
        (lambda t: learn(t, "q z", "z x", "q zx", "qz x"), "have the same bytes"),
        (lambda t: learn(t, "< |", "<| e", "<|e n", "<|en d", "<|end |", "<|end| >"), "have the same bytes"),
    ],
)
def test_an_invalid_state_is_not_saved(tmp_path, change, problem):
    tokenizer = trained()
    check_tokenizer(tokenizer)
    change(tokenizer)
    with pytest.raises(ValueError, match=problem):
        save(tokenizer, tmp_path)
    with pytest.raises(ValueError, match=problem):
        save_artifact(tokenizer, tmp_path / "artifact", [])
    assert os.listdir(tmp_path) == []


def test_what_is_too_large_is_neither_trained_nor_saved(tmp_path):
    tokenizer = BPETokenizer()
    tokenizer.vocab = dict.fromkeys(range(MAX_TOKENS + 1), b"a")
    with pytest.raises(ValueError, match="The tokenizer has 2,000,001 tokens, which exceeds the limit of 2,000,000"):
        save(tokenizer, tmp_path / "t.json")
    with pytest.raises(ValueError, match="25,001 special tokens, which exceeds the limit of 25,000"):
        save(BPETokenizer([f"<|{number:05}|>" for number in range(25_001)]), tmp_path / "t.json")
    with pytest.raises(TypeError, match="should be a BPETokenizer, but it is of type dict"):
        save({}, tmp_path)
    assert os.listdir(tmp_path) == []
    tokenizer = trained()
    before = state(tokenizer)
    for method in (tokenizer.train, tokenizer.train_exact, tokenizer.train_fast):
        for vocab_size in (MAX_TOKENS + 1, 10**21):
            with pytest.raises(ValueError, match="vocab_size is above 2,000,000"):
                method("the the the", vocab_size, progress=False)
    assert state(tokenizer) == before


# --- what other programs write ----------------------------------------------------------------------------------------


def changed(*changes, source=None):
    """The content of a tokenizer.json after some changes."""
    data = source or to_hf_dict(trained("gpt2"))
    for change in changes:
        change(data)
    return data


def merges_as_strings(data):
    data["model"]["merges"] = [" ".join(merge) for merge in data["model"]["merges"]]


def as_save_pretrained_writes(data):
    data["truncation"] = {"direction": "Right", "max_length": 512, "strategy": "LongestFirst", "stride": 0}
    data["padding"] = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 257,
                       "pad_type_id": 0, "pad_token": "<|pad|>"}  # fmt: skip
    data["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}


def as_on_hubs(data):
    """GPT-2's own file leaves out what was added to the format later."""
    for name in ("type", "byte_fallback", "ignore_merges"):
        del data["model"][name]
    data["model"].update(continuing_subword_prefix="", end_of_word_suffix="")
    merges_as_strings(data)


@pytest.mark.parametrize(
    "change",
    [
        as_save_pretrained_writes,
        as_on_hubs,
        lambda data: data.pop("version"),
        lambda data: data.update(pre_tokenizer={"type": "ByteLevel", "add_prefix_space": False}),
        lambda data: data["added_tokens"].reverse(),
        lambda data: data["added_tokens"][0].update(normalized=True),
        lambda data: data["model"].update(unk_token="<|endoftext|>"),
        lambda data: data.update(model=dict(reversed(data["model"].items()))),
    ],
)
def test_what_others_write_is_read(change):
    assert state(from_hf_dict(changed(change), BPETokenizer)) == state(trained("gpt2"))


def test_special_tokens_that_only_added_tokens_lists_have_the_ids_that_the_library_gives():
    data = to_hf_dict(trained("gpt2", {"<|a|>": 316, "<|b|>": 317}))
    for token in ("<|a|>", "<|b|>"):
        del data["model"]["vocab"][token]
    read, library = from_hf_dict(data, BPETokenizer), tokenizers.Tokenizer.from_str(json.dumps(data))
    assert read.special_to_id == {"<|a|>": 316, "<|b|>": 317}
    assert library.encode("<|b|>low<|a|>").ids == read.encode("<|b|>low<|a|>")
    data["added_tokens"].reverse()
    with pytest.raises(ValueError, match="gives '<|b|>' the ID 317, but model.vocab has None"):
        from_hf_dict(data, BPETokenizer)


SPECIAL_TOKENS = ["<unk>", "<|endoftext|>", "<|end|>"]
SENTENCES = "the cat and the hat, 1234 times; l'été <|end|>\n  tokenizers, they'll train 中文 too\n" * 20


def by_the_library(*, regex=True, special_tokens=SPECIAL_TOKENS, **options):
    """A tokenizer of the library, trained as its documentation shows: special tokens come before the bytes."""
    library = tokenizers.Tokenizer(models.BPE(**options))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)
    library.decoder = tokenizers.decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=special_tokens, initial_alphabet=letters, show_progress=False
    )
    library.train_from_iterator([SENTENCES] if regex else SENTENCES.split("\n"), trainer)
    return library


PARTS = [*SPECIAL_TOKENS, "<|end", "|>", "the", " the", "'ll", "1234", "é", "中", "\u0301", "\U0001f44b", "\x00",
         "\u2003", "\n", "  ", "\r\n", "\t", "Ġ", "a", "ab", "cat", "\ufeff", "\u200d", "ﬁ", "\U0010ffff"]  # fmt: skip


def awkward_texts(count):
    generator = random.Random(0)
    for _ in range(count):
        parts = generator.choices(PARTS, k=generator.randint(0, 12))
        yield "".join(part if generator.random() < 0.8 else chr(generator.randint(1, 0xD7FF)) for part in parts)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"regex": False},
        {"unk_token": "<unk>"},
        {"special_tokens": [f"<|{number}|>" for number in range(300)]},
    ],
    ids=["gpt2", "no pattern", "unk_token", "bytes above 255"],
)
def test_what_the_librarys_trainer_writes_is_read_with_its_ids(tmp_path, options):
    library = by_the_library(**options)
    library.save(str(tmp_path / "tokenizer.json"))
    tokenizer = load_tokenizer_json(tmp_path / "tokenizer.json")
    assert min(tokenizer.vocab) == min(tokenizer.special_token_ids) == 0, "special tokens come first"
    for number, text in enumerate(awkward_texts(500)):
        ids = library.encode(text).ids
        assert tokenizer.encode_fast(text) == ids, f"encode_fast({text!r})"
        if number % 10 == 0:
            assert (tokenizer.encode(text), tokenizer.decode(ids)) == (ids, text)
    assert state(load(save(tokenizer, tmp_path / "again.json"))) == state(tokenizer)
    for train in (tokenizer.train, tokenizer.train_exact, tokenizer.train_fast):
        with pytest.raises(ValueError, match="as in a published tokenizer"):
            train("the the", 900)


# --- what is refused --------------------------------------------------------------------------------------------------

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(**changes):
    """A change: a Split, with these changes, before ByteLevel."""
    step = {"type": "Split", "pattern": {"Regex": "a+|b"}, "behavior": "Isolated", "invert": False, **changes}
    return lambda data: data.update(pre_tokenizer={"type": "Sequence", "pretokenizers": [step, BYTE_LEVEL]})


def give_to(data, token, token_id):
    data["model"]["vocab"][token] = token_id


def special(data, token):
    """Make a token special."""
    entry = {**data["added_tokens"][0], "id": data["model"]["vocab"][token], "content": token}
    data["added_tokens"].append(entry)


def add_after_a_gap(data):
    """Add a token of model.vocab after unused IDs, and one that is not in it: its ID differs between versions."""
    give_to(data, "<a>", 400)
    special(data, "<a>")
    data["added_tokens"].append({**data["added_tokens"][0], "id": 401, "content": "<b>"})


def merge(data, *merges):
    """Append merges, such as "q z", and their tokens."""
    for pair in merges:
        give_to(data, pair.replace(" ", ""), len(data["model"]["vocab"]))
        data["model"]["merges"].append(pair.split())


# Special tokens are 256 <|endoftext|>, 257 <|pad|> and 258 <|end|>; merges make 259 to 318.
def assert_refused(tmp_path, change, problem, remedy):
    """A tokenizer.json with this change is refused, with its path, the problem and the remedy."""
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed(change)), encoding="utf-8")
    with pytest.raises(FileFormatError) as error:
        load(path, BPETokenizer)
    assert problem in str(error.value) and str(error.value).startswith(f"{path}: ")
    assert remedy in str(error.value)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d.update(normalizer={"type": "Lowercase"}), "normalizer is {'type': 'Lowercase'}; only null, NFC"),
        (lambda d: d.update(extra=1), "The file has a part named 'extra', which is unknown"),
        (lambda d: d["model"].update(type="WordLevel"), "model.type is 'WordLevel'; only \"BPE\" is supported"),
        (lambda d: d["model"]["vocab"].pop("A"), "no token for the byte 65 ('A'), so this tokenizer leaves that byte"),
        (lambda d: d.update(pre_tokenizer=None), "pre_tokenizer is None; only one whose last step is ByteLevel"),
        (lambda d: d.pop("pre_tokenizer"), "pre_tokenizer is None; only one whose last step is ByteLevel"),
        (split(behavior="Removed", invert=True), "pre_tokenizer.pretokenizers[0].behavior is 'Removed'; only"),
        (split(pattern={"Regex": "gpt4"}), "is 'gpt4', which means another regex here"),
        *((split(pattern={"Regex": spelling}), "means another regex here") for spelling in TIKTOKEN_PATTERNS),
        (lambda d: d["pre_tokenizer"]["pretokenizers"][1].update(use_regex=1), "pretokenizers[1].use_regex is 1"),
        (lambda d: d["added_tokens"][1].update(lstrip=True), "added_tokens[1].lstrip is True"),
        (lambda d: give_to(d, "<|end|>", []), "'<|end|>' the ID 258, but model.vocab has []"),
        (add_after_a_gap, "'<b>' the ID 401, but model.vocab has None: libraries would disagree"),
        (lambda d: d["added_tokens"].pop(0), "'<|endoftext|>' the ID 256, but that token is neither a byte nor"),
        (lambda d: d["model"]["merges"].pop(), "and no merge makes it"),
        (lambda d: merge(d, "<|end|> a"), "The merge (258, 97) -> 319, number 61, uses 258, which"),
        (lambda d: (merge(d, "q z", "z q"), give_to(d, "qz", 320), give_to(d, "zq", 319)), "62, makes a wrong ID"),
        (lambda d: (merge(d, "q z", "qz q"), special(d, "qzq")), "-> 320, number 62, should have the ID 321"),
        (lambda d: (give_to(d, "<|end|>", 2000000), d["added_tokens"][2].update(id=2000000)), "from 0 to 1,999,999"),
        (lambda d: merge(d, "q z", "z x", "q zx"), "The token 321 (b'qzx') does not encode to itself"),
        (split(pattern={"Regex": "a*"}), "can match the empty string"),
        (lambda d: (d["added_tokens"][0].update(content="é", id=319), give_to(d, "é", 319)), "is spelled like bytes"),
    ],
)  # fmt: skip
def test_what_cannot_be_expressed_is_refused_with_the_reason(tmp_path, change, problem):
    assert_refused(tmp_path, change, problem, "open the file with tokenizers.Tokenizer.from_file")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d.update(model=[]), "model is [], but it should be an object"),
        (lambda d: d.update(added_tokens=["x"]), "added_tokens[0] is 'x', but it needs a string as content, which no"),
        (lambda d: d["added_tokens"].append(d["added_tokens"][0]), "added_tokens[3] is"),
        (lambda d: d["model"].update(vocab=[["a", 0]]), "model.vocab is [['a', 0]] and model.merges is"),
        (lambda d: give_to(d, "A", 66), "The vocabulary gives the ID 66 to 'A' and 'B'"),
        (lambda d: give_to(d, "A", 65.0), "The vocabulary gives 'A' the ID 65.0, but an ID must be an integer from 0"),
        (lambda d: d["model"]["merges"].append("abc"), "merges[60] is ['abc'], but a merge must be a pair of tokens"),
        (lambda d: d["model"]["merges"].append(["q", "q"]), "is ['q', 'q'], but the vocabulary has no token 'qq'"),
        (lambda d: d["model"]["merges"].append(d["model"]["merges"][0]), "but an earlier merge makes the same token"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_refused_with_the_place(tmp_path, change, problem):
    assert_refused(tmp_path, change, problem, "damaged or was edited")


@pytest.mark.parametrize(
    ("special_tokens", "problem"),
    [
        (["<|end|>"], None),
        (["x<", "<|end|>"], None),
        # As in DeepSeek V4: where they overlap, the one that is not normalized begins first.
        (["<||end>|", "|end|"], None),
        (["<|end|>", "x<"], "and 'x<' can overlap another"),
        (["<|end|>", "<|end|>x"], "and '<|end|>x' can overlap another"),
    ],
)
def test_special_tokens_that_differ_in_normalized_are_read_if_they_are_found_alike(special_tokens, problem):
    data = json.loads(by_the_library(special_tokens=special_tokens).to_str())
    data["added_tokens"][-1].update(normalized=True)
    if problem:
        with pytest.raises(ValueError, match=re.escape(problem)):
            from_hf_dict(data, BPETokenizer)
        return
    library, tokenizer = tokenizers.Tokenizer.from_str(json.dumps(data)), from_hf_dict(data, BPETokenizer)
    for text in [*awkward_texts(500), "x<|end|>", "<||end>|end|", "|end|<||end>|end|x<|end|>"]:
        assert tokenizer.encode_fast(text) == library.encode(text).ids


def test_a_file_that_is_not_there_or_cut_short_or_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "tokenizer.json"
    for missing in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(MissingFileError, match="There is no file"):
            load(missing, BPETokenizer)
    data = to_hf_json(trained())
    for content in [data[:length] for length in range(0, len(data), 997)]:
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match="tokenizer.json is not valid JSON"):
            load(path, BPETokenizer)
    for content in (b"null", b"[]", b'"BPE"', b"{}", b"5", b"PK\x03\x04", b"\x93NUMPY", b"<p>"):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match="tokenizer.json"):
            load(path, BPETokenizer)
