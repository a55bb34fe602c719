"""From a keystroke to colored tokens on 10 kB of text, in the exported page and through the server.

    python benchmarks/lab.py [--runs 20] [--results FOLDER]

A browser types one character into the view Type and waits until the tokens of the new text are on the page and drawn.
The text has 10 kB; the tokenizer is trained on it, once with the pattern gpt2 and once without a pattern. Through the
server, the answer key's `encode` runs, and without a pattern the page shows 600 characters of the text at a time.
Writes lab.md into the results folder: the median and the slowest of the runs, in milliseconds. The goals are medians of
50 for the exported page and 150 through the server. Measure on an idle machine.

Needs the group `check` and the system's Chromium.
"""

import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from g2c.corpus.corpora import pydocs_topics
from g2c.engine.exact import train_exact
from g2c.formats.tokenizer_json import save
from g2c.lab.export import export_page
from g2c.tokenizer.base import BPEBase

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("results")
SIZE = 10_000
KEYSTROKE = """() => new Promise((done) => {
  const area = document.querySelector("textarea");
  area.focus();
  area.setSelectionRange(0, 0);
  const place = document.querySelector("main > div:nth-last-child(2)");
  const began = performance.now();
  const seen = new MutationObserver(() => {
    if (!place.querySelector(".token")) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  });
  seen.observe(place, { childList: true });
  // As if it was typed. Setting the value would also measure the layout of a whole new text in the box.
  document.execCommand("insertText", false, "x");
})"""


def milliseconds(page: Page, address: str, text: str, runs: int) -> list[float]:
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    page.evaluate("(text) => { document.querySelector('textarea').value = text; }", text)
    page.evaluate(KEYSTROKE)
    return [page.evaluate(KEYSTROKE) for _ in range(runs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    runs = arguments.runs
    load = os.getloadavg()[0]
    rows = []
    text = "\n".join(pydocs_topics())[:SIZE]
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        tokenizers = {}
        pattern_of = {"gpt2": "gpt2", "unsplit": None}
        for name, pattern in pattern_of.items():
            tokenizers[name] = BPEBase(pattern=pattern)
            train_exact(tokenizers[name], text, 1024, progress=False)
            save(tokenizers[name], folder / "artifacts" / name)
        variables = {"G2C_SOLUTIONS": "all", "PYTHONPATH": str(REPOSITORY), "G2C_ARTIFACTS": str(folder / "artifacts")}
        lab = subprocess.Popen(
            [sys.executable, "-m", "g2c", "lab", "--no-browser"],
            cwd=REPOSITORY,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            text=True,
        )
        base, _, token = re.search(r"http\S+", lab.stdout.readline())[0].partition("?token=")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        for name, tokenizer in tokenizers.items():
            file = folder / f"{name}.html"
            file.write_text(export_page(name, tokenizer), encoding="utf-8")
            for where, address in (
                ("exported page", file.as_uri()),
                ("server", f"{base}type?with={name}&token={token}"),
            ):
                times = milliseconds(page, address, text, runs)
                rows.append(
                    f"| {where} | {pattern_of[name] or 'none'} | {statistics.median(times):.0f} | {max(times):.0f} |"
                )
                print(rows[-1], flush=True)
        version = browser.version
        browser.close()
        lab.terminate()
    arguments.results.mkdir(exist_ok=True)
    lines = [
        *("# From a keystroke to colored tokens", ""),
        f"Measured by `benchmarks/lab.py`: milliseconds from a character typed into a text of {SIZE:,} characters to",
        "its tokens on the page. Without a pattern, the server encodes 600 characters of the text at a time.",
        "",
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"Chromium {version}, {runs} runs. Other programs: a load of {load:.1f} before the first run.",
        *("", "| where | pattern | median | slowest |", "| --- | --- | --- | --- |", *rows, ""),
    ]
    (arguments.results / "lab.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
