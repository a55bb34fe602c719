"""Tables of tokens from anywhere: large ones, repetitive ones, and those that other trainers write."""

import base64
import json
import os
import random
import time
from contextlib import nullcontext

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, trainers

from g2c.common.errors import CourseError, FileFormatError
from g2c.common.files import read_file, sha256_of
from g2c.common.table_limits import MAX_TOKEN_BYTES, MAX_TOKENS
from g2c.corpus.published_tokenizers import load_tokenizer_json
from g2c.corpus.verify import check_agreement, verify
from g2c.formats import interop
from g2c.formats.artifact import load_artifact, save_artifact
from g2c.formats.hf_format import BYTE_TO_CHAR, bytes_to_chars, to_hf_dict
from g2c.formats.merge_splits import find_splits, first_broken_token
from g2c.formats.token_ids import load_token_ids
from g2c.formats.tokenizer_json import json_bytes, load, save
from g2c.solutions.bpe import BPETokenizer

BYTES = [bytes([byte]) for byte in range(256)]
SECONDS = 2


def processor_seconds(function):
    """(what the function returns or the ValueError that it raises, the processor time that it took)"""
    started = time.process_time()
    try:
        result = function()
    except ValueError as error:
        result = error
    return result, time.process_time() - started


def table_of(count, special_tokens=("<|endoftext|>",)):
    """A tokenizer of `count` tokens: pairs of a lower and an upper byte, and pairs of these."""
    tokenizer = BPETokenizer(special_tokens, pattern="gpt2")
    generator, ids, pairs = random.Random(0), tokenizer.merge_ids(), []
    parts = [(low, high) for low in range(128) for high in range(128, 256)]
    while tokenizer.vocab_size < count:
        is_pair = len(pairs) < len(parts)
        pair = parts[len(pairs)] if is_pair else (generator.choice(pairs), generator.choice(pairs))
        if pair in tokenizer.merges:
            continue
        new_id = next(ids)
        tokenizer.merges[pair] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[pair[0]] + tokenizer.vocab[pair[1]]
        if is_pair:
            pairs.append(new_id)
    return tokenizer


def powers(character, count):
    """A tokenizer with the tokens z, zz, zzzz, ..., each twice as long as the one before."""
    tokenizer = BPETokenizer()
    part = ord(character)
    for new_id in range(256, 256 + count):
        tokenizer.merges[part, part] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[part] * 2
        part = new_id
    return tokenizer


# --- which merges make a token ----------------------------------------------------------------------------------------


def expected_ids(token, ranks, below):
    """A token under the ranks below one: repeatedly join the two neighbors of lowest rank, the leftmost first."""
    parts = [token[place : place + 1] for place in range(len(token))]
    while True:
        joined = [ranks.get(one + other, below) for one, other in zip(parts, parts[1:])]
        if min(joined, default=below) >= below:
            return [ranks[part] for part in parts]
        place = joined.index(min(joined))
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


@st.composite
def tables(draw):
    """(left symbols, right symbols, tokens) of a few merges of a few letters, valid or not."""
    letters = list(b"abc"[: draw(st.integers(1, 3))])
    tokens, left, right = list(BYTES), [], []
    for _ in range(draw(st.integers(1, 14))):
        one, other = draw(st.sampled_from(letters)), draw(st.sampled_from(letters))
        if tokens[one] + tokens[other] not in tokens:
            left.append(one)
            right.append(other)
            letters.append(len(tokens))
            tokens.append(tokens[one] + tokens[other])
    return left, right, tokens


@given(tables())
def test_broken_tokens_and_splits_are_those_that_encoding_finds(table):
    left, right, tokens = table
    spelled = [bytes_to_chars(token) for token in tokens]
    library = models.BPE(
        vocab={token: symbol for symbol, token in enumerate(spelled)},
        merges=[(spelled[one], spelled[other]) for one, other in zip(left, right)],
    )
    encoded = {symbol: [part.id for part in library.tokenize(spelled[symbol])] for symbol in range(256, len(tokens))}
    broken = next((symbol for symbol, ids in encoded.items() if ids != [symbol]), None)
    found = first_broken_token(left, right)
    assert (found and found[0]) == broken, f"the merges encode as {encoded}"

    ranks = {token: rank for rank, token in enumerate(tokens)}
    splits = [expected_ids(token, ranks, rank) for rank, token in enumerate(tokens) if rank > 255]
    until = next((place for place, ids in enumerate(splits) if len(ids) != 2), len(splits))
    made = []
    with nullcontext() if until == len(splits) else pytest.raises(ValueError, match="No merge makes the token"):
        made.extend(find_splits(tokens[256:], range(256, len(tokens))))
    made = made or list(find_splits(tokens[256 : 256 + until], range(256, 256 + until)))
    assert made == [tuple(ids) for ids in splits[:until]]


