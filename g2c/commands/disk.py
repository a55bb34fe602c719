"""What `g2c status` and `g2c doctor` say of the corpora and the artifacts on the disk: hooks of course.toml."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.text import Text

from coach.commands.doctor import Finding
from coach.commands.terminal import DAMAGED, OPEN, VALID, item_line
from coach.common.errors import CourseError
from coach.common.paths import artifacts_folder, data_folder
from g2c.commands.milestone import is_reached, milestone_of, origin
from g2c.common.text import printable
from g2c.corpus import corpora
from g2c.tokenizer.base import BPEBase

MAX_HASHED = 100 << 20
"""The size in bytes up to which a corpus file's checksum is computed; of a larger file, the size is compared."""


def status() -> Iterator[Text]:
    """List the corpora and the artifacts, for `g2c status`."""
    nothing = "none fetched yet: ./datasets.sh --list shows what there is"
    for title, lines, none in ("Corpora", corpus_lines(), nothing), ("Artifacts", artifact_lines(), "none saved yet"):
        yield Text(f"\n{title}", style="bold")
        yield from list(lines) or [Text(f"    {none}", style="dim")]


def corpus_lines() -> Iterator[Text]:
    """List the corpora in the data folder. `g2c doctor` compares them with the published files."""
    for name, entry in corpora.CORPORA.items():
        files = [data_folder() / source.file for source in entry.files]
        if files and all(path.is_file() for path in files):
            yield item_line(name, VALID, f"{sum(path.stat().st_size for path in files) / 1e6:,.1f} MB")


def artifact_lines() -> Iterator[Text]:
    """List the artifacts, as their manifests describe them. `g2c doctor` and `g2c verify` check the files."""
    for path in sorted(artifacts_folder().glob("[!.]*/")):
        try:
            yield _artifact(path)
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            yield item_line(path.name, DAMAGED, "its manifest.json is missing or damaged", f"g2c verify {path.name}")


def _artifact(path: Path) -> Text:
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    name = (manifest["corpus"] or {}).get("name")
    details = [
        f"{manifest['tokenizer']['vocab_size']:,} tokens, {manifest['ids']['count']:,} IDs",
        f"trained on {printable(name)}" if name else "",
        origin(path.name, manifest["train"]),
    ]
    milestone = milestone_of(path.name)
    others = milestone and not is_reached(milestone)
    remedy = milestone.command if milestone and others else ""
    return item_line(path.name, OPEN if others else VALID, ", ".join(filter(None, details)), remedy)


def doctor() -> tuple[tuple[Callable[[], Iterator[Finding]], str], ...]:
    """Return the checks of corpora and artifacts, each with the line for when it finds nothing wrong."""
    return (check_corpora, "no corpus is damaged"), (check_artifacts, "no artifact is damaged")


def check_corpora() -> Iterator[Finding]:
    """Compare the corpora in the data folder with the published files: of large ones, only the size."""
    for name, entry in corpora.CORPORA.items():
        for source in entry.files:
            path = data_folder() / source.file
            problem = corpora.problem_of(path, source, max_hashed=MAX_HASHED) if path.is_file() else None
            if problem:
                text = f"corpus {name}: {path} is not the published file: {problem}."
                yield Finding(text, f"./datasets.sh {entry.option}")


def check_artifacts() -> Iterator[Finding]:
    """Load each artifact, which checks all its files."""
    for path in sorted(artifacts_folder().glob("[!.]*/")):
        try:
            BPEBase.load_artifact(path, mmap=True)
        except CourseError as error:
            remedy = f"g2c train {path.name}" if path.name in corpora.NAMED_TOKENIZERS else ""
            yield Finding(f"artifact {path.name}: {error}", remedy)
