"""Corpora as they come: what is kept, what is refused and where, as docs/files.md has it."""

import gzip
import json

import numpy
import pytest

from g2c.common.errors import CorpusError
from g2c.corpus.documents import documents
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.named_tokenizers import train
from g2c.corpus.verify import verify
from g2c.formats.artifact import load_artifact
from g2c.solutions.bpe import BPETokenizer

END = "<|endoftext|>"
PATTERNS = [None, "gpt2", "gpt4"]


def trained(pattern=None):
    tokenizer = BPETokenizer([END, "<|end|>"], pattern=pattern)
    tokenizer.train("the end of the text, the end of the page\r\n" * 3, 275, progress=False)
    return tokenizer


def encoded(tokenizer, corpus, folder, **options):
    folder = encode_corpus(tokenizer, corpus, folder, workers=1, progress=False, **options)
    assert [check for check in verify(folder) if check.passed is False] == []
    return load_artifact(folder, cls=BPETokenizer).ids.tolist()


def jsonl(path, *texts, ensure_ascii=True):
    lines = (json.dumps({"text": text}, ensure_ascii=ensure_ascii) for text in texts)
    path.write_bytes("\n".join(lines).encode())
    return path


# --- what is kept, character for character ----------------------------------------------------------------------------

KEPT = {
    "byte order mark": "\ufeffthe end",
    "CRLF": "the end\r\nof the page\r\n",
    "CR alone": "the end\rof\r\rit",
    "NUL bytes": "the\0end\0\0",
    "control characters": "\x01\x02\x1a\x7f\x85\u2028",
    "no characters, but code points": "\ufffe\uffff\U0001ffff",
    "not normalized": "e\u0301 é",
    "the replacement character": "\ufffd",
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", KEPT)
def test_text_is_kept_as_it_is(tmp_path, name, pattern):
    tokenizer, text = trained(pattern), KEPT[name]
    (tmp_path / "page.txt").write_bytes(text.encode())
    ids = encoded(tokenizer, tmp_path / "page.txt", tmp_path / "as-text")
    assert ids == tokenizer.encode(text)
    assert b"".join(tokenizer.vocab[token_id] for token_id in ids) == text.encode()
    ids = encoded(tokenizer, jsonl(tmp_path / "page.jsonl", text), tmp_path / "as-document")
    assert ids == [*tokenizer.encode(text), 256]


def test_a_mark_at_the_beginning_of_a_jsonl_file_is_no_part_of_it(tmp_path):
    (tmp_path / "page.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "one"}\r\n{"text": "\xef\xbb\xbftwo"}\r\n')
    assert list(documents(tmp_path / "page.jsonl")) == ["one", "\ufefftwo"]


def test_documents_of_a_text_file_with_crlf(tmp_path):
    (tmp_path / "stories.txt").write_bytes(b"one\r\nmore\r\n<|endoftext|>\r\ntwo\r\n<|endoftext|>\r\n")
    assert list(documents(tmp_path / "stories.txt")) == ["one\r\nmore", "two"]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "shift_jis"])
def test_a_part_in_another_encoding_is_refused_with_the_place(tmp_path, encoding):
    before = "the end of the page é\n".encode() * 100
    wrong = "été, 日本".encode(encoding, "replace")
    (tmp_path / "page.txt").write_bytes(before + wrong)
    with pytest.raises(CorpusError) as error:
        list(documents(tmp_path / "page.txt"))
    place = int(str(error.value).split("byte ")[1].split()[0])
    assert len(before) <= place < len(before) + len(wrong)
    with pytest.raises(CorpusError, match=f"page.txt is not UTF-8 text: byte {place} "):
        encode_corpus(trained(), tmp_path / "page.txt", tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("half", ["\\ud83d", "\\udc4b", "\\udc4b\\ud83d", "a\\uD83Db"])
def test_half_a_character_in_json_is_refused_with_the_line(tmp_path, half):
    (tmp_path / "page.jsonl").write_bytes(b'{"text": "fine \\ud83d\\udc4b"}\n{"text": "%s"}\n' % half.encode())
    found = documents(tmp_path / "page.jsonl")
    assert next(found) == "fine 👋"
    with pytest.raises(CorpusError, match=r'page\.jsonl, line 2: character \d of "text" is a lone surrogate'):
        next(found)


def test_a_gzip_file_whose_text_is_not_utf8(tmp_path):
    (tmp_path / "page.txt.gz").write_bytes(gzip.compress(b"fine" + b"\xff"))
    with pytest.raises(CorpusError, match="byte 4"):
        list(documents(tmp_path / "page.txt.gz"))


# --- documents --------------------------------------------------------------------------------------------------------


def test_empty_documents_are_left_out_of_files(tmp_path):
    path = jsonl(tmp_path / "pages.jsonl", "one", "", "two", "")
    assert list(documents(path)) == ["one", "two"]
    tokenizer = trained()
    ids = encoded(tokenizer, path, tmp_path / "out")
    assert ids == [*tokenizer.encode("one"), 256, *tokenizer.encode("two"), 256]
    assert load_artifact(tmp_path / "out").manifest["documents"]["count"] == 2


PAGES = ["the <|endoftext|> of the page", "<|end|>", "<|endoftext|><|endoftext|>", "the end"]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("kind", ["jsonl", "parquet", "stream"])
def test_a_page_that_contains_a_special_token_is_still_one_document(tmp_path, kind, pattern):
    tokenizer = trained(pattern)
    if kind == "jsonl":
        corpus = jsonl(tmp_path / "pages.jsonl", *PAGES)
    elif kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        corpus = tmp_path / "pages.parquet"
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"text": PAGES}), corpus)
    else:
        corpus = iter(PAGES)
    ids = encoded(tokenizer, corpus, tmp_path / "out")
    assert ids == [token_id for page in PAGES for token_id in [*tokenizer.encode_ordinary(page), 256]]
    assert load_artifact(tmp_path / "out").manifest["documents"]["count"] == len(PAGES)
    assert 257 not in ids


def test_special_tokens_in_documents_count_when_that_is_asked_for(tmp_path):
    tokenizer = trained()
    ids = encoded(tokenizer, iter(PAGES), tmp_path / "out", special="allow")
    assert ids == [token_id for page in PAGES for token_id in [*tokenizer.encode(page), 256]]


def test_in_a_text_file_the_separator_is_how_documents_end(tmp_path):
    tokenizer = trained()
    (tmp_path / "stories.txt").write_text(f"one\n{END}\ntwo\n{END}\n", encoding="utf-8")
    ids = encoded(tokenizer, tmp_path / "stories.txt", tmp_path / "out")
    assert ids == tokenizer.encode(f"one\n{END}\ntwo\n{END}\n")
    assert ids.count(256) == 2


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
def test_the_courses_own_tokenizers_keep_to_it(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    corpus = tmp_path / "pages.jsonl"
    lines = [json.dumps({"text": page}) + "\n" for page in [*PAGES, "the end of it"]]
    corpus.write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr("g2c.corpus.named_tokenizers.resolve_corpus", lambda name: name)
    artifact = train("G2CTokenizer", corpus=str(corpus), vocab_size=275, progress=False)
    tokenizer = artifact.tokenizer
    assert numpy.count_nonzero(artifact.ids == tokenizer.special_to_id[END]) == len(PAGES) + 1
    assert tokenizer.special_to_id["<|end|>"] not in artifact.ids
    assert [check for check in verify("G2CTokenizer") if check.passed is False] == []
