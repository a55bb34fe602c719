"""Files from anywhere, and text from anyone: refused with the place named, or right; never more than that."""

import base64
import contextlib
import json
import subprocess
import sys
import time
import tracemalloc

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import CourseError, FileFormatError
from g2c.corpus.verify import check_agreement, verify
from g2c.formats import interop
from g2c.formats.artifact import load_artifact, save_artifact
from g2c.formats.hf_format import to_hf_dict
from g2c.formats.tokenizer_json import load
from g2c.solutions.bpe import BPETokenizer

TEXT = "the cat and the hat, 1234 times; l'été <|end|>\n" * 4
SPECIAL_TOKENS = ["<|endoftext|>", "<|end|>"]
SECONDS, MEGABYTES = 1, 200

pytestmark = pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")


def trained(pattern):
    tokenizer = BPETokenizer(SPECIAL_TOKENS, pattern=pattern)
    tokenizer.train(TEXT, 275, progress=False)
    return tokenizer


GPT2 = trained("gpt2")


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The content of each file of an artifact."""
    folder = save_artifact(GPT2, tmp_path_factory.mktemp("artifact") / "poem", GPT2.encode(TEXT))
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def loads_or_is_refused(loader, path):
    """What the loader returns, None when it refuses. Any other error, or more than a second, fails the test."""
    started = time.process_time()
    try:
        return loader(path)
    except CourseError as error:
        assert str(error) and len(str(error)) < 2000, "the sentence is short"
        return None
    finally:
        assert time.process_time() - started < SECONDS


def load_right(path):
    """Load, and check that what comes gives the IDs that the library gives with the same file."""
    tokenizer, expected = loads_or_is_refused(lambda path: load(path, BPETokenizer), path), {}
    if tokenizer is not None:
        assert [check for check in check_agreement(tokenizer) if check.passed is False] == []
        with contextlib.suppress(Exception):  # it also refuses files without the parts that have a default here
            library = tokenizers.Tokenizer.from_file(str(path))
            for text in (TEXT, "", "qzzzzq <|end|<|end|>", " the\u0301\U0001f44b\n\n  "):
                expected[text] = library.encode(text, add_special_tokens=False).ids
        assert expected == {text: tokenizer.encode_fast(text) for text in expected}
    return tokenizer


# --- any change of a file ---------------------------------------------------------------------------------------------

ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), st.text(max_size=8),
    st.sampled_from([2**31, 2**32, -1, 10**30, 255, 256, 258, 1.0, "Ġ", "Ġt", "<|end|>", "BPE", "../x", "", "\ud800"]),
)  # fmt: skip
JSON = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
)


def places(value, path=()):
    """Every place in a JSON value, as the names and numbers that lead to it."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in children:
        yield from places(child, (*path, name))


def mutated(value, path, change, other):
    if not path:
        return other
    value = json.loads(json.dumps(value))
    container = value
    for name in path[:-1]:
        container = container[name]
    last = path[-1]
    if change == "replace":
        container[last] = other
    elif change == "remove":
        del container[last]
    elif isinstance(container, list):
        container.insert(last, container[last] if change == "repeat" else other)
    else:
        container[f"{last}x" if change == "repeat" else str(other)] = container[last]
    return value


def written(value):
    return json.dumps(value).encode("utf-8", "surrogatepass")


CHANGES = st.sampled_from(["replace", "remove", "repeat", "insert"])
SPELLINGS = st.sampled_from(["z", "zz", "zzzz", "q", "qz", "the", "Ġthe", "Ġ", "<|end|>", "Ā", "x<"])


@st.composite
def edits(draw):
    """A function that changes the content of a tokenizer.json in one way that its format knows."""
    left, right, number = draw(SPELLINGS), draw(SPELLINGS), draw(st.integers(-1, 300))
    kind = draw(st.sampled_from(["merge", "ID", "IDs moved", "special token", "merge moved"]))

    def edit(value):
        vocab, merges = value["model"]["vocab"], value["model"]["merges"]
        if kind == "merge":
            merges.append([left, right])
            vocab.setdefault(left + right, len(vocab))
        elif kind == "ID":
            vocab[left] = number
        elif kind == "IDs moved":
            vocab.update({token: token_id + number for token, token_id in vocab.items() if token_id > 257})
        elif kind == "special token":
            vocab.setdefault(left, len(vocab))
            changes = {"id": vocab[left], "content": left, "normalized": bool(number % 2)}
            value["added_tokens"].append({**value["added_tokens"][0], **changes})
        else:
            merges.insert(number % len(merges), merges.pop())

    return edit


@given(changes=st.lists(edits(), min_size=1, max_size=3))
def test_tokenizer_json_edited_by_its_rules(tmp_path_factory, contents, changes):
    value = json.loads(contents["tokenizer.json"])
    for change in changes:
        change(value)
    file = tmp_path_factory.mktemp("x") / "tokenizer.json"
    file.write_bytes(written(value))
    load_right(file)


