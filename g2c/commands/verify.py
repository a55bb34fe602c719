"""`g2c verify`: check a saved tokenizer and its token IDs, and print a line for each check."""

import argparse

from g2c.commands.milestone import origin
from g2c.corpus.corpora import artifact_name
from g2c.corpus.verify import verify
from g2c.formats.artifact import artifact_folder
from g2c.formats.manifest import read_manifest
from g2c.formats.tokenizer_json import MANIFEST_FILE

_IN_WORDS = {True: "ok", False: "FAILED", None: "skipped"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("artifact", help="shakespeare, story, g2c, the name of another artifact, or its folder")
    parser.epilog = "Exit code: 0 when no check failed, 1 when one failed or there is no such artifact."


def run(arguments: argparse.Namespace) -> int:
    name = artifact_name(arguments.artifact)
    results = []
    for check in verify(name):
        results.append(check.passed)
        print(f"{_IN_WORDS[check.passed]:<8}{check.subject:<16}{check.detail}", flush=True)
    failed, skipped = results.count(False), results.count(None)
    left_out = f" {skipped} could not be made." if skipped else ""
    if failed:
        print(f"{failed} of {len(results) - skipped} checks failed.{left_out}")
        return 1
    folder = artifact_folder(name)
    whose_code = origin(folder.name, read_manifest(folder / MANIFEST_FILE)["train"])
    made = f" The artifact was {whose_code}." if whose_code else ""
    print(f"All {len(results) - skipped} checks passed.{left_out}{made}")
    return 0
