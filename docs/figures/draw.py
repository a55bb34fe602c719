"""Draw the figures of README and handouts.

    python docs/figures/draw.py                 draw all of them from what is in this folder
    python docs/figures/draw.py --window FILE   first train on FILE, TinyShakespeare, and write shakespeare.json anew

The figures are SVG with text as text, each in one file for light pages and one for dark pages; every run writes the
same files. Coordinates are pixels from the top left corner. Colors are tints of the Okabe-Ito palette, which people who
see fewer colors can tell apart; borders and labels carry the meaning, color only helps.
"""

import argparse
import json
import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

from g2c.solutions.bpe import BPETokenizer
from g2c.solutions.unigram import UnigramTokenizer
from g2c.solutions.word_bpe import WordBPETokenizer
from g2c.solutions.wordpiece import WordPieceTokenizer

FOLDER = Path(__file__).resolve().parent
WINDOW = FOLDER / "shakespeare.json"

FONTS = "text{font-family:'DejaVu Sans',Verdana,sans-serif} .m{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}"
MONO_ADVANCE = 0.602  # width of a character of the fonts of `.m`, in units of the font size
BASELINE = 0.36  # from the middle of a line of text down to its baseline, in units of the font size

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"
"""Colors that remain different for color-blind readers (Okabe and Ito 2008)."""


@dataclass(frozen=True)
class Theme:
    """The colors of a figure on a light or a dark page; the page itself shows through."""

    suffix: str
    ink: str
    gray: str
    faint: str
    paper: str

    def tint(self, color: str, strength: float = 0.3) -> str:
        """A color mixed with that of the page."""
        parts = zip(bytes.fromhex(color[1:]), bytes.fromhex(self.paper[1:]), strict=True)
        return "#" + bytes(round(strength * part + (1 - strength) * page) for part, page in parts).hex()


LIGHT = Theme("", ink="#1a1a1a", gray="#5f6368", faint="#c9cdd2", paper="#ffffff")
DARK = Theme("-dark", ink="#e6edf3", gray="#9da7b3", faint="#3d444d", paper="#0d1117")


class Drawing:
    """A transparent sheet in pixels, with y pointing down. Text stays text, so that it can be selected and read out."""

    def __init__(self, width: float, height: float, theme: Theme) -> None:
        self.theme = theme
        self.size = width, height
        self.elements: list[str] = []

    def text(self, x, y, text, *, size=12, color=None, align="middle", mono=False, bold=False) -> None:
        """Text with its middle, or with `align` "start" the middle of its left edge, at x, y."""
        style = (' font-weight="bold"' if bold else "") + (' class="m"' if mono else "")
        self.elements.append(
            f'<text x="{x:.2f}" y="{y + BASELINE * size:.2f}" font-size="{size}" fill="{color or self.theme.ink}" '
            f'text-anchor="{align}"{style} xml:space="preserve">{escape(text)}</text>'
        )

    def box(self, x, y, width, height, *, fill=None, radius=5.0, line=1.2) -> None:
        """A rounded rectangle with its top left corner at x, y."""
        self.elements.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" rx="{radius}" '
            f'fill="{fill or self.theme.paper}" stroke="{self.theme.ink}" stroke-width="{line}"/>'
        )

    def line(self, points, *, color=None, width=1.6, dashed=False) -> None:
        """A line through points (x, y)."""
        places = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        dashes = ' stroke-dasharray="4 4"' if dashed else ""
        self.elements.append(
            f'<polyline points="{places}" fill="none" stroke="{color or self.theme.gray}" '
            f'stroke-width="{width}"{dashes}/>'
        )

    def arc(self, x1, x2, y, height, *, color=None, width=1.6) -> None:
        """Half an ellipse above the line from (x1, y) to (x2, y)."""
        self.elements.append(
            f'<path d="M {x1:.2f} {y:.2f} A {(x2 - x1) / 2:.2f} {height:.2f} 0 0 1 {x2:.2f} {y:.2f}" fill="none" '
            f'stroke="{color or self.theme.gray}" stroke-width="{width}"/>'
        )

    def arrow(self, start, end, *, color=None, head=9.0) -> None:
        (x1, y1), (x2, y2) = start, end
        length = math.dist(start, end)
        along_x, along_y = head * (x2 - x1) / length, head * (y2 - y1) / length
        base = x2 - along_x, y2 - along_y
        sides = [(base[0] + side * along_y * 0.45, base[1] - side * along_x * 0.45) for side in (1, -1)]
        self.line([start, base], color=color)
        corners = " ".join(f"{x:.2f},{y:.2f}" for x, y in [end, *sides])
        self.elements.append(f'<polygon points="{corners}" fill="{color or self.theme.gray}"/>')

    def tokens(self, x, y, labels, fills, *, size=13, height=24.0, gap=2.0, pad=4.0, line=0.9) -> float:
        """A row of boxed tokens with its left edge at x, its middle at y. Returns the right edge."""
        for label, fill in zip(labels, fills, strict=True):
            width = len(label) * MONO_ADVANCE * size + 2 * pad
            self.box(x, y - height / 2, width, height, fill=fill, radius=3, line=line)
            self.text(x + width / 2, y, label, size=size, mono=True)
            x += width + gap
        return x - gap

    def save(self, path: Path) -> None:
        width, height = self.size
        size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        path.write_text("\n".join([head, f"<style>{FONTS}</style>", *self.elements, "</svg>\n"]), encoding="utf-8")


