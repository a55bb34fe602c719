"""Make the slides: docs/teaching/slides.md as one HTML file that needs nothing else.

    python docs/slides.py                    writes build/slides.html
    python docs/slides.py FILE

A slide is a section of the page that begins with `##`; one that begins with `# Lecture` is the title of a lecture. A
quotation at the end of a section holds the speaker's notes, which the key n shows. Figures are put into the file, in
their light and dark forms. In print each slide is a page, with its notes if they are shown.
"""

import argparse
import base64
import re
from pathlib import Path

from markdown_it import MarkdownIt

from g2c.common.files import write_file
from g2c.common.paths import REPOSITORY, display_path

SOURCE = REPOSITORY / "docs" / "teaching" / "slides.md"
DEFAULT = REPOSITORY / "build" / "slides.html"
FIGURE = re.compile(r'(src|srcset)="([^":]+\.svg)"')

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>g2c: Tokenization. Slides</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --page: #fff; --soft: #f0f2f5; --line: #c9ced6; --strong: #0060a0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --page: #15181c; --soft: #22272e; --line: #444c56; --strong: #6cb6ff; }
}
* { box-sizing: border-box; }
html { scroll-snap-type: y proximity; }
body { margin: 0; color: var(--ink); background: var(--page); font: min(2.3vw, 4vh)/1.45 system-ui, sans-serif; }
section { min-height: 100vh; padding: 5vh 7vw; display: flex; flex-direction: column; justify-content: center;
  scroll-snap-align: start; position: relative; break-after: page; }
section > * { margin: 0 0 0.7em; max-width: 100%; }
h1, h2 { font-size: 1.7em; line-height: 1.2; }
section.title { background: var(--soft); }
strong { color: var(--strong); }
code, pre { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
pre { background: var(--soft); padding: 0.6em 0.8em; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; align-self: flex-start; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25em 1.2em 0.25em 0; text-align: left; }
picture { align-self: center; text-align: center; }
img { max-width: 86vw; max-height: 66vh; width: 86vw; height: auto; object-fit: contain; }
.notes { display: none; font-size: 0.75em; background: var(--soft); border-left: 4px solid var(--strong);
  padding: 0.6em 1em; margin: 0; }
.notes p { margin: 0; }
.notes-shown .notes { display: block; }
.notes-shown img { max-height: 50vh; }
.number { position: absolute; right: 2vw; bottom: 2vh; margin: 0; font-size: 0.6em; }
@page { size: 1280px 720px; margin: 0; }
@media print { section { min-height: 0; height: 720px; } body { font-size: 28px; } }
</style>
</head>
<body>
SLIDES
<script>
const slides = [...document.querySelectorAll("section")];
const current = () => slides.findIndex((slide) => slide.getBoundingClientRect().bottom > innerHeight / 2);
const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const place = current();
  if (event.key === "n") document.body.classList.toggle("notes-shown");
  else if (!(event.key in steps)) return;
  event.preventDefault();
  slides[Math.min(Math.max(place + (steps[event.key] ?? 0), 0), slides.length - 1)].scrollIntoView();
});
</script>
</body>
</html>
"""


def slides(source: Path = SOURCE) -> str:
    """The slides as a page of HTML.

    Args:
        source: the page in Markdown.
    """
    text = FIGURE.sub(lambda match: f'{match[1]}="{_data(source.parent / match[2])}"', source.read_text("utf-8"))
    markdown = MarkdownIt().enable("table")
    parts, number = [], 0
    for section in re.split(r"^(?=##? )", text, flags=re.MULTILINE):
        if not section.startswith(("## ", "# Lecture")):
            continue
        slide, _, notes = section.partition("\n> ")
        shown = markdown.render(slide)
        if section.startswith("## "):
            number += 1
            said = markdown.render(re.sub(r"^> ?", "", notes, flags=re.MULTILINE))
            shown += f'<aside class="notes">{said}</aside><p class="number">{number}</p>'
            parts.append(f"<section>{shown}</section>")
        else:
            parts.append(f'<section class="title">{shown}</section>')
    return PAGE.replace("SLIDES", "\n".join(parts))


def _data(figure: Path) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(figure.read_bytes()).decode('ascii')}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the slides.")
    parser.add_argument("file", type=Path, nargs="?", default=DEFAULT, help="default: build/slides.html")
    path = parser.parse_args().file.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, [slides().encode()])
    print(f"Written: {display_path(path)}")


if __name__ == "__main__":
    main()
