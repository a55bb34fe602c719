"""Files from anywhere, and text from anyone: refused with the place named, or right; never more than that."""

import base64
import contextlib
import hashlib
import json
import os
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
from g2c.formats.token_ids import load_token_ids
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


@given(data=st.binary(max_size=64), mmap=st.booleans())
def test_any_bytes_as_token_ids(tmp_path_factory, data, mmap):
    file = tmp_path_factory.mktemp("x") / "ids.uint32"
    file.write_bytes(data)
    ids = loads_or_is_refused(lambda path: load_token_ids(path, mmap=mmap), file)
    if ids is not None:
        assert ids.tobytes() == data and (not len(ids) or ids.max() < 2**31)


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
    "a huge exponent": (b'{"version": 1e999999999}', "version is inf"),
    "a huge string": (b'{"version": "' + HUGE + b'"}', "version is '9999"),
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


BOMBS = {
    "empty lists": lambda size: b"[" + b"[]," * (size // 3) + b"[]]",
    "empty objects": lambda size: b"[" + b"{}," * (size // 3) + b"{}]",
    "short strings": lambda size: b"[" + b'"ab",' * (size // 5) + b'"ab"]',
    "names": lambda size: b"{" + b",".join(b'"%d":1' % number for number in range(min(size, 2**22) // 11)) + b"}",
    "characters of four bytes": lambda size: '["\U0001f44b'.encode() + b"a" * size + b'"]',
    "pairs of escapes": lambda size: b'["' + rb"\ud83d\udc4b" * (size // 12) + b'"]',
    "spaces": lambda size: b" " * size,
    "a vocabulary": lambda size: json.dumps(
        {"model": {"vocab": {str(i): i for i in range(min(size, 2**23) // 16)}}}
    ).encode(),
}


def test_what_takes_memory_is_answered_within_seconds_and_200_megabytes(tmp_path):
    """In a process that gets 200 MB more than it has when all is imported."""
    chain, special = to_hf_dict(BPETokenizer()), to_hf_dict(BPETokenizer([f"<|{n}|>" for n in range(20_000)]))
    # Tokens of 2, 3, 4, ... bytes: their bytes, written out, grow with the square of the number of merges.
    for length in range(2, 1500):
        chain["model"]["vocab"]["a" * length] = 254 + length
        chain["model"]["merges"].append(["a" * (length - 1), "a"])
    files = {name: make(8 * 2**20) for name, make in BOMBS.items()}
    files |= {"a chain of merges": written(chain), "special tokens": written(special)}
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
        # Half a million tokens are within the limits, so this table is read to its end before it is refused.
        assert float(seconds) < (3 * SECONDS if name == "a vocabulary" else SECONDS), (name, seconds)
        assert result == " loaded" if name == "special tokens" else result.startswith(" refused in "), (name, result)


def test_no_path_in_a_file_is_followed(tmp_path, contents):
    folder = tmp_path / "artifact"
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (tmp_path / "secret").write_bytes(contents["ids.uint32"])
    manifest = json.loads(contents["manifest.json"])
    manifest.pop("sha256_of_the_above")
    for part, name in (("ids", "file"), ("tokenizer", "file"), ("tokenizer", "config_file")):
        manifest[part][name] = "../secret"
    above = (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
    manifest["sha256_of_the_above"] = hashlib.sha256(above).hexdigest()
    (folder / "manifest.json").write_bytes((json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode())
    program = f"""
import sys
from g2c.common.errors import FileFormatError
from g2c.solutions.bpe import BPETokenizer
from g2c.formats.artifact import load_artifact
load_artifact  # everything is imported: from here on, what is opened is what the artifact asks for
sys.addaudithook(lambda event, arguments: event == "open" and print(arguments[0]))
try:
    load_artifact({str(folder)!r}, cls=BPETokenizer)
except FileFormatError as error:
    print("refused:", error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    *opened, refused = done.stdout.splitlines()
    assert refused.startswith("refused:") and "file is" in refused, done.stdout + done.stderr
    names = {os.path.relpath(name, folder) for name in opened if str(tmp_path) in name}
    assert names <= set(contents) and "ids.uint32" in names
    assert not any("secret" in name for name in opened)


# --- the tables that others published ---------------------------------------------------------------------------------


def gpt2_files():
    tokenizer = BPETokenizer({"<|endoftext|>": 266}, pattern="gpt2")
    trained_merges = BPETokenizer(pattern="gpt2")
    trained_merges.train(TEXT, 266, progress=False)
    tokenizer.merges, tokenizer.vocab = trained_merges.merges, trained_merges.vocab | {266: b"<|endoftext|>"}
    model = to_hf_dict(tokenizer)["model"]
    bpe = "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in model["merges"])
    return json.dumps(model["vocab"]).encode(), bpe.encode()


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


def test_gpt2s_files_as_they_are():
    tokenizer = table_or_refused(lambda: interop.from_gpt2_files(ENCODER, BPE_LINES, BPETokenizer))
    assert tokenizer.encode("the cat") == GPT2_TOKENS.encode("the cat")


GPT2_TOKENS = BPETokenizer(pattern="gpt2")
GPT2_TOKENS.train(TEXT, 266, progress=False)


@given(data=st.data(), in_encoder=st.booleans())
def test_any_change_of_gpt2s_files(data, in_encoder):
    encoder = edit(data, ENCODER) if in_encoder else ENCODER
    lines = BPE_LINES if in_encoder else edit(data, BPE_LINES)
    table_or_refused(lambda: interop.from_gpt2_files(encoder, lines, BPETokenizer))


RANKS = b"".join(base64.b64encode(token) + b" %d\n" % token_id for token_id, token in sorted(GPT2_TOKENS.vocab.items()))


@given(data=st.data())
def test_any_change_of_a_tiktoken_file(data):
    content = edit(data, RANKS)
    table_or_refused(lambda: interop.from_ranks(interop.parse_ranks(content), {"<|end|>": 300}, "gpt4", BPETokenizer))


@pytest.mark.parametrize(
    "encoder", [b"[]", b"[" * 100_000, b'{"a": 1, "a": 2}', b"\xff", b"{}", b'{"<|endoftext|>": []}']
)
def test_an_encoder_json_that_is_hostile(encoder):
    assert table_or_refused(lambda: interop.from_gpt2_files(encoder, BPE_LINES, BPETokenizer)) is None


@pytest.mark.parametrize(
    "lines",
    [b"IQ== " + HUGE, b"IQ== -1", b"IQ== 0\nIQ== 1", b"????", b"\xff\xff 1", RANKS.replace(b"IQ== 33", b"IQ== 34")],
)
def test_a_tiktoken_file_that_is_hostile(lines):
    made = table_or_refused(
        lambda: interop.from_ranks(interop.parse_ranks(lines), {"<|end|>": 300}, None, BPETokenizer)
    )
    assert made is None


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