def visible(text: str) -> str:
    """A token's text with its spaces shown."""
    return text.replace(" ", "␣")


def draw_pipeline(path: Path, theme: Theme) -> None:
    """Corpus, training and merges above; text, IDs, model, IDs, text below."""
    drawing = Drawing(760, 268, theme)
    top, bottom, height = 62, 190, 50

    drawing.text(24, 24, "once, before the model", size=11, color=theme.gray, align="start")
    drawing.text(24, 146, "for every text", size=11, color=theme.gray, align="start")
    drawing.line([(24, 125), (736, 125)], color=theme.faint, width=1, dashed=True)

    def station(x, y, width, title, note="", *, fill=None, mono=False):
        drawing.box(x, y - height / 2, width, height, fill=fill)
        drawing.text(x + width / 2, y - (8 if note else 0), title, size=12.5, mono=mono, bold=True)
        if note:
            drawing.text(x + width / 2, y + 11, note, size=10, color=theme.gray, mono=True)

    station(150, top, 104, "corpus", "much text", fill=theme.tint(SKY))
    station(294, top, 96, "train", "train_step", fill=theme.tint(ORANGE), mono=True)
    station(430, top, 150, "merges, vocab", "s,e → 256  …", fill=theme.tint(GREEN))
    drawing.arrow((254, top), (294, top))
    drawing.arrow((390, top), (430, top))

    row = [
        (24, 84, "text", "sea sets", theme.tint(SKY), False),
        (130, 84, "encode", "", theme.tint(ORANGE), True),
        (236, 92, "token IDs", "258 256 …", theme.tint(PURPLE), False),
        (350, 92, "language", "model", theme.tint("#808080", 0.15), False),
        (464, 92, "token IDs", "32 257 …", theme.tint(PURPLE), False),
        (578, 76, "decode", "", theme.tint(ORANGE), True),
        (676, 60, "text", " sea …", theme.tint(SKY), False),
    ]
    for (x, width, title, note, fill, mono), following in zip(row, row[1:] + [None], strict=True):
        if title == "language":
            drawing.box(x, bottom - height / 2, width, height, fill=fill)
            drawing.text(x + width / 2, bottom - 8, "language", size=12.5, bold=True)
            drawing.text(x + width / 2, bottom + 10, "model", size=12.5, bold=True)
        else:
            station(x, bottom, width, title, note, fill=fill, mono=mono)
        if following:
            drawing.arrow((x + width, bottom), (following[0], bottom))

    drawing.arrow((455, top + height / 2), (172, bottom - height / 2), color=GREEN)
    drawing.arrow((555, top + height / 2), (612, bottom - height / 2), color=GREEN)
    drawing.text(
        380,
        246,
        "orange: the code of this module; you write train_step, encode and decode",
        size=11,
        color=theme.gray,
    )
    drawing.save(path)