def test_tokens_that_double_are_read_and_saved_within_two_seconds(tmp_path):
    tokenizer = powers("z", 23)
    file, saving = processor_seconds(lambda: save(tokenizer, tmp_path / "t.json"))
    again, loading = processor_seconds(lambda: load(file, BPETokenizer))
    ranks = {token: token_id for token_id, token in tokenizer.vocab.items()}
    of_tiktoken, reading = processor_seconds(lambda: interop.from_ranks(ranks, {}, None, BPETokenizer))
    assert again.merges == of_tiktoken.merges == tokenizer.merges
    assert max(saving, loading, reading) < SECONDS, f"saving {saving}, loading {loading}, .tiktoken {reading}"


def test_a_table_longer_than_the_limit_is_neither_saved_nor_read(tmp_path):
    tokenizer = powers("z", 25)
    with pytest.raises(ValueError, match=f"bytes in all its tokens together, .* limit of {MAX_TOKEN_BYTES:,}"):
        save(tokenizer, tmp_path / "new" / "t.json")
    assert os.listdir(tmp_path) == []
    file = tmp_path / "t.json"
    value = to_hf_dict(powers("z", 1))
    for exponent in range(1, 25):
        value["model"]["merges"].append(["z" * 2**exponent] * 2)
        value["model"]["vocab"]["z" * 2 ** (exponent + 1)] = 256 + exponent
    file.write_text(json.dumps(value))
    with pytest.raises(FileFormatError, match="bytes in all its tokens together"):
        load(file, BPETokenizer)
    ranks = {token: token_id for token_id, token in tokenizer.vocab.items()}
    with pytest.raises(ValueError, match="bytes in all its tokens together"):
        interop.from_ranks(ranks, {}, None, BPETokenizer)


def test_a_tiktoken_file_of_ever_longer_repetitions_is_answered_within_two_seconds():
    ranks = {token: rank for rank, token in enumerate([*BYTES, *(b"z" * length for length in range(2, 6000))])}
    result, seconds = processor_seconds(lambda: interop.from_ranks(ranks, {}, None, BPETokenizer))
    assert "repeat one another" in str(result), "z, zz, zzz, ...: no training gives such a table"
    assert seconds < SECONDS


def test_two_hundred_thousand_bad_merges_are_refused_within_seconds(tmp_path):
    """All pairs of bytes, and these with a third byte: nearly none of the latter encodes to itself."""
    value = to_hf_dict(BPETokenizer())
    vocab, merges, alphabet = value["model"]["vocab"], value["model"]["merges"], list(BYTE_TO_CHAR.values())
    for first in alphabet:
        for second in alphabet:
            merges.append([first, second])
            vocab[first + second] = len(vocab)
    for first, second in merges[:1000]:
        for third in alphabet[:140]:
            merges.append([first + second, third])
            vocab[first + second + third] = len(vocab)
    assert len(merges) > 200_000
    file = tmp_path / "t.json"
    file.write_text(json.dumps(value))
    error, seconds = processor_seconds(lambda: load(file, BPETokenizer))
    assert "does not encode to itself" in str(error)
    assert seconds < 2 * SECONDS, "one second on an idle machine, more on a busy one"


# --- large tables -----------------------------------------------------------------------------------------------------


def test_brackets_in_tokens_are_not_counted_as_structure(tmp_path):
    tokenizer = powers("[", 21)
    assert sum(token.count(b"[") for token in tokenizer.vocab.values()) > 2 * MAX_TOKENS
    assert load(save(tokenizer, tmp_path / "t.json"), BPETokenizer).merges == tokenizer.merges


