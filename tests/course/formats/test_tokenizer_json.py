"""tokenizer.json: what is saved loads again, here and in the library; what is damaged or foreign is refused."""

import json
import os

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, trainers

from coach.common.errors import CourseError, FileFormatError
from g2c.corpus.verify import SAMPLES
from g2c.formats.artifact import save_artifact
from g2c.formats.hf_format import render
from g2c.formats.table import Table
from g2c.formats.tokenizer_json import save
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_tokenizer_json
from g2c.tokenizer.patterns import PATTERNS as NAMED
from support.agreement import disagreements
from support.scarce import within
from support.tokenizer_files import TEXT, content_of, read, state, trained

PATTERNS = [None, "gpt2", "gpt4", r"\w+|[^\w]+", 'a "quoted"\tpattern\\d|/|é\x7f']
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}

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
    content = render(Table.checked(tokenizer))
    assert content == tokenizers.Tokenizer.from_str(content).to_str(pretty=True)
    assert content == json.dumps(json.loads(content), indent=2, ensure_ascii=False)
    assert state(read(json.loads(content))) == state(tokenizer)


def test_a_folder_gets_the_file_for_transformers_too_and_a_path_that_ends_in_json_is_the_file_itself(tmp_path):
    assert save(trained(), tmp_path / "gpt2-v1.5") == tmp_path / "gpt2-v1.5" / "tokenizer.json"
    assert sorted(os.listdir(tmp_path / "gpt2-v1.5")) == ["tokenizer.json", "tokenizer_config.json"]
    assert json.loads((tmp_path / "gpt2-v1.5" / "tokenizer_config.json").read_text()) == {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|endoftext|>",
        "pad_token": "<|pad|>",
        "additional_special_tokens": ["<|end|>"],
    }
    assert save(trained(), str(tmp_path / "mine.json")) == tmp_path / "mine.json"
    assert sorted(os.listdir(tmp_path)) == ["gpt2-v1.5", "mine.json"]
    assert state(BPETokenizer.load(str(tmp_path / "mine.json"))) == state(trained())


def test_one_file_of_an_artifact_is_not_replaced_alone(tmp_path):
    folder = save_artifact(trained(), tmp_path / "artifact", trained().encode(TEXT))
    for path in (folder, folder / "tokenizer.json"):
        with pytest.raises(CourseError, match="contains an artifact. Use save_artifact"):
            save(trained("gpt2"), path)
    BPETokenizer.load_artifact(folder)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda t: t.vocab.pop(300), r"vocab.get\(300\) is None, but it should be b"),
        (lambda t: t.vocab.update({9999: b"?"}), r"vocab.get\(9999\) is b.*, but it should be None"),
        (lambda t: t.merges.update({(65, 66): 500}), r"The merge \(65, 66\) -> 500, number 61, should have the ID 319"),
        (lambda t: t.merges.update({(65, 400): 319}), "uses 400, which is neither a byte nor made by a merge"),
        (lambda t: setattr(t, "special_tokens", ("<|endoftext|>", "<|pad|>")), "special_tokens is"),
        (lambda t: setattr(t, "pattern", "gpt2"), "pattern is 'gpt2', but it should be"),
        # Libraries would read these otherwise: "qzx" is q, zx to them, and one name in the file stands for one token.
        (lambda t: t.set_merges([*t.merges, (122, 120), (113, 122), (320, 120)]), r"321 \(b'qzx'\) does not encode"),
        (lambda t: t.set_merges([*t.merges, (113, 122), (122, 120), (113, 320), (319, 120)]), "have the same bytes"),
        (lambda t: t.set_merges([*t.merges, (60, 124), *zip(range(319, 324), b"end|>")]), "have the same bytes"),
    ],
)
def test_an_invalid_state_is_not_saved(tmp_path, change, problem):
    tokenizer = trained()
    Table.checked(tokenizer)
    change(tokenizer)
    with pytest.raises(ValueError, match=problem):
        save(tokenizer, tmp_path)
    with pytest.raises(ValueError, match=problem):
        save_artifact(tokenizer, tmp_path / "artifact", [])
    assert os.listdir(tmp_path) == []


# --- what other programs write ----------------------------------------------------------------------------------------


def changed(change):
    """The content of a tokenizer.json after a change."""
    data = content_of(trained("gpt4"))
    change(data)
    return data


def split(*changes):
    """A change: a split by a regex for each of these, before ByteLevel."""
    isolated = {"type": "Split", "pattern": {"Regex": "a+|b"}, "behavior": "Isolated", "invert": False}
    steps = [*(isolated | change for change in changes), BYTE_LEVEL]
    return lambda data: data.update(pre_tokenizer={"type": "Sequence", "pretokenizers": steps})


def as_on_hubs(data):
    """GPT-2's own file leaves out what was added to the format later."""
    for name in ("type", "byte_fallback", "ignore_merges"):
        del data["model"][name]
    merges = [" ".join(merge) for merge in data["model"]["merges"]]
    data["model"].update(continuing_subword_prefix="", end_of_word_suffix="", merges=merges)


