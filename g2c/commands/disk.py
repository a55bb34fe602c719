"""What `g2c status` says of the corpora and the artifacts on the disk: a hook of course.toml."""

import json
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from rich.text import Text

from coach.commands.terminal import DAMAGED, OPEN, VALID, item_line
from coach.common.paths import artifacts_folder, data_folder
from g2c.commands.milestone import is_reached, milestone_of, origin
from g2c.corpus.corpora import CORPORA


def status() -> Iterator[Text]:
    """List the corpora and the artifacts, for `g2c status`."""
    nothing = "none fetched yet: ./datasets.sh --list shows what there is"
    for title, lines, none in ("Corpora", corpus_lines(), nothing), ("Artifacts", artifact_lines(), "none saved yet"):
        yield Text(f"\n{title}", style="bold")
        yield from list(lines) or [Text(f"    {none}", style="dim")]


def corpus_lines() -> Iterator[Text]:
    """List the corpora in the data folder."""
    for name, entry in CORPORA.items():
        files = [data_folder() / source.file for source in entry.files]
        if files and all(path.is_file() for path in files):
            yield item_line(name, VALID, f"{sum(path.stat().st_size for path in files) / 1e6:,.1f} MB")


def artifact_lines() -> Iterator[Text]:
    """List the artifacts, as their manifests describe them. `g2c verify` checks the files."""
    for path in sorted(artifacts_folder().glob("[!.]*/")):
        try:
            yield _artifact(path)
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            remedy = f"g2c verify {quote(path.name)}"
            yield item_line(path.name, DAMAGED, "its manifest.json is missing or damaged", remedy)


def _artifact(path: Path) -> Text:
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    name = (manifest["corpus"] or {}).get("name")
    details = [
        f"{manifest['tokenizer']['vocab_size']:,} tokens, {manifest['ids']['count']:,} IDs",
        f"trained on {name}" if name else "",
        origin(path.name, manifest["train"]),
    ]
    milestone = milestone_of(path.name)
    others = milestone and not is_reached(milestone)
    remedy = milestone.command if milestone and others else ""
    return item_line(path.name, OPEN if others else VALID, ", ".join(filter(None, details)), remedy)
