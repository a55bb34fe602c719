"""Wrong solutions of WordBPETokenizer._next_merge."""

from coach.diagnosis.bank import mistake
from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey

FIRST = "next((pair for pair in self.merges if pair in pairs), None)"


@mistake(
    "the returned pair is not in the word",
    why="Only two neighbors of this word can be joined.",
    pitfall="merge-order",
    change={"pair in pairs": "pair[0] in symbols and pair[1] in symbols"},
)
def next_symbols_anywhere():
    """A merge fits when its symbols are in the word."""


@mistake(
    "symbols are compared as text",
    why='As text, "ca b" contains "a b", but its symbols are ca and b: look for the pair among the pairs of neighbors.',
    pitfall="symbols",
    change={"pair in pairs": '" ".join(pair) in " ".join(symbols)'},
)
def next_compares_text():
    """A merge fits when its text is in the text of the word."""


@mistake(
    "an error where no pair is left",
    why="A word without known pairs is finished: return None.",
    pitfall="no-merge",
    change=[{FIRST: "min(pairs.intersection(self.merges), key=self.merges.index)"}, {", None": ""}],
)
def next_error_when_done():
    """I take the first of the pairs that fit."""


@mistake(
    "only the first of the merges is tried",
    why="Return None after the loop, when no merge was found.",
    pitfall="merge-order",
    has="in a loop: return None or return",
)
def next_first_merge_only(self, symbols):
    """If the first merge is not in the word, there is none."""
    for pair in self.merges:
        if pair in zip(symbols, symbols[1:]):
            return pair
        else:
            return None


@mistake(
    "the first pair in the alphabet is taken",
    why="min compares the pairs themselves. Their order in merges decides: key=self.merges.index.",
    pitfall="merge-order",
    has="min(...) or sorted(...)",
)
def next_in_the_alphabet(self, symbols):
    """min of the known pairs is the first one."""
    return min((pair for pair in zip(symbols, symbols[1:]) if pair in self.merges), default=None)


@mistake(
    "the first pair of the word is taken",
    why="The pair learned first goes first, wherever it is in the word.",
    pitfall="merge-order",
    has="nowhere: max(...) or X.most_common(...) or set(...)",
)
def next_in_word_order(self, symbols):
    """From left to right, I take the first pair that was learned."""
    return next((pair for pair in zip(symbols, symbols[1:]) if pair in self.merges), None)


@mistake(
    "the most frequent pair of the word is taken",
    why="Frequency decides in learning. A word is merged in the order of learning.",
    pitfall="merge-order",
    has="max(...) or X.most_common(...)",
)
def next_most_frequent(self, symbols):
    """learn_merge takes the most frequent pair, and so do I."""
    pairs = [pair for pair in zip(symbols, symbols[1:]) if pair in self.merges]
    return max(pairs, key=pairs.count, default=None)


@mistake(
    "symbols are joined because together they make a learned text",
    why="l + ow and lo + w make the same text and are two pairs: look for the pair itself in merges.",
    pitfall="symbols",
)
def next_joined_text(self, symbols):
    """Two symbols that make the text of a learned symbol can be joined."""
    made = {left + right: (left, right) for left, right in reversed(list(zip(symbols, symbols[1:])))}
    for left, right in self.merges:
        if left + right in made:
            return made[left + right]
    return None


@mistake(
    "the pair learned last is taken",
    why="The one learned first goes first: the earliest in merges.",
    pitfall="merge-order",
    has="nowhere: min(X) or sorted(X)",
    change={"in self.merges if": "in reversed(self.merges) if"},
)
def next_learned_last():
    """The newest merges make the longest symbols, so they go first."""


@mistake(
    "the pair with the longest text is taken",
    why="Lengths do not matter, only the order of learning.",
    pitfall="merge-order",
    has="len(...); nowhere: range(len(X) - A)",
)
def next_longest(self, symbols):
    """The longer the symbol, the better."""
    known = [pair for pair in zip(symbols, symbols[1:]) if pair in self.merges]
    return max(known, key=lambda pair: len(pair[0] + pair[1]), default=None)


