"""docs/corpora.md: its lines for gigatoken give the IDs of the course's engine, from the same tokenizer.json."""

import re
from pydoc_data.topics import topics

import numpy as np
import pytest

from coach.common.paths import REPOSITORY
from g2c.corpus.documents import documents
from g2c.corpus.encoding import encode_corpus
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact
from support.corpus_files import write_documents

pytest.importorskip("gigatoken", reason="gigatoken is in the group check")


@pytest.mark.parametrize("pattern", ["gpt4", "o200k"])
def test_the_lines_of_the_page_give_the_same_ids(tmp_path, monkeypatch, pattern):
    page = (REPOSITORY / "docs" / "corpora.md").read_text(encoding="utf-8")
    [lines] = [block for block in re.findall(r"```py\n(.*?)```", page, re.DOTALL) if "import gigatoken" in block]
    monkeypatch.chdir(tmp_path)
    corpus = write_documents(tmp_path / "web.jsonl", [*topics.values(), "नमस्ते, 中文字符 👋🏽", " \n\t x"])
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern=pattern)
    tokenizer.train_exact(list(topics.values())[:30], 900, progress=False)
    artifact = load_artifact(encode_corpus(tokenizer, corpus, tmp_path / "artifacts/tokenizers/Web", progress=False))
    names = {"documents": documents}
    exec(lines, names)
    assert np.concatenate([[*ids, 256] for ids in names["ids"]]).tolist() == artifact.ids.tolist()
