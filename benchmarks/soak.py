"""Run g2c for an hour under kills, full disks and changing corpora: is finished work lost, or a false result published?

    python benchmarks/soak.py --minutes 60

Each round is one of `Soak.rounds`, at random. Whatever happens to a command, repeating it must end with the IDs and the
tokenizer of an undisturbed run. Prints faults, counts, and each command's largest memory in every ten minutes. The full
disk is a small file system, which only root can mount.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from pydoc_data.topics import topics
from shutil import rmtree

import psutil

PARAGRAPHS = [text for topic in sorted(topics) for text in topics[topic].split("\n\n")]


class Soak:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance, self.began = folder, random.Random(seed), time.monotonic()
        self.counts, self.memory = Counter(), {}
        self.tokenizer, self.out = folder / "tokenizer", folder / "out"
        self.rounds = self.encode, self.train, self.join, self.full_disk, self.changed_corpus
        self.g2c("train", self.corpus(2 << 20), "--vocab-size", 4000, "--output", self.tokenizer)

    def fault(self, text: str) -> None:
        self.counts["FAULT"] += 1
        print(f"FAULT: {text}", flush=True)

    def g2c(self, *command: object, kill: float = 0, change=None) -> tuple[int, str]:
        """Run a command; kill it after some seconds, or call `change` meanwhile. Returns its exit code and output."""
        begun = time.monotonic()
        with tempfile.TemporaryFile("w+") as output:
            process = psutil.Popen([sys.executable, "-m", "g2c", *map(str, command)], stdout=output, stderr=output)
            while process.poll() is None:
                passed, key = time.monotonic() - begun, (str(command[0]), int(begun - self.began) // 600 * 10)
                with suppress(psutil.Error):
                    self.memory[key] = max(self.memory.get(key, 0), process.memory_info().rss >> 20)
                if kill and passed > kill:
                    process.kill()
                if change and passed > 0.7:
                    change = change()
                time.sleep(0.01)
            output.seek(0)
            code, text = process.returncode, output.read()
        self.counts[f"{command[0]}: {({0: 'done', -9: 'killed'}).get(code, 'refused')}"] += 1
        if code not in (0, 1, -9) or "Traceback" in text:
            self.fault(f"{command} ended with {code}: {text[-500:]}")
        return code, text

    def undisturbed(self, *command: object) -> list[bytes]:
        """Return the artifact of a command that nothing disturbs; nothing if it is refused."""
        code, _ = self.g2c(*command, "--output", self.folder / "whole")
        return [] if code else content(self.folder / "whole")

    def until_done(self, *command: object, out: Path, free=None) -> None:
        """Repeat a command, killed at random or on a full disk, until it ends; compare with an undisturbed one."""
        expected, finished, code = self.undisturbed(*command), 0, -9
        while code:
            kill = 0 if free or self.chance.random() < 0.2 else self.chance.uniform(0.1, 2.5)
            code, text = self.g2c(*command, "--output", out, kill=kill)
            if code == 1 and not (free and "Free some space" in text):
                return self.fault(f"{command} was refused: {text[-500:]}")
            if out.exists() and content(out) != expected:
                return self.fault(f"{command} published another artifact than an undisturbed run")
            journal = out.with_name(f".{out.name}.encoding") / "journal"
            done = len(journal.read_bytes().splitlines()) if journal.exists() else 0
            if done < finished and not out.exists():
                self.fault(f"{command}: of {finished} lines in the journal, {done} are left")
            finished = done
            if code == 1:
                free()
        if self.g2c("verify", out)[0]:
            self.fault(f"verify refuses the artifact of {command}")

    def corpus(self, size: int = 0, name: str = "") -> Path:
        """Write a corpus of paragraphs in random order, of any kind unless there is a name."""
        path = self.folder / (name or f"corpus{self.chance.choice(['.txt', '.jsonl'])}")
        texts = self.chance.choices(PARAGRAPHS, k=(size or self.chance.randint(4, 24) << 20) // 400)
        if path.suffix == ".txt":
            path.write_text("\n\n".join(texts))
        else:
            path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        return path

    # --- rounds -------------------------------------------------------------------------------------------------------

    def encode(self) -> None:
        self.until_done("encode", self.tokenizer, self.corpus(), out=self.out)

    def train(self) -> None:
        self.until_done("train", self.corpus(), "--vocab-size", 1000, out=self.out)

    def join(self) -> None:
        parts = [self.folder / f"part-{number}" for number in range(3)]
        for part in parts:
            self.g2c("encode", self.tokenizer, self.corpus(), "--output", part)
        self.until_done("join", *parts, out=self.out)

    def full_disk(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "soak", disk], capture_output=True).returncode:
            return
        try:
            ballast = disk / "ballast"
            ballast.write_bytes(bytes(self.chance.randint(24 << 20, (40 << 20) - 4096)))

            def free() -> None:
                self.counts["full disk"] += 1
                os.truncate(ballast, max(0, ballast.stat().st_size - self.chance.randint(1 << 18, 16 << 20)))

            self.until_done("encode", self.tokenizer, self.corpus(), out=disk / "out", free=free)
        finally:
            subprocess.run(["umount", disk], check=True)

    def changed_corpus(self) -> None:
        command = "encode", self.tokenizer, (corpus := self.corpus())
        before, kind = self.undisturbed(*command), self.chance.choice(["appended", "replaced", "truncated"])

        def change() -> None:
            self.counts[f"corpus {kind}"] += 1
            other = self.corpus(1 << 20, f"other{corpus.suffix}")
            if kind == "truncated":
                os.truncate(corpus, self.chance.randrange(corpus.stat().st_size))
            elif kind == "replaced":
                other.replace(corpus)
            else:
                with corpus.open("ab") as file:
                    file.write(other.read_bytes())

        code, text = self.g2c(*command, "--output", self.out, change=change)
        if code and (self.out.exists() or not re.search("chang|not valid JSON|no document", text)):
            self.fault(f"The corpus was {kind}: {text[-500:]}")
        after = self.undisturbed(*command, "--again")
        if code == 0 and content(self.out) not in (before, after):
            self.fault(f"The corpus was {kind}: the artifact is neither of the old one nor of the new one")

    def run(self, minutes: float) -> None:
        while time.monotonic() - self.began < 60 * minutes:
            self.chance.choice(self.rounds)()
            for path in set(self.folder.iterdir()) - {self.tokenizer}:
                rmtree(path) if path.is_dir() else path.unlink()
        for key, value in [*sorted(self.counts.items()), *sorted(self.memory.items())]:
            print(f"{key:30} {value}" if isinstance(key, str) else f"{key[0]:10} MB from minute {key[1]:3}: {value:5}")


def content(artifact: Path) -> list[bytes]:
    return [(artifact / name).read_bytes() for name in ("ids.uint32", "tokenizer.json")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), options.seed)
        soak.run(options.minutes)
    sys.exit(soak.counts["FAULT"] > 0)