SENTENCE = "the newest lowest tower"
SMALL_CORPUS = "the low " * 5 + "the lower " * 2 + "the newest " * 6 + "the widest " * 3


def draw_granularities(path: Path, theme: Theme) -> None:
    """One sentence as characters, as words, and as the subwords that the handout's small corpus gives."""
    tokenizer = BPETokenizer(pattern="gpt2")
    tokenizer.train(SMALL_CORPUS, 268, progress=False)
    subwords = [tokenizer.vocab[token_id].decode() for token_id in tokenizer.encode(SENTENCE)]
    known_words = SMALL_CORPUS.split()
    words = SENTENCE.split()

    drawing = Drawing(690, 264, theme)
    left = 128
    fills = [theme.tint(color) for color in (SKY, ORANGE, GREEN, PURPLE)]
    rows = [
        (48, "characters", list(SENTENCE), [fills[0]] * len(SENTENCE), "none unknown, but a long sequence"),
        (
            130,
            "words",
            words,
            [fills[1] if word in known_words else theme.paper for word in words],
            "short, but a word that the corpus did not contain (unfilled) has no ID and is lost",
        ),
        (
            212,
            "subwords",
            subwords,
            [fills[2] if len(piece) > 1 else fills[0] for piece in subwords],
            "frequent words whole, rare words in pieces, none unknown",
        ),
    ]
    drawing.text(640, 18, "tokens", size=11, color=theme.gray)
    for y, name, pieces, colors, note in rows:
        drawing.text(24, y, name, size=14, align="start", bold=True)
        drawing.tokens(left, y, [visible(piece) for piece in pieces], colors)
        drawing.text(640, y, str(len(pieces)), size=15, bold=True)
        drawing.text(left, y + 26, note, size=11, color=theme.gray, align="start")
    drawing.save(path)


def draw_merge_loop(path: Path, theme: Theme) -> None:
    """The four stations of the loop on the left, "sea sea sea" on its way through them on the right."""
    drawing = Drawing(760, 330, theme)
    width, height = 138, 52
    stations = [
        (24, 70, "1  count", "all pairs of neighbors", SKY),
        (194, 70, "2  choose", "the most frequent,\nin a tie the first seen", ORANGE),
        (194, 200, "3  remember", "in merges and vocab,\nwith the next free ID", GREEN),
        (24, 200, "4  replace", "everywhere, from\nleft to right", PURPLE),
    ]
    for x, y, title, note, color in stations:
        drawing.box(x, y - height / 2, width, height + 14, fill=theme.tint(color))
        drawing.text(x + width / 2, y - 8, title, size=13, bold=True)
        for line, part in enumerate(note.split("\n")):
            drawing.text(x + width / 2, y + 12 + 14 * line, part, size=10)
    drawing.arrow((24 + width, 77), (194, 77))
    drawing.arrow((194 + width / 2, 110), (194 + width / 2, 174))
    drawing.arrow((194, 207), (24 + width, 207))
    drawing.arrow((24 + width / 2, 174), (24 + width / 2, 110))
    drawing.text(178, 135, "again, until the", size=11, color=theme.gray)
    drawing.text(178, 149, "vocabulary is full", size=11, color=theme.gray)

    tokenizer = BPETokenizer()
    ids = list(b"sea sea sea")
    tokenizer.train("sea sea sea", 259, progress=False)
    colors = {256: theme.tint(SKY), 257: theme.tint(ORANGE), 258: theme.tint(GREEN)}
    left = 408
    drawing.text(left, 22, "the corpus", size=11, color=theme.gray, align="start")
    drawing.text(712, 22, "tokens", size=11, color=theme.gray)
    y = 52
    for pair, new_id in [(None, None), *tokenizer.merges.items()]:
        if pair is not None:
            one, other = (visible(tokenizer.vocab[part].decode()) for part in pair)
            made = visible(tokenizer.vocab[new_id].decode())
            drawing.text(
                left,
                y + 3,
                f"{one} , {other}  →  {made}   ({new_id})",
                size=11.5,
                align="start",
                mono=True,
                color=theme.gray,
            )
            ids = tokenizer._merge(ids, pair, new_id)
            y += 32
        labels = [visible(tokenizer.vocab[token_id].decode()) for token_id in ids]
        drawing.tokens(left, y, labels, [colors.get(token_id, theme.paper) for token_id in ids])
        drawing.text(712, y, str(len(ids)), size=15, bold=True)
        y += 44
    drawing.save(path)


