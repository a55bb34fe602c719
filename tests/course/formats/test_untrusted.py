"""Files from anywhere: refused with the place named, or right; never more than that."""

import json

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from coach.common.errors import CourseError, FileFormatError
from g2c.corpus.verify import verify
from g2c.formats.artifact import save_artifact
from g2c.solutions.bpe import BPETokenizer
from support.agreement import disagreements
from support.scarce import within

TEXT = "the cat and the hat, 1234 times; l'été <|end|>\n" * 4

pytestmark = pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")


GPT2 = BPETokenizer.with_course_special_tokens(pattern="gpt2")
GPT2.train(TEXT, 281, progress=False)


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The content of each file of an artifact."""
    folder = save_artifact(GPT2, tmp_path_factory.mktemp("artifact") / "poem", GPT2.encode(TEXT))
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def load_right(file, content):
    """Load JSON as tokenizer.json: it is refused in a short sentence, or gives the IDs that the library gives."""
    file.write_bytes(json.dumps(content).encode("utf-8", "surrogatepass"))
    try:
        with within(5):
            tokenizer = BPETokenizer.load(file)
    except CourseError as error:
        assert str(error).startswith(f"{file}") and len(str(error)) < 2000
        return
    library = tokenizers.Tokenizer.from_file(str(file))
    for text in (TEXT, "qzzzzq <|end|<|end|>", " the\u0301\U0001f44b\n\n  "):
        assert library.encode(text, add_special_tokens=False).ids == tokenizer.encode_fast(text)
    assert disagreements(tokenizer) == []


# --- changes of a file ------------------------------------------------------------------------------------------------

SPELLINGS = st.sampled_from(["z", "zz", "zzzz", "q", "qz", "the", "Ġthe", "Ġ", "<|end|>", "Ā", "x<"])
KINDS = st.sampled_from(["merge", "ID", "IDs moved", "special token", "merge moved"])


def edit(value, kind, left, right, number):
    """Change the content of a tokenizer.json in one way that its format knows."""
    vocab, merges = value["model"]["vocab"], value["model"]["merges"]
    if kind == "merge":
        merges.append([left, right])
        vocab.setdefault(left + right, len(vocab))
    elif kind == "ID":
        vocab[left] = number
    elif kind == "IDs moved":
        vocab.update({token: token_id + number for token, token_id in vocab.items() if token_id > 263})
    elif kind == "special token":
        vocab.setdefault(left, len(vocab))
        changes = {"id": vocab[left], "content": left, "normalized": bool(number % 2)}
        value["added_tokens"].append({**value["added_tokens"][0], **changes})
    else:
        merges.insert(number % len(merges), merges.pop())


@given(changes=st.lists(st.tuples(KINDS, SPELLINGS, SPELLINGS, st.integers(-1, 300)), min_size=1, max_size=3))
def test_tokenizer_json_edited_by_its_rules(tmp_path_factory, contents, changes):
    value = json.loads(contents["tokenizer.json"])
    for change in changes:
        edit(value, *change)
    load_right(tmp_path_factory.mktemp("x") / "tokenizer.json", value)


def test_what_the_library_does_not_survive_is_refused_before(tmp_path, contents):
    """With this prefix, it cuts the character Ġ of a merge in two, and ends the process."""
    value = json.loads(contents["tokenizer.json"])
    edit(value, "ID", "zz", "", 2**31)
    load_right(tmp_path / "tokenizer.json", value)
    value = json.loads(contents["tokenizer.json"])
    value["model"]["continuing_subword_prefix"] = "x"
    edit(value, "merge", "the", "Ġ", 0)
    load_right(tmp_path / "tokenizer.json", value)


@given(data=st.data())
def test_any_bytes_in_any_file_of_an_artifact(tmp_path_factory, contents, data):
    folder, name = tmp_path_factory.mktemp("x"), data.draw(st.sampled_from(sorted(contents)))
    place = data.draw(st.integers(0, len(contents[name])))
    rest = contents[name][place + data.draw(st.integers(0, 8)) :]
    changed = contents[name][:place] + data.draw(st.binary(max_size=8)) + rest
    for file, content in (contents | {name: changed}).items():
        (folder / file).write_bytes(content)
    try:
        artifact = BPETokenizer.load_artifact(folder)
    except FileFormatError as error:
        assert str(folder / name) in str(error)
        assert any(check.passed is False for check in verify(folder))
    else:
        assert name == "manifest.json" or changed == contents[name]
        assert (artifact.tokenizer.merges, artifact.ids.tolist()) == (GPT2.merges, GPT2.encode(TEXT))