@pytest.mark.whole
def test_a_large_table_is_saved_and_loaded(tmp_path):
    count = 300_001
    tokenizer = table_of(count)
    assert tokenizer.vocab_size == count
    file, saving = processor_seconds(lambda: save(tokenizer, tmp_path / "t.json"))
    again, loading = processor_seconds(lambda: load(file, BPETokenizer))
    assert again.merges == tokenizer.merges and again.vocab == tokenizer.vocab
    assert max(saving, loading) < count / 20_000, f"saving took {saving:.1f} s, loading {loading:.1f} s"
    ranks = b"".join(
        base64.b64encode(token) + b" %d\n" % token_id for token_id, token in tokenizer.vocab.items() if token_id != 256
    )
    special = {"<|endoftext|>": 256}
    read = interop.from_ranks(interop.parse_ranks(ranks), special, "gpt2", BPETokenizer)
    assert read.merges == tokenizer.merges


def test_too_many_tokens_are_not_saved(tmp_path):
    tokenizer = BPETokenizer()
    tokenizer.vocab = dict.fromkeys(range(MAX_TOKENS + 1), b"a")
    with pytest.raises(ValueError, match="The tokenizer has 2,000,001 tokens, which exceeds the limit of 2,000,000"):
        save(tokenizer, tmp_path / "t.json")
    with pytest.raises(ValueError, match="25,001 special tokens, which exceeds the limit of 25,000"):
        save(BPETokenizer([f"<|{number:05}|>" for number in range(25_001)]), tmp_path / "t.json")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("method", ["train", "train_exact", "train_fast"])
@pytest.mark.parametrize("vocab_size", [MAX_TOKENS + 1, 10**21, 10**5000], ids=["one more", "10**21", "10**5000"])
def test_training_for_too_many_tokens_changes_nothing(method, vocab_size):
    tokenizer = BPETokenizer()
    tokenizer.train("the the the", 258, progress=False)
    before = dict(tokenizer.merges), dict(tokenizer.vocab)
    with pytest.raises(ValueError, match="vocab_size is above 2,000,000"):
        getattr(tokenizer, method)("the the the", vocab_size, progress=False)
    assert (tokenizer.merges, tokenizer.vocab) == before


# --- the trainer of tokenizers ----------------------------------------------------------------------------------------

CORPUS = "the cat and the hat, 1234 times; l'été <|end|>\n  tokenizers, they'll train 中文 too\n" * 20
SPECIAL_TOKENS = ["<unk>", "<|endoftext|>", "<|end|>"]


def by_the_library(*, regex=True, alphabet=True, special_tokens=SPECIAL_TOKENS, prefix_space=False, **options):
    """A tokenizer of the library, trained as its documentation shows: special tokens come before the bytes."""
    library = tokenizers.Tokenizer(models.BPE(**options))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space, use_regex=regex)
    library.decoder = tokenizers.decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet() if alphabet else []
    library.train_from_iterator(
        [CORPUS] if regex else CORPUS.split("\n"),
        trainers.BpeTrainer(
            vocab_size=420, special_tokens=special_tokens, initial_alphabet=letters, show_progress=False
        ),
    )
    return library


PARTS = [*SPECIAL_TOKENS, "<|end", "|>", "the", " the", "'ll", "1234", "é", "中", "\u0301", "\U0001f44b", "\x00",
         "\u2003", "\n", "  ", "\r\n", "\t", "Ġ", "a", "ab", "cat", "\ufeff", "\u200d", "ﬁ", "\U0010ffff"]  # fmt: skip


def awkward_texts(count):
    generator = random.Random(0)
    for _ in range(count):
        parts = generator.choices(PARTS, k=generator.randint(0, 12))
        yield "".join(part if generator.random() < 0.8 else chr(generator.randint(1, 0xD7FF)) for part in parts)