@mistake(
    "only one neighbor of a repeated symbol is looked at",
    why="A symbol that occurs twice can have two different neighbors: look at all pairs of neighbors.",
    pitfall="merge-order",
    change=[
        {FIRST: f"next(((left, right) for left, right in self.merges if {after}.get(left) == right), None)"}
        for after in ("dict(zip(symbols[-2::-1], symbols[:0:-1]))", "dict(zip(symbols, symbols[1:]))")
    ],
)
def next_looks_up_the_neighbor():
    """For the left symbol of a merge, I look up which symbol comes after it."""


@mistake(
    "the returned pair was never learned",
    why="Only pairs in merges are joined; when there is none, return None.",
    pitfall="no-merge",
    change={"None": "tuple(symbols[:2]) if pairs else None"},
)
def next_never_learned():
    """The first two symbols are the next pair."""


@mistake(
    "something other than a pair is returned",
    why="Return the pair itself or None, neither an index nor False.",
    pitfall="no-merge",
)
def next_number(self, symbols):
    """The position in merges says which pair it is."""
    pair = AnswerKey._next_merge(self, symbols)
    return None if pair is None else self.merges.index(pair)


@mistake(
    "the word is returned, with the pair joined in it",
    why="Return the pair: tokenize joins it in the word.",
    pitfall="no-merge",
    change={"next((pair for": "next((self._merge(symbols, pair) for"},
)
def next_merges():
    """The next merge joins the pair."""


@mistake(
    "text where a pair belongs",
    why="Return the pair (left, right); joining is for _merge.",
    pitfall="no-merge",
    change={"next((pair for": "next((pair[0] + pair[1] for"},
)
def next_returns_the_symbol():
    """The result is the joined symbol."""


@mistake(
    "every second pair is skipped",
    why="A pair can begin at any symbol but the last: go on by one symbol, not by two.",
    pitfall="merge-order",
    has="range(A, B, 2) or X[::2] or X += 2",
    change={"zip(symbols, symbols[1:])": "zip(symbols[::2], symbols[1::2])"},
)
def next_skips_every_second_pair():
    """A pair takes two symbols, so the next one begins two places later."""


@mistake(
    "rank 0 is false",
    why="0 is false, but it is the place of the first merge: compare with None.",
    pitfall="merge-order",
    has="not X",
)
def next_rank_zero_is_false(self, symbols):
    """I keep the lowest rank so far, and begin with None."""
    best = None
    for pair in zip(symbols, symbols[1:]):
        if pair in self.merges and (not best or self.merges.index(pair) < best):
            best = self.merges.index(pair)
    return None if best is None else self.merges[best]


@mistake(
    "rank 0 is false",
    why="0 is false, but it is the place of the first merge: compare with None.",
    pitfall="merge-order",
    has="X.index or enumerate(...); nowhere: X < Y",
)
def next_rank_zero_is_none(self, symbols):
    """If there is a lowest rank, I return its pair."""
    rank = min((self.merges.index(pair) for pair in zip(symbols, symbols[1:]) if pair in self.merges), default=None)
    return self.merges[rank] if rank else None


@mistake(
    "a pair that was not learned hides the others",
    why="index raises a ValueError for it, and the except returns None: leave such pairs out first.",
    pitfall="no-merge",
    has="self.merges.index or merges.index",
)
def next_hides_an_error(self, symbols):
    """index raises an error for a pair that was not learned, and then the word is done."""
    try:
        return min(zip(symbols, symbols[1:]), key=self.merges.index)
    except ValueError:
        return None


@mistake(
    "the IDs of the joined symbols decide",
    why="Two pairs can make the same symbol, with one ID. The order of merges decides.",
    pitfall="merge-order",
    has="self.token_to_id",
    change={FIRST: 'min(pairs & {*self.merges}, key=lambda pair: self.token_to_id["".join(pair)], default=None)'},
)
def next_by_id():
    """As in module 04, the lowest ID was learned first."""


@mistake(
    "the last pair of the word is overlooked",
    why="n symbols have n - 1 pairs: the last pair ends with the last symbol.",
    pitfall="merge-order",
    has="len(X) - 2 or X[1:-1] or X + 2 < len(Y)",
    change={"zip(symbols, symbols[1:])": "zip(symbols, symbols[1:-1])"},
)
def next_overlooks_the_last_pair():
    """The loop ends two before the end, since a pair takes two symbols."""