def draw_word_trees(path: Path, theme: Theme) -> None:
    """Two words as trees: one whose merges were all learned, one that was never seen and falls to pieces."""
    tokenizer = WordBPETokenizer(end_of_word="_")
    tokenizer.merges = [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er")]
    drawing = Drawing(760, 286, theme)
    for left, word, title in [(34, "lower", "lower: every merge applies"), (404, "lowest", "lowest: never seen")]:
        drawing.text(left, 24, title, size=12.5, align="start", bold=True)
        _draw_word_tree(drawing, left + 12, tokenizer.trace(word))
    drawing.save(path)


def _draw_word_tree(drawing: Drawing, left: float, trace) -> None:
    """Characters at the bottom, each merge one level above; the final symbols are green, with a thick border."""
    theme = drawing.theme
    bottom, level, gap = 256, 50, 46
    places = [(symbol, left + gap * number, bottom) for number, symbol in enumerate(trace[0])]
    drawn = []
    for step, pair in enumerate(trace.merges, start=1):
        at = next(i for i in range(len(places)) if (places[i][0], places[i + 1][0]) == pair)
        (one, x1, y1), (other, x2, y2) = places[at : at + 2]
        x, y = (x1 + x2) / 2, bottom - level * step
        drawing.line([(x1, y1), (x, y), (x2, y2)], width=1.2)
        drawn += [(one, x1, y1, theme.tint(SKY)), (other, x2, y2, theme.tint(SKY))]
        places[at : at + 2] = [(one + other, x, y)]
    final = [(*place, theme.tint(GREEN, 0.45), 2.4) for place in places]
    for symbol, x, y, fill, line in [*((*merged, 0.9) for merged in drawn), *final]:
        width = len(symbol) * MONO_ADVANCE * 13 + 8
        drawing.tokens(x - width / 2, y, [symbol], [fill], line=line)


def draw_longest_match(path: Path, theme: Theme) -> None:
    """Every candidate that WordPiece tries for two words, longest first; the ones it takes are green."""
    tokenizer = WordPieceTokenizer(["[UNK]", "un", "una", "##able", "##ble", "##s"])
    drawing = Drawing(760, 256, theme)
    for left, word in [(34, "unables"), (404, "unabled")]:
        tokens = tokenizer.longest_match(word)
        drawing.text(left, 24, f"{word} → {' '.join(tokens)}", size=12.5, align="start", bold=True, mono=True)
        start, y = 0, 52.0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                token = prefix + word[start:end]
                is_token = token in tokenizer.token_to_id
                fill = theme.tint(GREEN, 0.45) if is_token else theme.tint("#808080", 0.12)
                drawing.tokens(left + start * 32, y, [token], [fill], size=12, height=19, line=2 if is_token else 0.9)
                y += 23
                if is_token:
                    break
            else:
                drawing.text(left + start * 32, y + 2, "no token fits: [UNK]", size=11, align="start")
                break
            start = end
    drawing.save(path)


def draw_lattice(path: Path, theme: Theme) -> None:
    """The lattice of a word: edges above the line of positions, the longer the higher; the best path is green."""
    scores = {"<unk>": 0, "h": -3, "u": -3, "g": -3, "s": -2, "hu": -4, "ug": -2, "hug": -4}
    tokenizer, word = UnigramTokenizer(scores), "hugs"
    best = tokenizer.best_path(word)
    drawing = Drawing(760, 236, theme)
    left, step, base = 100, 140, 190
    heights = {1: 0, 2: 62, 3: 130}
    for edge in tokenizer.lattice(word):
        x1, x2 = left + step * edge.start, left + step * edge.end
        height = heights[len(edge.token)]
        # No token is in the word at two places.
        is_best = edge.token in best
        drawing.arc(x1, x2, base, height, color=GREEN if is_best else theme.gray, width=2.6 if is_best else 1.2)
        fill = theme.tint(GREEN, 0.45) if is_best else theme.tint(SKY)
        label = f"{edge.token} {edge.score:g}"
        drawing.tokens((x1 + x2) / 2 - (len(label) * MONO_ADVANCE * 13 + 8) / 2, base - height, [label], [fill])
    for position in range(len(word) + 1):
        x = left + step * position
        drawing.box(x - 9, base - 9, 18, 18, fill=theme.tint(ORANGE), radius=9)
        drawing.text(x, base, str(position), size=11)
    loss = tokenizer.segmentation_loss(best)
    drawing.text(left - 9, 222, f"the best path: {' + '.join(best)}, loss {loss:g}", size=12, align="start")
    drawing.save(path)


def draw_shakespeare(path: Path, theme: Theme) -> None:
    """A window of TinyShakespeare as the tokens of ShakespeareTokenizer, each in its border."""
    window = json.loads(WINDOW.read_text(encoding="utf-8"))
    size, line_height, left, top = 15, 31, 24, 28
    advance = MONO_ADVANCE * size
    lines = "".join(token for token, _ in window["tokens"]).count("\n") + 1
    drawing = Drawing(640, top + lines * line_height + 34, theme)
    fills = [theme.tint(color) for color in (SKY, ORANGE, GREEN, PURPLE)]
    column, row = 0, 0
    for position, (token, _) in enumerate(window["tokens"]):
        for line, part in enumerate(token.split("\n")):
            if line:
                column, row = 0, row + 1
            follows = line < token.count("\n")
            shown = visible(part) + ("↵" if follows else "")
            if shown:
                x, y = left + column * advance, top + row * line_height
                drawing.box(x, y - 11, len(shown) * advance, 22, fill=fills[position % 4], radius=0, line=0.8)
                drawing.text(x, y, part, size=size, align="start", mono=True)
                if follows:
                    drawing.text(x + len(part) * advance, y, "↵", size=size, align="start", mono=True, color=theme.gray)
                column += len(shown)
    drawing.text(left, top + lines * line_height + 8, window["caption"], size=11, color=theme.gray, align="start")
    drawing.save(path)


DRAWINGS = {
    "pipeline": draw_pipeline,
    "granularities": draw_granularities,
    "merge-loop": draw_merge_loop,
    "word-trees": draw_word_trees,
    "longest-match": draw_longest_match,
    "lattice": draw_lattice,
    "shakespeare": draw_shakespeare,
}
FIGURES = {f"{name}{theme.suffix}.svg": (name, theme) for name in DRAWINGS for theme in (LIGHT, DARK)}
"""File -> (key of DRAWINGS, theme)."""


def draw(file: str, folder: Path = FOLDER) -> Path:
    """Draw one file of FIGURES into a folder."""
    path = folder / file
    name, theme = FIGURES[file]
    DRAWINGS[name](path, theme)
    return path


def window_of(corpus: str) -> str:
    """Train as the milestone of the notebook does. Returns shakespeare.json: the tokens for `draw_shakespeare`."""
    tokenizer = BPETokenizer.with_course_special_tokens()
    ids = tokenizer.train_exact(corpus, 4096, progress=False)
    start = corpus.index("ROMEO:\nHe jests at scars")
    end = corpus.index("\nHer vestal livery", start)
    tokens = [[tokenizer.decode([token_id]), token_id] for token_id in tokenizer.encode(corpus[start:end])]
    caption = (
        f"ShakespeareTokenizer, 4,096 tokens: {end - start} bytes are {len(tokens)} tokens, "
        f"{(end - start) / len(tokens):.2f} bytes a token (whole corpus: {len(corpus) / len(ids):.2f})"
    )
    return json.dumps({"caption": caption, "tokens": tokens}, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the figures of README and handout.")
    parser.add_argument("--window", metavar="CORPUS", type=Path, help="tinyshakespeare: write shakespeare.json anew")
    arguments = parser.parse_args()
    if arguments.window:
        WINDOW.write_text(window_of(arguments.window.read_text(encoding="utf-8")), encoding="utf-8")
    for name in FIGURES:
        print(draw(name).relative_to(FOLDER.parent.parent))


if __name__ == "__main__":
    main()