@pytest.mark.parametrize(
    "library",
    [
        by_the_library(),
        by_the_library(regex=False),
        by_the_library(unk_token="<unk>"),
        by_the_library(special_tokens=["<|end|>"]),
        by_the_library(special_tokens=[f"<|{number}|>" for number in range(300)]),
    ],
    ids=["gpt2", "no pattern", "unk_token", "one special token", "bytes above 255"],
)
def test_special_tokens_before_the_bytes_are_read_with_the_librarys_ids(tmp_path, library):
    file = tmp_path / "tokenizer.json"
    library.save(str(file))
    tokenizer = load_tokenizer_json(file)
    plain = load(file, BPETokenizer)
    assert min(tokenizer.vocab) == min(tokenizer.special_token_ids) == 0, "special tokens come first"
    for number, text in enumerate(awkward_texts(500)):
        ids = library.encode(text).ids
        assert tokenizer.encode_fast(text) == ids, f"encode_fast({text!r})"
        if number % 10 == 0:
            assert plain.encode(text) == ids, f"encode({text!r})"
            assert plain.decode(ids) == text
    again = load(save(tokenizer, tmp_path / "again.json"), BPETokenizer)
    for part in ("merges", "vocab", "byte_ids", "special_to_id", "pattern"):
        assert getattr(again, part) == getattr(plain, part)
    assert [check for check in check_agreement(plain) if check.passed is False] == []
    ids = plain.encode(CORPUS)
    artifact = save_artifact(plain, tmp_path / "artifact", ids)
    assert [check for check in verify(artifact) if check.passed is False] == []
    assert load_artifact(artifact, cls=BPETokenizer).ids.tolist() == ids


def test_such_a_tokenizer_is_not_trained_again(tmp_path):
    by_the_library().save(str(tmp_path / "t.json"))
    tokenizer = load(tmp_path / "t.json", BPETokenizer)
    for method in ("train", "train_exact", "train_fast"):
        with pytest.raises(ValueError, match="published tokenizer"):
            getattr(tokenizer, method)("the the", 600)
    assert tokenizer.merges


def added(data, **changes):
    data["added_tokens"][-1].update(changes)


@pytest.mark.parametrize(
    ("library", "change", "problem"),
    [
        (by_the_library(alphabet=False), None, r"no token for the byte 0 \('Ā'\).*initial_alphabet="),
        (by_the_library(prefix_space=True), None, "pre_tokenizer.add_prefix_space is True; only false is supported"),
        (by_the_library(), lambda data: added(data, special=False), r"added_tokens\[2\].special is False"),
        (by_the_library(), lambda data: added(data, lstrip=True), r"added_tokens\[2\].lstrip is True"),
        (by_the_library(special_tokens=["<|end|>", "x<"]), lambda data: added(data, normalized=True),
         "differ in normalized, and 'x<' can overlap another"),
        (by_the_library(special_tokens=["x<", "<|end|>"]), lambda data: added(data, normalized=True),
         "differ in normalized, and 'x<' can overlap another"),
    ],
)  # fmt: skip
def test_what_would_get_other_ids_is_refused_in_a_sentence(tmp_path, library, change, problem):
    data = json.loads(library.to_str())
    if change:
        change(data)
    file = tmp_path / "t.json"
    file.write_text(json.dumps(data))
    with pytest.raises(FileFormatError, match=problem):
        load_tokenizer_json(file)


def test_special_tokens_that_differ_in_normalized_but_cannot_overlap_are_read(tmp_path):
    data = json.loads(by_the_library().to_str())
    added(data, normalized=True)
    file = tmp_path / "t.json"
    file.write_text(json.dumps(data))
    library, tokenizer = tokenizers.Tokenizer.from_file(str(file)), load_tokenizer_json(file)
    for text in awkward_texts(500):
        assert tokenizer.encode_fast(text) == library.encode(text).ids


# --- what cannot be saved ---------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
def test_each_printable_character_is_a_special_token_that_can_be_saved_or_is_refused_at_once(tmp_path):
    refused = []
    for code in range(0x20, 0x7F):
        for token in (chr(code), chr(code) * 2):
            try:
                tokenizer = BPETokenizer([token])
            except ValueError as error:
                assert "is a single character, which tokenizer.json spells like the byte" in str(error)
                refused.append(token)
                continue
            tokenizer.train(f"{token} {token}a", 258, progress=False)
            library = tokenizers.Tokenizer.from_file(str(save(tokenizer, tmp_path / "t.json")))
            assert library.encode(f"a{token}a").ids == tokenizer.encode(f"a{token}a")
    assert refused == [chr(code) for code in range(0x21, 0x7F)]