@given(data=st.data(), other=JSON, change=CHANGES)
def test_tokenizer_json_with_any_part_changed(tmp_path_factory, contents, data, other, change):
    value = json.loads(contents["tokenizer.json"])
    path = data.draw(st.sampled_from(list(places(value))))
    file = tmp_path_factory.mktemp("x") / "tokenizer.json"
    file.write_bytes(written(mutated(value, path, change, other)))
    load_right(file)


@given(data=st.data(), other=JSON, change=CHANGES, name=st.sampled_from(["manifest.json", "tokenizer_config.json"]))
def test_manifest_and_config_with_any_part_changed(tmp_path_factory, contents, data, other, change, name):
    folder = tmp_path_factory.mktemp("x")
    for file, content in contents.items():
        (folder / file).write_bytes(content)
    value = json.loads(contents[name])
    path = data.draw(st.sampled_from(list(places(value))))
    changed = written(mutated(value, path, change, other))
    (folder / name).write_bytes(changed)
    artifact = loads_or_is_refused(lambda path: load_artifact(path, cls=BPETokenizer), folder)
    assert artifact is None, f"{name} was changed at {path} and it was believed"


@given(data=st.data())
def test_any_bytes_in_any_file_of_an_artifact(tmp_path_factory, contents, data):
    folder = tmp_path_factory.mktemp("x")
    for file, content in contents.items():
        (folder / file).write_bytes(content)
    name = data.draw(st.sampled_from(sorted(contents)))
    place = data.draw(st.integers(0, len(contents[name])))
    changed = (
        contents[name][:place]
        + data.draw(st.binary(max_size=8))
        + contents[name][place + data.draw(st.integers(0, 8)) :]
    )
    (folder / name).write_bytes(changed)
    artifact = loads_or_is_refused(lambda path: load_artifact(path, cls=BPETokenizer), folder)
    assert (artifact is None) == (changed != contents[name])
    if artifact is None:
        assert any(check.passed is False for check in verify(folder))


# --- hostile in a known way -------------------------------------------------------------------------------------------


