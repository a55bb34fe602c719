"""Take the pictures of the lab's views that README and docs/lab.md show, in light and dark.

    python docs/figures/lab.py

It needs the group `check`, Chromium, an artifact ShakespeareTokenizer and the tables of GPT-2, cl100k and BERT. The
answer key runs. After a change of the page, run this again and look at the pictures.
"""

import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "lab"
WIDTH, HEIGHT = 900, 640
COLORS = 96
VIEWS = {
    "type": "with=ShakespeareTokenizer,gpt2&text=It+sees+tokens,+not+letters:+na%C3%AFve+caf%C3%A9,+12345",
    "merge": "step=4",
    "encode": "step=3",
    "compare": "",
    "trouble": "tokenizer=gpt2",
    "lattice": "",
    "predict": "text=ROMEO:%0AI+am",
}
OPTIONS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    variables = {**os.environ, "G2C_SOLUTIONS": "all", "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "g2c", "lab", "--no-browser"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=variables, stdout=subprocess.PIPE, text=True) as lab:
        base, _, token = re.search(r"http\S+", lab.stdout.readline())[0].partition("?token=")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
            for scheme, suffix in (("light", ""), ("dark", "-dark")):
                size = {"width": WIDTH, "height": HEIGHT}
                page = browser.new_context(color_scheme=scheme, viewport=size).new_page()
                for view, state in VIEWS.items():
                    page.goto(f"{base}{view}?{state}&token={token}")
                    page.wait_for_selector("html[data-ready]", timeout=120_000)
                    if view == "type":
                        page.locator(".strip .token").nth(2).click()
                        page.wait_for_selector(".tree")
                    # The note that the answer key runs.
                    page.evaluate("document.querySelector('.intro + .note').remove()")
                    page.wait_for_timeout(400)
                    shot = page.screenshot(full_page=view != "trouble")
                    save(shot, FOLDER / f"{view}{suffix}.png")
            browser.close()
        lab.terminate()
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.relative_to(REPOSITORY)}: {path.stat().st_size:,} bytes")


def save(shot: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(shot)) as picture:
        picture.convert("RGB").quantize(COLORS).save(path, optimize=True)


if __name__ == "__main__":
    main()