def test_a_path_with_the_extension_of_another_kind_of_file_is_refused(tmp_path):
    for name in ("x.model", "x.tiktoken", "tokenizer.JSON", "x.txt"):
        with pytest.raises(
            ValueError, match=f"{name} ends in .*Give a path that ends in .json, or the name of a folder"
        ):
            save(BPETokenizer(), tmp_path / name)
    assert os.listdir(tmp_path) == []
    assert save(BPETokenizer(), tmp_path / "gpt2-v1.5") == tmp_path / "gpt2-v1.5" / "tokenizer.json"
    (tmp_path / "my.tokenizer").mkdir()
    assert save(BPETokenizer(), tmp_path / "my.tokenizer").is_file()


def test_the_error_of_decode_does_not_promise_ids_in_a_hole():
    tokenizer = BPETokenizer({"<|endoftext|>": 300})
    with pytest.raises(ValueError, match="There is no token with ID 256 in this vocabulary of 257"):
        tokenizer.decode([300, 256])


# --- named pipes, devices, and sizes that are wrong -------------------------------------------------------------------


@pytest.fixture
def artifact(tmp_path):
    tokenizer = BPETokenizer(["<|endoftext|>"])
    return save_artifact(tokenizer, tmp_path / "artifact", tokenizer.encode("hello<|endoftext|>"))


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json", "ids.uint32", "manifest.json"])
def test_named_pipes_and_devices_in_an_artifact_are_refused(artifact, name):
    for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path)):
        (artifact / name).unlink()
        make(artifact / name)
        with pytest.raises(FileFormatError, match=f"{name} is not a regular file, but a named pipe or a device"):
            load_artifact(artifact)
        assert any(check.passed is False and "is not a regular file" in check.detail for check in verify(artifact))
    with pytest.raises(FileFormatError, match="is not a regular file"):
        read_file(artifact / name, limit=10)


def test_token_ids_of_another_size_are_refused_before_they_are_read(artifact):
    with open(artifact / "ids.uint32", "r+b") as file:
        file.truncate(40 * 10**9)  # a hole: it takes no space
    started = time.process_time()
    with pytest.raises(FileFormatError, match=r"ids.uint32 has 40,000,000,000 bytes, and manifest.json does not match"):
        load_artifact(artifact)
    (failure,) = (check for check in verify(artifact) if check.passed is False)
    assert "ids.uint32 has 40,000,000,000 bytes" in failure.detail
    assert time.process_time() - started < 5


def test_token_ids_larger_than_the_memory_are_refused_in_a_sentence(tmp_path):
    path = tmp_path / "ids.uint32"
    path.touch()
    os.truncate(path, 2**43)  # 8 terabytes, the most that some file systems take
    with pytest.raises(FileFormatError, match="not enough memory. With mmap=True they stay on the disk"):
        load_token_ids(path)


# --- manifest.json ----------------------------------------------------------------------------------------------------


def forge(artifact, change):
    manifest = json.loads((artifact / "manifest.json").read_bytes())
    manifest.pop("sha256_of_the_above")
    change(manifest)
    (artifact / "manifest.json").write_bytes(
        json_bytes({**manifest, "sha256_of_the_above": sha256_of(json_bytes(manifest))})
    )


ESCAPE = "\x1b[2Jcleared\x07\u202e"


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.update(corpus={"name": ESCAPE, "bytes": 18, "sha256": ESCAPE}),
        lambda m: m["tokenizer"].update(sha256=ESCAPE),
        lambda m: m["tokenizer"].update({ESCAPE: 1}),
        lambda m: m["ids"].update(count=ESCAPE),
        lambda m: m.update(version=ESCAPE),
        lambda m: m.update({ESCAPE: 1}),
    ],
)
def test_control_characters_of_a_manifest_are_escaped(artifact, change):
    forge(artifact, change)
    messages = [check.detail for check in verify(artifact)]
    try:
        load_artifact(artifact)
    except CourseError as error:
        messages.append(str(error))
    assert any("[2J" in message or "its parts should be" in message for message in messages)
    assert all(message.isprintable() for message in messages), messages