HUGE = b"9" * 1_000_000
HOSTILE = {
    "deep nesting": (b"[" * 200_000, "nested too deeply|Expecting value"),
    "deep nesting, closed": (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
    "deep nesting of objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
    "nesting just too deep": (b"[" * 34 + b"]" * 34, "nested too deeply"),
    "a huge integer": (b'{"version": ' + HUGE + b"}", "the integer 999999999999999999... is too large"),
    "a huge exponent": (b'{"version": 1e999999999, "model": {}}', "version is inf"),
    "a huge string": (b'{"model": {}, "version": "' + HUGE + b'"}', "version is '9999"),
    "a name twice": (b'{"version": "1.0", "version": "1.0"}', "the name 'version' appears twice"),
    "not a number": (b'{"version": NaN}', "NaN is not a JSON value"),
    "half a character": (b'{"version": "\\ud800"}', "lone surrogate"),
    "null bytes": (bytes(1000), "line 1, column 1"),
    "not UTF-8": (b'{"version": "\xff"}', "byte 13 is not valid UTF-8"),
    "UTF-16": ('{"version": "1.0"}'.encode("utf-16"), "byte 0 is not valid UTF-8"),
    "a list": (b"[]", "should be an object"),
    "nothing": (b"", "line 1, column 1"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_refused_with_the_place(tmp_path, name):
    content, place = HOSTILE[name]
    file = tmp_path / "tokenizer.json"
    file.write_bytes(content)
    tracemalloc.start()
    started = time.process_time()
    try:
        with pytest.raises(FileFormatError, match=place) as error:
            load(file, BPETokenizer)
        assert time.process_time() - started < 3 * SECONDS  # being measured makes it slower
        assert tracemalloc.get_traced_memory()[1] < MEGABYTES * 2**20
    finally:
        tracemalloc.stop()
    assert str(file) in str(error.value)
    assert len(str(error.value)) < 1000


def test_what_takes_memory_is_answered_within_seconds_and_200_megabytes(tmp_path):
    """In a process that gets 200 MB more than it has when all is imported."""
    chain, special = to_hf_dict(BPETokenizer()), to_hf_dict(BPETokenizer([f"<|{n}|>" for n in range(20_000)]))
    # Tokens of 2, 3, 4, ... bytes: their bytes, written out, grow with the square of the number of merges.
    for length in range(2, 1500):
        chain["model"]["vocab"]["a" * length] = 254 + length
        chain["model"]["merges"].append(["a" * (length - 1), "a"])
    files = {"a chain of merges": written(chain), "special tokens": written(special)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    program = f"""
import resource, sys, time
from pathlib import Path
from g2c.common.errors import CourseError
from g2c.solutions.bpe import BPETokenizer
from g2c.formats.tokenizer_json import load
if sys.platform == "linux":  # macOS keeps no such limit
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, 2 * (used + {MEGABYTES} * 2**20,))
for file in Path({str(tmp_path)!r}).iterdir():
    started = time.process_time()
    try:
        load(file, BPETokenizer)
        result = "loaded"
    except CourseError as error:
        result = f"refused in {{len(str(error))}} characters"
    print(f"{{file.name}}: {{result}}:{{time.process_time() - started}}")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers = [line.split(":") for line in done.stdout.splitlines()]
    assert {name for name, _, _ in answers} == files.keys()
    for name, result, seconds in answers:
        assert float(seconds) < SECONDS, (name, seconds)
        assert result == " loaded" if name == "special tokens" else result.startswith(" refused in "), (name, result)


# --- the tables that others published ---------------------------------------------------------------------------------


RANKS = b"".join(
    base64.b64encode(token) + b" %d\n" % rank
    for rank, token in (
        (token_id, token) for token_id, token in GPT2.vocab.items() if token_id not in GPT2.id_to_special
    )
)
SPECIAL_IDS = dict(GPT2.special_to_id)


def gpt2_files():
    """The contents of encoder.json and vocab.bpe for a small table with <|endoftext|> as its last token."""
    plain = BPETokenizer(pattern="gpt2")
    plain.train(TEXT, 266, progress=False)
    model = to_hf_dict(plain)["model"]
    lines = "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in model["merges"])
    return json.dumps({**model["vocab"], "<|endoftext|>": 266}).encode(), lines.encode()


ENCODER, BPE_LINES = gpt2_files()


def table_or_refused(make):
    started = time.process_time()
    try:
        tokenizer = make()
    except ValueError as error:
        assert str(error)
        tokenizer = None
    assert time.process_time() - started < SECONDS
    if tokenizer is not None:
        assert [check for check in check_agreement(tokenizer) if check.passed is False] == []
    return tokenizer


def edit(data, content):
    place = data.draw(st.integers(0, len(content)))
    return content[:place] + data.draw(st.binary(max_size=6)) + content[place + data.draw(st.integers(0, 6)) :]


@given(data=st.data(), in_encoder=st.booleans())
def test_any_change_of_gpt2s_files(data, in_encoder):
    encoder = edit(data, ENCODER) if in_encoder else ENCODER
    lines = BPE_LINES if in_encoder else edit(data, BPE_LINES)
    table_or_refused(lambda: interop.from_gpt2_files(encoder, lines, BPETokenizer))


@given(data=st.data())
def test_any_change_of_a_tiktoken_file(data):
    ranks = edit(data, RANKS)
    table_or_refused(lambda: interop.from_ranks(interop.parse_ranks(ranks), SPECIAL_IDS, "gpt4", BPETokenizer))


def test_these_files_as_they_are():
    made = table_or_refused(lambda: interop.from_gpt2_files(ENCODER, BPE_LINES, BPETokenizer))
    assert made.decode(made.encode("the cat<|endoftext|>")) == "the cat<|endoftext|>"
    made = table_or_refused(lambda: interop.from_ranks(interop.parse_ranks(RANKS), SPECIAL_IDS, "gpt2", BPETokenizer))
    assert made.merges == GPT2.merges


@pytest.mark.parametrize(
    "encoder", [b"[]", b"[" * 100_000, b'{"a": 1, "a": 2}', b"\xff", b"{}", b'{"<|endoftext|>": []}']
)
def test_an_encoder_json_that_is_hostile(encoder):
    assert table_or_refused(lambda: interop.from_gpt2_files(encoder, BPE_LINES, BPETokenizer)) is None


@pytest.mark.parametrize("lines", [b"IQ== " + HUGE, b"IQ== -1", RANKS.replace(b"IQ== 33", b"IQ== 34")])
def test_a_tiktoken_file_that_is_hostile(lines):
    assert table_or_refused(lambda: interop.from_ranks(interop.parse_ranks(lines), {}, None, BPETokenizer)) is None


# --- text from anyone -------------------------------------------------------------------------------------------------

CHAT = BPETokenizer.with_course_special_tokens()
CHAT.train("<user>|end|of text<| |>the tool_call result " * 6, CHAT.base_vocab_size + 40, progress=False)
CHAT_GPT4 = BPETokenizer.with_course_special_tokens("gpt4")
CHAT_GPT4.train("<user>|end|of text<| |>the tool_call result " * 6, CHAT.base_vocab_size + 20, progress=False)
PIECES = [*CHAT.special_tokens, "<|", "|>", "<|end", "oftext|>", "<", "|", ">", " ", "\n", "'s", "12", "é", "＜|end|＞",
          "<|END|>", "<|end |>", "<|e\u200bnd|>", "\u202e>|dne|<", "<|endoftext|", "user"]  # fmt: skip


@given(text=st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join))
@pytest.mark.parametrize("tokenizer", [CHAT, CHAT_GPT4], ids=["no pattern", "gpt4"])
def test_ordinary_text_gives_no_special_id(tokenizer, text):
    ids = tokenizer.encode_ordinary(text)
    assert not tokenizer.special_token_ids.intersection(ids)
    assert tokenizer.encode_ordinary_fast(text) == ids
    assert tokenizer.decode(ids) == text
    # Nothing is kept from one kind of encoding to the other.
    found = tokenizer.special_token_ids.intersection(tokenizer.encode(text))
    assert found == {token_id for token, token_id in tokenizer.special_to_id.items() if token in text}
