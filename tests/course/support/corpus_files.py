"""Files of documents of every kind that the course reads, and work on a corpus that stops."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.unfinished import UnfinishedWork


def write_documents(path: Path, documents: Any, **options: Any) -> Path:
    """Write documents as the name says: .txt, .jsonl, each with .gz or not, .parquet, or a folder of texts.

    Options are those of the writer of parquet files.
    """
    name = path.name.removesuffix(".gz")
    if name.endswith(".parquet"):
        pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
        table = pyarrow.table({"n": range(len(documents)), "text": documents})
        pytest.importorskip("pyarrow.parquet").write_table(table, path, **options)
        return path
    if "." not in name:
        path.mkdir(exist_ok=True)
        for number, document in enumerate(documents):
            (path / f"{number:04}.txt").write_bytes(document.encode())
        return path
    if name.endswith((".jsonl", ".json", ".ndjson")):
        data = "".join(json.dumps({"id": 1, "text": text}) + "\n" for text in documents).encode()
    else:
        data = f"\n{DOCUMENT_SEPARATOR}\n".join(documents).encode()
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return path


@contextmanager
def stopped_after(count: int) -> Iterator[None]:
    """The encoding in the block ends with an error after so many shards."""

    class Stop(Exception):
        pass

    original, done = UnfinishedWork.add, []

    def stopping(*arguments: Any) -> Any:
        if len(done) == count:
            raise Stop
        done.append(1)
        return original(*arguments)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Stop):
        patch.setattr(UnfinishedWork, "add", stopping)
        yield
