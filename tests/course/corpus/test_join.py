"""Joining artifacts: the IDs of one machine, whatever the parts; and a sentence that names a part that is wrong."""

import shutil
from pydoc_data.topics import topics

import pytest

from coach.common.errors import CourseError
from g2c import commands
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.join import join_artifacts
from g2c.corpus.verify import verify
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact, save_artifact
from support.corpus_files import write_documents
from support.tokenizer_files import trained

DOCUMENTS = list(topics.values())[:36]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Twelve parts, Web-0 to Web-11, of three documents each."""
    folder = tmp_path_factory.mktemp("corpus")
    for number in range(12):
        corpus = write_documents(folder / f"{number}.jsonl", DOCUMENTS[3 * number : 3 * number + 3])
        encode_corpus(trained("gpt4"), corpus, folder / "parts" / f"Web-{number}", workers=1, progress=False)
    return folder / "parts"


@pytest.fixture
def parts(made, tmp_path):
    """Copies, which a test may change."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return [tmp_path / f"Web-{number}" for number in range(12)]


def test_parts_give_the_ids_of_one_machine_in_the_order_given(parts, tmp_path, capsys):
    named = list(map(str, parts))
    assert commands.main(["join", *named, "--output", str(tmp_path / "Web")]) == 0
    joined = load_artifact(tmp_path / "Web")
    one = load_artifact(encode_corpus(trained("gpt4"), iter(DOCUMENTS), tmp_path / "One", progress=False))
    assert joined.ids.tolist() == one.ids.tolist()
    for entry in ("ids", "documents", "tokenizer"):
        assert joined.manifest[entry] == one.manifest[entry]
    whole = {name: one.manifest["corpus"][name] for name in ("bytes", "sha256")}
    corpora = [load_artifact(part).manifest["corpus"] for part in parts]
    assert joined.manifest["corpus"] == {"name": "12 parts, 0.jsonl to 11.jsonl", **whole, "parts": corpora}
    assert capsys.readouterr().out == f"12 parts are joined in {tmp_path / 'Web'}.\n"
    assert commands.main(["join", named[0], "--output", str(tmp_path / "Alone")]) == 0
    assert capsys.readouterr().out == f"1 part is joined in {tmp_path / 'Alone'}.\n"
    assert [check for check in verify(tmp_path / "Web") if check.passed is False] == []


def test_texts_without_a_separator_are_joined_and_verified(tmp_path):
    """Across their border, encoding would merge the end of one with the beginning of the other."""
    texts, folders, tokenizer = {"a.txt": "the citi", "b.jsonl": "zens, the"}, [], trained(None)
    for name, text in texts.items():
        corpus = write_documents(tmp_path / name, [text])
        folders.append(encode_corpus(tokenizer, corpus, tmp_path / name[0], train={"algorithm": "train_exact"}))
    joined = load_artifact(join_artifacts(folders, tmp_path / "both"))
    assert joined.ids.tolist() == [i for text in texts.values() for i in tokenizer.encode_fast(text)] + [256]
    assert joined.manifest["train"] == {"algorithm": "train_exact"}
    assert [check.passed for check in verify(joined.path)] == [True, True, None, True]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: shutil.rmtree(parts[5]), "There is no artifact .*Web-5"),
        (
            lambda parts: (parts[7] / "ids.uint32").write_bytes(bytes(4)),
            "Web-7/ids.uint32 is not the file",
        ),
        (lambda parts: save_artifact(BPETokenizer(), parts[7], [97]), "Web-7 was .* another tokenizer than .*Web-0"),
    ],
)
def test_a_part_that_is_wrong_is_refused_by_name_and_nothing_is_made(parts, tmp_path, change, message):
    change(parts)
    save_artifact(BPETokenizer(), tmp_path / "Web", [97])
    with pytest.raises(CourseError, match=message):
        join_artifacts(parts, tmp_path / "Web")
    assert load_artifact(tmp_path / "Web").ids.tolist() == [97]
