"""Trains the student's tokenizer in the page, on the corpus that the page contains."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import g2c.tokenizer
from g2c.lab.pages import table_of


def train(size: int, post: Callable[[dict[str, Any]], None]) -> None:
    """Train the student's tokenizer on the corpus, and post its tokenizer.json and its table."""
    text = Path("corpus.txt").read_text(encoding="utf-8")
    tokenizer = g2c.tokenizer.BPETokenizer.with_course_special_tokens()
    began = time.perf_counter()

    def report(progress: Any) -> None:
        seconds = time.perf_counter() - began
        newest = repr(progress.newest.decode(errors="replace"))
        post({"progress": {"done": progress.done, "total": progress.total, "newest": newest, "seconds": seconds}})

    try:
        tokenizer.train(text, size, progress=report)
        post({"trained": {"file": tokenizer_json(tokenizer), "table": table_of(tokenizer)}})
    except Exception as error:
        post({"problem": {"title": f"Your code raised {type(error).__name__}: {error}"}})


def tokenizer_json(tokenizer: g2c.tokenizer.BPETokenizer) -> str:
    """Write the tokenizer.json of a trained tokenizer: fill its tokens and merges into an untrained one's."""
    content = json.loads(Path("untrained.json").read_text(encoding="utf-8"))
    vocab = content["model"]["vocab"]
    spelling = {token_id: token for token, token_id in vocab.items() if token_id < 256}
    spelled = {token_id: token for token, token_id in vocab.items()}
    for (left, right), new_id in tokenizer.merges.items():
        spelled[new_id] = "".join(spelling[byte] for byte in tokenizer.vocab[new_id])
        content["model"]["merges"].append([spelled[left], spelled[right]])
    content["model"]["vocab"] = {token: token_id for token_id, token in spelled.items()}
    return json.dumps(content, indent=2, ensure_ascii=False)
