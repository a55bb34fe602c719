"""What is on the disk: corpora and artifacts, each with its problem, if any, and the command that fixes it."""

from dataclasses import dataclass
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import artifacts_folder, data_folder
from g2c.common.text import printable
from g2c.corpus import corpora
from g2c.corpus.corpora import NAMED_TOKENIZERS
from g2c.course.milestone import code_in_use, milestone_of, origin
from g2c.formats.artifact import load_artifact
from g2c.tokenizer.base import BPEBase

VALID, MISSING, DAMAGED, NOT_OWN = "valid", "missing", "damaged", "not own"
"""NOT_OWN: a valid artifact that is a milestone, but is not known to be made with the code in use."""

_MAX_HASHED = 100 << 20
"""The largest file, in bytes, whose checksum is computed for an overview. Of a larger one, the size is compared."""


@dataclass(frozen=True)
class Item:
    """A corpus or an artifact. `detail` describes it or its problem; `remedy` is a command, or empty when `detail`
    says what to do."""

    name: str
    state: str
    detail: str
    remedy: str = ""


def corpus_items() -> list[Item]:
    """Every named corpus that consists of files, which are compared with the published ones."""
    return [_corpus(name, entry) for name, entry in corpora.CORPORA.items() if entry.files]


def artifact_items() -> list[Item]:
    """Every folder of the artifacts folder, loaded and checked."""
    folder = artifacts_folder()
    folders = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    return [_artifact(path) for path in folders if not path.name.startswith(".")]


def _corpus(name: str, entry: corpora.Dataset) -> Item:
    fetch = f"./datasets.sh {entry.option}"
    paths = [data_folder() / source.file for source in entry.files]
    try:
        if not corpora.files_are_here(entry):
            return Item(name, MISSING, entry.description, fetch)
    except CourseError as error:
        return Item(name, DAMAGED, str(error))
    for source, path in zip(entry.files, paths, strict=True):
        problem = corpora.problem_of(path, source, max_hashed=_MAX_HASHED)
        if problem:
            return Item(name, DAMAGED, f"{path} is not the published file: {problem}.", fetch)
    total = sum(path.stat().st_size for path in paths)
    return Item(name, VALID, f"{total / 1e6:,.1f} MB")


def _artifact(path: Path) -> Item:
    try:
        artifact = load_artifact(path, mmap=True, cls=BPEBase)
    except CourseError as error:
        remedy = f"g2c train {path.name}" if path.name in NAMED_TOKENIZERS else ""
        return Item(path.name, DAMAGED, str(error), remedy)
    corpus = artifact.manifest.get("corpus") or {}
    train = artifact.manifest["train"]
    details = [
        f"{artifact.tokenizer.vocab_size:,} tokens, {len(artifact.ids):,} IDs",
        f"trained on {printable(corpus['name'])}" if corpus.get("name") else "",
        origin(path.name, train),
    ]
    detail = ", ".join(filter(None, details))
    if milestone := milestone_of(path.name):
        is_own = train.get("code") == code_in_use()
        return Item(path.name, VALID, detail) if is_own else Item(path.name, NOT_OWN, detail, milestone.command)
    return Item(path.name, VALID, detail)