@pytest.mark.parametrize(
    "change",
    [
        as_on_hubs,
        lambda data: data.update(post_processor=BYTE_LEVEL | {"add_prefix_space": True}),
        lambda data: data["pre_tokenizer"]["pretokenizers"][1].update(trim_offsets=False),
        lambda data: data["added_tokens"].reverse(),
        lambda data: [entry.update(normalized=True) for entry in data["added_tokens"]],
        lambda data: data["model"].update(unk_token="<|endoftext|>", byte_fallback=True),
        lambda data: data.update(model=dict(reversed(data["model"].items()))),
    ],
)
def test_what_others_write_is_read(change):
    assert state(read(changed(change))) == state(trained("gpt4"))


@pytest.mark.parametrize(("pattern", "changes"), [(None, []), ("gpt2", [{"pattern": {"Regex": NAMED["gpt2"]}}])])
def test_patterns_that_bytelevel_splits_by_are_written_in_its_own_form_and_read_in_both(pattern, changes):
    data = content_of(trained(pattern))
    assert data["pre_tokenizer"] == BYTE_LEVEL | {"use_regex": pattern is not None}
    split(*changes)(data)
    assert state(read(data)) == state(trained(pattern))


def test_ids_that_no_token_has_get_unused_ones_in_the_file():
    """Strict readers refuse a vocabulary with gaps. As in cl100k, whose special tokens begin after one."""
    tokenizer = BPETokenizer({"<|a|>": 300, "<|b|>": 260}, pattern="gpt4")
    tokenizer.set_merges([(116, 104), (256, 101)])
    vocab = content_of(tokenizer)["model"]["vocab"]
    assert sorted(vocab.values()) == [*range(301)] and vocab["<|unused_299|>"] == 299
    back, library = read(content_of(tokenizer)), tokenizer.to_hf()
    assert state(back) == state(tokenizer) and back.vocab_size == 260
    for text in ("the<|a|>", "<|unused_299|>", "<|b|><|unused_300|>"):
        assert tokenizer.encode(text) == back.encode_fast(text) == library.encode(text).ids
    far = content_of(BPETokenizer({"<|a|>": 50_000}))
    assert len(far["model"]["vocab"]) == 257 and read(far).special_to_id == {"<|a|>": 50_000}
    namesake = content_of(BPETokenizer({"<|unused_299|>": 300}))
    assert read(namesake).special_to_id == {"<|unused_299|>": 300}


SPECIAL_TOKENS = ["<unk>", "<|endoftext|>", "<|end|>"]
MANY = [f"<|{number}|>" for number in range(300)]  # The bytes have IDs above 255.


@pytest.mark.parametrize(
    ("special_tokens", "regex", "options"),
    [(SPECIAL_TOKENS, True, {"unk_token": "<unk>"}), (SPECIAL_TOKENS, False, {}), (MANY, True, {})],
)
def test_what_the_librarys_trainer_writes_is_read_with_its_ids(tmp_path, special_tokens, regex, options):
    """It is trained as its documentation shows: special tokens come before the bytes."""
    library = tokenizers.Tokenizer(models.BPE(**options))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)
    library.decoder = tokenizers.decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + len(special_tokens) + 60, special_tokens=special_tokens, initial_alphabet=alphabet
    )
    library.train_from_iterator([TEXT] * 5, trainer)
    library.save(str(tmp_path / "tokenizer.json"))
    tokenizer = load_tokenizer_json(tmp_path / "tokenizer.json")
    assert min(tokenizer.vocab) == min(tokenizer.special_token_ids) == 0, "special tokens come first"
    texts = *SAMPLES, "<|end|> the'll1234é\u0301\x00\u2003\r\n\tĠab\ufeffﬁ", *SPECIAL_TOKENS, TEXT
    assert disagreements(tokenizer, texts) == []
    for text in texts:
        ids = library.encode(text).ids
        assert (tokenizer.encode_fast(text), tokenizer.encode(text), tokenizer.decode(ids)) == (ids, ids, text)
    assert state(BPETokenizer.load(save(tokenizer, tmp_path / "again.json"))) == state(tokenizer)
    for train in (tokenizer.train, tokenizer.train_exact, tokenizer.train_fast):
        with pytest.raises(ValueError, match="as in a published tokenizer"):
            train("the the", 900)


# --- what is refused --------------------------------------------------------------------------------------------------


def give_to(data, token, token_id):
    data["model"]["vocab"][token] = token_id


def merge(data, *merges):
    """Append merges, such as "q z", and their tokens."""
    for pair in merges:
        give_to(data, pair.replace(" ", ""), len(data["model"]["vocab"]))
        data["model"]["merges"].append(pair.split())


