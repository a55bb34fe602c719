"""Shows how a short text is trained on or encoded, merge by merge: a table, and in a notebook a slider too.

`trace` reads a tokenizer's `merges` and never calls its `encode`, so it shows how a correct `encode` works.
`trace_training` calls the student's methods.
"""

import html
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from coach.common.tables import DisplayTable
from g2c.common.text import token_text
from g2c.tokenizer.base import BOUNDARY, BPEBase, Pair
from g2c.tokenizer.show import BORDER, COLORS, HTML_BORDER

if TYPE_CHECKING:
    from g2c.tokenizer.bpe import BPETokenizer

MAX_IDS = 400
"""How many bytes and special tokens a text may have."""
MAX_PAIRS = 4
"""How many pairs are listed before a merge of training."""
_TOKEN = "border:1px solid currentColor;border-radius:3px;padding:1px 2px;margin:0 1px"
_NEW = f"{_TOKEN};background:{COLORS[1]};color:#111"


class State(NamedTuple):
    """Describes a text after one merge of its training or encoding."""

    pair: Pair | None
    """The pair that was merged last; None at the beginning."""
    ids: list[int]
    candidates: str
    """The pairs that could be merged next, first the one that should be."""
    new_id: int | None = None
    """The ID that replaced the merged pair."""
    instead_of: Pair | None = None
    """The pair that should have been merged, if the student's code chose another one."""


class MergeTrace:
    """Shows the states of a text, merge by merge: in a table, and in a notebook with a slider below it.

    Where scripts do not run, as on sites that host code, all states appear, one below the other.
    """

    def __init__(self, tokenizer: BPEBase) -> None:
        self.tokenizer = tokenizer
        self.states: list[State] = []

    def table(self) -> DisplayTable:
        """Make a table with a row for each merge and the candidates it was chosen from."""
        rows = []
        chosen_from = ""
        for number, state in enumerate(self.states):
            strip = BORDER + "".join(token + BORDER for token in _token_texts(self.tokenizer, state.ids))
            rows.append((number, chosen_from, _merge_text(self.tokenizer, state), strip))
            chosen_from = state.candidates
        return DisplayTable({"step": "d", "candidates": "", "merge": "", "tokens": ""}, rows)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        rows = "".join(map(self._row, range(len(self.states))))
        return f'{self.table()._repr_html_()}<div class="g2c-slider">{rows}</div><script>{_SCRIPT}</script>'

    def _row(self, number: int) -> str:
        """Show a state: the merge, the tokens with new ones highlighted, and the candidates for the next merge."""
        state = self.states[number]
        boxes = []
        for token_id, text in zip(state.ids, _token_texts(self.tokenizer, state.ids)):
            style = _NEW if token_id == state.new_id else _TOKEN
            boxes.append(f'<span title="ID {token_id}" style="{style}">{html.escape(text)}</span>{HTML_BORDER}')
        return (
            f'<div style="margin:0 0 12px"><b>{number}. {html.escape(_merge_text(self.tokenizer, state))}</b> '
            f'({len(state.ids)} tokens)<br><span style="font-family:monospace;line-height:2;white-space:pre-wrap;'
            f'overflow-wrap:anywhere">{"".join(boxes)}</span><br>candidates: '
            f"{html.escape(state.candidates or 'none')}</div>"
        )


# Adds a slider to every strip of states on the page, which then shows one state at a time.
_SCRIPT = """
for (const strip of document.querySelectorAll(".g2c-slider:not([data-ready])")) {
  const states = [...strip.children];
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = 0;
  slider.max = states.length - 1;
  slider.value = 0;
  slider.style.width = "min(100%, 400px)";
  slider.setAttribute("aria-label", "step");
  const show = () => {
    states.forEach((state, number) => { state.hidden = number !== slider.valueAsNumber; });
    slider.setAttribute("aria-valuetext", states[slider.valueAsNumber].innerText);
  };
  slider.addEventListener("input", show);
  strip.dataset.ready = "";
  strip.prepend(slider);
  show();
}
"""


