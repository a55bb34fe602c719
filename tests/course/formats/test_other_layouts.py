"""Tokenizers whose IDs are laid out as in published tables: bytes in another order, special tokens anywhere."""

import json

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import FileFormatError
from g2c.formats.hf_format import to_hf_dict
from g2c.tokenizer import BPETokenizer, fingerprint, load, load_artifact, save, save_artifact

CORPUS = "low lower lowest new newer newest, wide wider widest: 12 345 日本語 naïve 👋🏽\n" * 3


def relaid(special_tokens, pattern="gpt2", merges=44):
    """A trained tokenizer and the same one with bytes in reverse order and special tokens where they are said to be."""
    trained = BPETokenizer(pattern=pattern)
    trained.train_exact(CORPUS, 256 + merges)
    other = BPETokenizer(special_tokens, pattern=pattern)
    other.byte_ids = bytes(reversed(range(256)))
    other._reset()
    new_ids = dict(enumerate(other.byte_ids))
    for (pair, token_id), new_id in zip(trained.merges.items(), other.merge_ids()):
        new_ids[token_id] = new_id
        other.merges[new_ids[pair[0]], new_ids[pair[1]]] = new_id
        other.vocab[new_id] = trained.vocab[token_id]
    return trained, other, new_ids


@given(st.text(), st.sets(st.integers(256, 330), max_size=4), st.sampled_from([None, "gpt2", "gpt4"]))
def test_any_layout_agrees_with_the_library_and_comes_back(tmp_path_factory, text, special_ids, pattern):
    special_tokens = {f"<|{token_id}|>": token_id for token_id in sorted(special_ids)}
    trained, other, new_ids = relaid(special_tokens, pattern)
    expected = [new_ids[token_id] for token_id in trained.encode(CORPUS + text)]
    assert other.encode(CORPUS + text) == other.encode_fast(CORPUS + text) == expected
    assert other.encode_ordinary_fast(CORPUS + text) == expected
    assert other.decode(expected) == CORPUS + text

    folder = tmp_path_factory.mktemp("saved")
    path = save(other, folder)
    loaded, rust = load(path), tokenizers.Tokenizer.from_file(str(path))
    for part in ("merges", "vocab", "byte_ids", "special_tokens", "special_to_id", "special_token_ids", "pattern"):
        assert getattr(loaded, part) == getattr(other, part), part
    for token, token_id in special_tokens.items():
        ids = [*other.encode(text), token_id, *other.encode(text)]
        assert loaded.encode(text + token + text) == rust.encode(text + token + text).ids == ids
        assert token_id not in other.encode_ordinary(token) and other.decode([token_id]) == token
    rust.save(str(folder / "again.json"))
    assert (folder / "again.json").read_bytes() == path.read_bytes()


def test_special_tokens_that_only_added_tokens_lists_have_the_ids_that_the_library_gives(tmp_path):
    _, other, _ = relaid({"<|a|>": 300, "<|b|>": 301})
    data = to_hf_dict(other)
    del data["model"]["vocab"]["<|a|>"], data["model"]["vocab"]["<|b|>"]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert load(path).special_to_id == {"<|a|>": 300, "<|b|>": 301}
    assert tokenizers.Tokenizer.from_file(str(path)).encode("<|b|>low<|a|>").ids == other.encode("<|b|>low<|a|>")

    data["added_tokens"].reverse()
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FileFormatError, match="gives '<|b|>' the ID 301, but model.vocab has None"):
        load(path)


def test_an_artifact_keeps_ids_beyond_the_number_of_tokens_and_refuses_holes(tmp_path):
    _, other, _ = relaid({"<|endoftext|>": 310})
    ids = other.encode("low<|endoftext|>lower")
    assert load_artifact(save_artifact(other, tmp_path / "one", ids)).ids.tolist() == ids
    with pytest.raises(ValueError, match="The ID 305 at position 1 is not one of the tokenizer's"):
        save_artifact(other, tmp_path / "two", [ids[0], 305])
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize("train", ["train", "train_exact", "train_fast"])
def test_training_anew_says_why_it_cannot(train):
    _, other, _ = relaid({"<|endoftext|>": 300})
    merges = dict(other.merges)
    with pytest.raises(ValueError, match=r"special tokens have the IDs \[300\], as in a published tokenizer"):
        getattr(other, train)(CORPUS, 290)
    assert other.merges == merges


def test_the_ids_of_special_tokens_are_part_of_the_fingerprint():
    assert fingerprint(BPETokenizer({"<|end|>": 256})) == fingerprint(BPETokenizer(["<|end|>"]))
    assert fingerprint(BPETokenizer({"<|end|>": 300})) != fingerprint(BPETokenizer(["<|end|>"]))


@pytest.mark.parametrize(
    ("special_tokens", "error", "problem"),
    [
        ({"<|a|>": 255}, ValueError, "'<|a|>' has the ID 255"),
        ({"<|a|>": 2**31}, ValueError, "'<|a|>' has the ID 2147483648"),
        ({"<|a|>": 300, "<|b|>": 300}, ValueError, "'<|a|>' and '<|b|>' have the same ID, 300"),
        ({"<|a|>": "300"}, TypeError, "'<|a|>' is '300'"),
        ({"<|a|>": True}, TypeError, "'<|a|>' is True"),
        ({"<|é|>": 300}, ValueError, "not printable ASCII"),
    ],
)
def test_unusable_ids_of_special_tokens_are_refused(special_tokens, error, problem):
    with pytest.raises(error) as raised:
        BPETokenizer(special_tokens)
    assert problem in str(raised.value)
