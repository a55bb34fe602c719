"""Files of documents of every kind that the course reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from g2c.common.text import DOCUMENT_SEPARATOR


def write_documents(path: Path, documents: Any, **options: Any) -> Path:
    """Write documents as the name says: .txt, .jsonl, .parquet, or a folder of .txt files.

    Options are those of the writer of parquet files.
    """
    if path.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
        table = pyarrow.table({"n": range(len(documents)), "text": documents})
        pytest.importorskip("pyarrow.parquet").write_table(table, path, **options)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps({"id": 1, "text": text}) + "\n" for text in documents), encoding="utf-8")
    elif path.suffix == ".txt":
        path.write_bytes(f"\n{DOCUMENT_SEPARATOR}\n".join(documents).encode())
    else:
        path.mkdir(exist_ok=True)
        for number, document in enumerate(documents):
            (path / f"{number:04}.txt").write_bytes(document.encode())
    return path
