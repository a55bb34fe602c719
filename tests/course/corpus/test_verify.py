"""`g2c verify`: all that is right passes, and whatever is changed is noticed, with the file and what differs."""

import hashlib
import json
import os
import random
import shutil

import numpy
import pytest

from g2c.corpus.corpora import Corpus
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.verify import check_agreement, verify
from g2c.course import cli
from g2c.formats.artifact import save_artifact
from g2c.solutions.bpe import BPETokenizer

TEXT = "First Citizen: we are accounted poor citizens, the patricians good. 1234 we'll\n\n  Ça va 中文 \U0001f44b\n" * 3
SPECIAL_TOKENS = ["<|endoftext|>", "<|end|>"]
FILES = ["tokenizer.json", "tokenizer_config.json", "ids.uint32", "manifest.json"]
EXACT = {"algorithm": "train_exact"}


def corpus_of(text, name="poem"):
    return Corpus(name, text, len(text.encode()), hashlib.sha256(text.encode()).hexdigest())


def trained(pattern=None):
    tokenizer = BPETokenizer(SPECIAL_TOKENS, pattern=pattern)
    tokenizer.train(TEXT, tokenizer.base_vocab_size + 40, progress=False)
    return tokenizer


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    tokenizer = trained()
    folder = tmp_path_factory.mktemp("artifacts") / "poem"
    return save_artifact(tokenizer, folder, tokenizer.encode(TEXT), corpus=corpus_of(TEXT), train=EXACT)


@pytest.fixture
def artifact(original, tmp_path):
    return shutil.copytree(original, tmp_path / "poem")


def failures(folder):
    return [check for check in verify(folder) if check.passed is False]


def first_failure(folder):
    return next((check for check in verify(folder) if check.passed is False), None)