# Special tokens are 256 <|endoftext|>, 257 <|pad|> and 258 <|end|>; merges make 259 to 318.
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d.update(normalizer={"type": "NFKC"}), 'normalizer is {"type": "NFKC"}; only null and NFC are'),
        (lambda d: d.update(pre_tokenizer=None), "pre_tokenizer is null; only ByteLevel without a prefix space is"),
        (lambda d: d["pre_tokenizer"]["pretokenizers"][1].update(add_prefix_space=True), "prefix_space\": true"),
        (split({"behavior": "Removed", "invert": True}), 'Removed", "invert": true}, {"type": "ByteLevel"'),
        (split({}, {}), "with one regex at most"),
        (split({"pattern": {"Regex": "gpt4"}}), "is 'gpt4', which g2c would read as another regex"),
        (lambda d: d.update(model={"type": "Unigram", "vocab": []}, added_tokens=[]), "type Unigram; only BPE"),
        (lambda d: d.update(decoder=None), "decoder is null; only ByteLevel is supported"),
        (lambda d: d["model"].update(dropout=0.5), "model.dropout is 0.5; only a tokenizer without it"),
        (lambda d: d["model"]["vocab"].pop("!"), "no token for the byte 33 (b'!'), so this tokenizer leaves that byte"),
        (lambda d: d["added_tokens"][1].update(lstrip=True), "'<|pad|>' has lstrip set; only tokens that are found as"),
        (lambda d: d["added_tokens"][1].update(normalized=True), "'<|pad|>' is normalized: libraries look for it"),
        (lambda d: d["added_tokens"].pop(0), "b'<|endoftext|>' the ID 256, but that token is neither a byte nor a"),
        (lambda d: d["model"]["merges"].pop(), "and no merge makes it"),
        (lambda d: (merge(d, "| >"), d["added_tokens"][0].update(content="|>", id=319)), "or has only as a special"),
        (lambda d: merge(d, "zx q", "z x"), "number 61, joins a token that only a later merge makes"),
        (lambda d: merge(d, "<|end|> a"), "A merge joins b'<|end|>', which no merge makes"),
        (lambda d: (merge(d, "q z", "z q"), give_to(d, "qz", 320), give_to(d, "zq", 319)), "1, should have the ID 319"),
        (lambda d: (give_to(d, "<|end|>", 2000000), d["added_tokens"][2].update(id=2000000)), "below 2,000,000"),
        (lambda d: give_to(d, "zz", 2**31), "has the ID 2,147,483,648"),
        (lambda d: d["added_tokens"][2].update(id=300), "gives it 258: its ID in model.vocab, or else the next free"),
        (lambda d: give_to(d, "中", 319), "The token '中' has a character that spells no byte"),
        (lambda d: give_to(d, "!", 66), "IDs must be from 0 to 1,999,999, and each the ID of one token"),
        (lambda d: merge(d, "q z", "z x", "q zx"), "The token 321 (b'qzx') does not encode to itself"),
        (
            lambda d: (merge(d, "q z", "z x", "qz x", "q zx"), give_to(d, "qz", 320), give_to(d, "zx", 319)),
            "make the same token, but their order",
        ),
        (lambda d: (d["added_tokens"][0].update(content="é", id=319), give_to(d, "é", 319)), "is spelled like bytes"),
    ],
)  # fmt: skip
def test_what_cannot_be_expressed_is_refused_with_the_reason(tmp_path, change, problem):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed(change)), encoding="utf-8")
    with within(5), pytest.raises(FileFormatError) as error:
        BPETokenizer.load(path)
    assert problem in str(error.value)
    assert str(error.value).startswith(f"{path}: ")
    assert "open the file with tokenizers.Tokenizer.from_file" in str(error.value)


BY_THE_LIBRARY = "cannot be read as a tokenizer.json: .* It is truncated, .* such as a vocab.json"


def as_json(change):
    return json.dumps(changed(change)).encode()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        *((data, BY_THE_LIBRARY) for data in (b"", b"[" * 1_000_000, as_json(lambda d: None)[:-997])),
        # GPT-2's two files, tiktoken's, Mistral's, SentencePiece's, and a pointer of Git LFS.
        *((data, BY_THE_LIBRARY) for data in (b'{"!": 0, "#": 1}', b'{"merges": [[97, 98]]}', b"#version: 0.2\nt h\n")),
        *((data, BY_THE_LIBRARY) for data in (b"IQ== 0\n", b'{"config": {}}', b"\n\x0e\n\x05<unk>", b"version https://")),
        (as_json(lambda d: d.update(normalizer={"type": "Precompiled", "precompiled_charsmap": 1})), BY_THE_LIBRARY),
        # With a prefix, the library cuts the character Ġ of a merge in two, and ends the process.
        (as_json(lambda d: (merge(d, "e Ġ"), d["model"].update(continuing_subword_prefix="x"))), "model.continuing"),
    ],
)  # fmt: skip
def test_a_file_that_is_damaged_or_of_another_kind_is_refused(tmp_path, data, problem):
    file = tmp_path / "x.json"
    file.write_bytes(data)
    with pytest.raises(FileFormatError, match=f"^{file}:? {problem}"):
        BPETokenizer.load(file)
