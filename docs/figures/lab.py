"""Take the pictures of the lab's views that README and docs/lab.md show, in light and dark.

    python docs/figures/lab.py

It needs the group `check`, Chromium, an artifact ShakespeareTokenizer and the tables of GPT-2 and cl100k. After a
change of the page, run this again and look at the pictures.
"""

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from coach.common.paths import REPOSITORY
from g2c.lab.command import of_artifact, write_lab

FOLDER = REPOSITORY / "docs" / "figures" / "lab"
WIDTH, HEIGHT = 900, 640
COLORS = 96
VIEWS = {
    "type": "with=ShakespeareTokenizer,gpt2&text=It+sees+tokens,+not+letters:+na%C3%AFve+caf%C3%A9,+12345",
    "merge": "step=4",
    "encode": "step=3",
    "compare": "",
    "trouble": "tokenizer=gpt2",
    "lattice": "",
}
OPTIONS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        address = write_lab(Path(folder), [of_artifact("ShakespeareTokenizer")]).as_uri()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        for scheme, suffix in (("light", ""), ("dark", "-dark")):
            context = browser.new_context(color_scheme=scheme, viewport={"width": WIDTH, "height": HEIGHT})
            for view, state in VIEWS.items():
                page = context.new_page()
                page.goto(f"{address}#/{view}?{state}")
                page.wait_for_selector("html[data-ready]", timeout=120_000)
                if view == "type":
                    page.locator(".strip .token").nth(2).click()
                    page.wait_for_selector(".tree")
                page.wait_for_timeout(400)
                save(page.screenshot(full_page=view != "trouble"), FOLDER / f"{view}{suffix}.png")
        browser.close()
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.relative_to(REPOSITORY)}: {path.stat().st_size:,} bytes")


def save(shot: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(shot)) as picture:
        picture.convert("RGB").quantize(COLORS).save(path, optimize=True)


if __name__ == "__main__":
    main()