def trace(tokenizer: BPEBase, text: str) -> MergeTrace:
    """Show the merges that encode a short text, in order, each with the candidates it was chosen from.

    The candidates are all adjacent pairs that have a merge, named by the token that replaces them. The one with the
    lowest ID was learned first, so it is applied.

    Raises:
        TypeError, ValueError: the text is not valid, or too long to be shown.

    >>> from g2c.tokenizer import BPETokenizer
    >>> tokenizer = BPETokenizer()
    >>> _ = tokenizer.train("the the the", 259)
    >>> trace(tokenizer, "the t")
     step   candidates   merge                  tokens
    ────────────────────────────────────────────────────────
        0                bytes                  │t│h│e│␣│t│
        1   256 th       t + h → th (256)       │th│e│␣│t│
        2   257 the      th + e → the (257)     │the│␣│t│
        3   258 the␣     the + ␣ → the␣ (258)   │the␣│t│
    """
    # A piece is a str in which each character stands for the ID that is its code point, so a merge is a replacement.
    parts = tokenizer._pieces(text[: MAX_IDS + 1])
    pieces = ["".join(map(chr, [part] if isinstance(part, int) else part)) for part in parts]
    _check_length(text, "".join(pieces))
    shown = MergeTrace(tokenizer)
    pair = new_id = None
    while True:
        neighbors = {(ord(left), ord(right)) for piece in pieces for left, right in pairwise(piece)}
        candidates = sorted(neighbors & tokenizer.merges.keys(), key=tokenizer.merges.__getitem__)
        new_ids = [tokenizer.merges[candidate] for candidate in candidates]
        listed = (f"{new_id} {token}" for new_id, token in zip(new_ids, _token_texts(tokenizer, new_ids)))
        ids = [ord(character) for piece in pieces for character in piece]
        shown.states.append(State(pair, ids, ", ".join(listed), new_id))
        if not candidates:
            return shown
        pair, new_id = candidates[0], new_ids[0]
        pieces = [piece.replace(chr(pair[0]) + chr(pair[1]), chr(new_id)) for piece in pieces]


def trace_training(tokenizer: "BPETokenizer", text: str, merges: int = 6) -> MergeTrace:
    """Show the first merges that an untrained tokenizer learns from a short text, and let it learn them.

    The candidates are the most frequent pairs, as its `_get_pair_counts` counts them. If its `train_step` chooses
    another pair than the most frequent one seen first, the table names the right one too.

    Raises:
        ValueError: the text is too long to be shown.
        NotImplementedError: one of the methods is still a TODO.

    >>> from g2c.tokenizer import BPETokenizer
    >>> trace_training(BPETokenizer(), "the the", merges=2)
     step   candidates                                       merge                tokens
    ──────────────────────────────────────────────────────────────────────────────────────────────
        0                                                    bytes                │t│h│e│␣│t│h│e│
        1   t + h (2×), h + e (2×), e + ␣ (1×), ␣ + t (1×)   t + h → th (256)     │th│e│␣│th│e│
        2   th + e (2×), e + ␣ (1×), ␣ + th (1×)             th + e → the (257)   │the│␣│the│
    """
    ids = tokenizer._training_ids(text[: MAX_IDS + 1])
    _check_length(text, ids)
    barriers = {BOUNDARY, *tokenizer.special_token_ids}
    shown = MergeTrace(tokenizer)
    pair = new_id = right = None
    for number in range(merges + 1):
        counts = tokenizer._get_pair_counts(ids, barrier_ids=barriers)
        frequent = sorted(counts, key=counts.__getitem__, reverse=True)[:MAX_PAIRS]
        listed = (f"{' + '.join(_token_texts(tokenizer, [*one]))} ({counts[one]}×)" for one in frequent)
        tokens = [token_id for token_id in ids if token_id != BOUNDARY]
        shown.states.append(State(pair, tokens, ", ".join(listed), new_id, None if right == pair else right))
        neighbors = Counter(one for one in pairwise(ids) if barriers.isdisjoint(one))
        right = max(neighbors, key=neighbors.__getitem__, default=None)
        new_id = tokenizer.base_vocab_size + number
        step = tokenizer.train_step(ids, new_id) if number < merges else None
        if step is None:
            break
        ids, pair, _ = step
    return shown


def _check_length(text: str, ids: Sequence[object]) -> None:
    if len(ids) > MAX_IDS:
        raise ValueError(f"The text is too long to be shown: {len(text)} characters. Use about one line.")


def _token_texts(tokenizer: BPEBase, ids: Sequence[int]) -> list[str]:
    """Return the text of each token; ?300 if the vocabulary has no bytes for the ID 300."""
    found = [tokenizer.vocab.get(token_id) for token_id in ids]
    return [token_text(token) if isinstance(token, bytes) else f"?{token_id}" for token_id, token in zip(ids, found)]


def _merge_text(tokenizer: BPEBase, state: State) -> str:
    if state.pair is None or state.new_id is None:
        return "bytes"
    left, right, merged = _token_texts(tokenizer, [*state.pair, state.new_id])
    instead = f", not {' + '.join(_token_texts(tokenizer, state.instead_of))}" if state.instead_of else ""
    return f"{left} + {right} → {merged} ({state.new_id}){instead}"