def forge(folder, new_ids=None, **changes):
    """Put other IDs into an artifact, or change its manifest, and let all checksums fit again."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for part, entries in changes.items():
        manifest[part] |= entries
    if new_ids is not None:
        data = numpy.array(new_ids, "<u4").tobytes()
        (folder / "ids.uint32").write_bytes(data)
        manifest["ids"] |= {"count": len(new_ids), "min_id": min(new_ids), "max_id": max(new_ids)}
        manifest["ids"]["sha256"] = hashlib.sha256(data).hexdigest()
    manifest.pop("sha256_of_the_above")
    above = (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
    manifest["sha256_of_the_above"] = hashlib.sha256(above).hexdigest()
    (folder / "manifest.json").write_bytes((json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode())


# --- what is right ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4", r"\w+|\W"])
@pytest.mark.parametrize("special", ["allow", "ordinary"])
def test_what_the_course_writes_passes(tmp_path, pattern, special):
    documents = [TEXT, "", "with <|end|> and <|endoftext|> in it", "\ufeff\0\r\n", TEXT]
    folder = encode_corpus(trained(pattern), iter(documents), tmp_path / "documents", workers=1, special=special)
    checks = list(verify(folder))
    assert [check for check in checks if check.passed is False] == []
    left_out = [check.detail for check in checks if check.passed is None and check.subject != "tiktoken"]
    assert left_out == ["the corpus documents is not in the data folder, so it is not compared"]
    assert any("encoded again, it gives the same" in check.detail for check in checks if check.passed)


def test_the_command_prints_a_line_for_each_check_and_exits_with_0(artifact, capsys):
    assert cli.main(["verify", str(artifact)]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert all(line.startswith(("ok ", "skipped ")) for line in lines)
    passed = sum(line.startswith("ok ") for line in lines)
    assert last.startswith(f"All {passed} checks passed.") and passed >= 17
    for name in FILES:
        assert any(line.startswith("ok") and name in line for line in lines)


def test_a_short_name_is_one_of_the_courses_artifacts(original, monkeypatch, capsys):
    monkeypatch.setenv("G2C_ARTIFACTS", str(original.parent))
    assert cli.main(["verify", "poem"]) == 0
    assert cli.main(["verify", "story"]) == 1
    assert "There is no artifact" in capsys.readouterr().err


# --- what was changed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_any_changed_byte_fails_and_names_the_file(artifact, name):
    content = (artifact / name).read_bytes()
    generator = random.Random(name)
    edits = [content[:-1], content[1:], content + b"\n", content + b"\0\0\0\0", content * 2, b""]
    for _ in range(30):
        place = generator.randrange(len(content))
        edits.append(content[:place] + bytes([content[place] ^ generator.randrange(1, 256)]) + content[place + 1 :])
        edits.append(content[:place] + content[place + 1 :])
        edits.append(content[:place] + bytes([generator.randrange(256)]) + content[place:])
    for edit in edits:
        (artifact / name).write_bytes(edit)
        failure = first_failure(artifact)
        assert failure is not None, f"{name} was changed and no check failed"
        assert failure.subject == name and failure.detail
    (artifact / name).write_bytes(content)
    assert first_failure(artifact) is None


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named_and_the_rest_is_still_checked(artifact, name, capsys):
    (artifact / name).unlink()
    assert cli.main(["verify", str(artifact)]) == 1
    out = capsys.readouterr().out
    assert any(line.startswith("FAILED") and name in line for line in out.splitlines())
    assert sum(line.startswith("ok ") for line in out.splitlines()) >= 3
    assert "checks failed." in out.splitlines()[-1]


def test_files_of_another_artifact_are_noticed(artifact, tmp_path):
    tokenizer = trained("gpt2")
    other = save_artifact(tokenizer, tmp_path / "other", tokenizer.encode(TEXT[:60]), corpus=corpus_of(TEXT[:60]))
    for name in ["tokenizer.json", "ids.uint32", "manifest.json"]:
        content = (artifact / name).read_bytes()
        shutil.copy(other / name, artifact / name)
        found = failures(artifact)
        if name == "manifest.json":
            # It is whole, and says of two of the other files that they are not its own.
            assert {"tokenizer.json", "ids.uint32"} <= {check.subject for check in found}
        else:
            assert found[0].subject == name
        (artifact / name).write_bytes(content)
    os.rename(artifact / "tokenizer.json", artifact / "x")
    os.rename(artifact / "ids.uint32", artifact / "tokenizer.json")
    os.rename(artifact / "x", artifact / "ids.uint32")
    assert {check.subject for check in failures(artifact)} >= {"tokenizer.json", "ids.uint32"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"ids": {"count": 7}}, "ids.count is 7"),
        ({"ids": {"file": "../../secret"}}, "ids.file is '../../secret'"),
        ({"documents": {"count": 9}}, "documents.count is 9"),
        ({"tokenizer": {"fingerprint": "0"}}, "tokenizer.fingerprint is '0'"),
    ],
)
def test_a_manifest_whose_own_checksum_fits_is_compared_all_the_same(artifact, changes, problem):
    forge(artifact, **changes)
    (failure,) = failures(artifact)
    assert failure.subject == "manifest.json" and problem in failure.detail


# --- IDs whose checksums all fit --------------------------------------------------------------------------------------


def test_ids_that_are_not_the_corpus(artifact):
    ids = numpy.fromfile(artifact / "ids.uint32", "<u4").tolist()
    forge(artifact, [ids[0] - 1, *ids[1:]])
    assert "decoded, it has" in first_failure(artifact).detail


def test_an_id_that_is_not_a_token(artifact):
    ids = numpy.fromfile(artifact / "ids.uint32", "<u4").tolist()
    forge(artifact, [*ids[:5], 5000, *ids[6:]])
    assert "ID number 5 is 5000, but the highest is 297" in first_failure(artifact).detail


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
def test_ids_that_decode_rightly_but_that_encoding_does_not_give(tmp_path, pattern):
    tokenizer = trained(pattern)
    ids = tokenizer.encode(TEXT)
    place = next(place for place, token_id in enumerate(ids) if token_id in tokenizer.merges.values())
    pair = next(pair for pair, new_id in tokenizer.merges.items() if new_id == ids[place])
    wrong = [*ids[:place], *pair, *ids[place + 1 :]]
    folder = save_artifact(tokenizer, tmp_path / "poem", wrong, corpus=corpus_of(TEXT), train=EXACT)
    (failure,) = failures(folder)
    assert f"encoded again, ID number {place:,} is {ids[place]}, not {pair[0]}" in failure.detail
    # Without a separator, and not known to be one text, two documents could touch there.
    folder = save_artifact(tokenizer, tmp_path / "documents", wrong, corpus=corpus_of(TEXT))
    assert failures(folder) == []
    assert any("correct only if a document begins near there" in check.detail for check in verify(folder))


def test_ids_that_are_no_text(artifact):
    forge(artifact, [200, 200])
    assert any("it does not decode to UTF-8 text" in failure.detail for failure in failures(artifact))


def test_long_texts_are_encoded_again_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("g2c.corpus.verify._CHUNK", 70)
    monkeypatch.setattr("g2c.corpus.verify._TAIL", 30)
    for pattern in (None, "gpt2", "gpt4"):
        tokenizer = trained(pattern)
        text = TEXT * 5 + "<|end|>" + TEXT
        folder = save_artifact(
            tokenizer, tmp_path / "poem", tokenizer.encode(text), corpus=corpus_of(text), train=EXACT
        )
        assert failures(folder) == []


# --- the corpus in the data folder ------------------------------------------------------------------------------------


def test_a_corpus_that_is_at_hand_is_compared_byte_for_byte(tmp_path):
    from pydoc_data.topics import topics

    text = "\n\n".join(topics[topic] for topic in sorted(topics))
    tokenizer = trained()
    ids = tokenizer.encode_fast(text)
    folder = save_artifact(tokenizer, tmp_path / "docs", ids, corpus=corpus_of(text, "pydocs"), train=EXACT)
    details = [check.detail for check in verify(folder) if check.passed]
    assert "decoded, it is the corpus pydocs in the data folder, byte for byte" in details

    changed = list(ids)
    changed[1000] = 65 if changed[1000] != 65 else 66
    forge(folder, changed)
    assert any("ID number 1,000" in failure.detail for failure in failures(folder))

    other = text.replace("assert", "insist", 1)
    ids = tokenizer.encode_fast(other)
    folder = save_artifact(tokenizer, tmp_path / "docs", ids, corpus=corpus_of(other, "pydocs"), train=EXACT)
    assert failures(folder) == []
    assert any(
        "the corpus pydocs in the data folder is different from byte" in check.detail for check in verify(folder)
    )


# --- libraries --------------------------------------------------------------------------------------------------------


def test_libraries_that_disagree_are_named(monkeypatch):
    monkeypatch.setattr("g2c.corpus.verify.encode_fast", lambda tokenizer, text: [0])
    wrong = [check for check in check_agreement(trained()) if check.passed is False]
    assert [check.subject for check in wrong] == ["encode_fast"]
    assert "the plain algorithm as" in wrong[0].detail
