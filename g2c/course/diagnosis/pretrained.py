"""Module 04d: what the classic mistakes in reading published tables would give, and how to say so."""

import re
from collections.abc import Callable, Iterator

from g2c.course.teaching import Mistake, Outcome, recognises, same
from g2c.formats.hf_format import BYTE_TO_CHAR

# --- byte_characters --------------------------------------------------------------------------------------------------

COUNTS_ALL_BYTES = Mistake(
    "every byte moves the counter",
    "chr(256 + byte) leaves gaps: count only the bytes that have no character.",
    "counter",
)
COUNTS_FROM_ONE = Mistake(
    "the first substitute is chr(257)", "The first one is chr(256): add 1 after using it.", "counter"
)
RANGE_ENDS_EARLY = Mistake(
    "the last byte of a range is left out", "range(33, 126) ends at 125; write range(33, 127), and so on.", "visible"
)
LATIN_1 = Mistake(
    "invisible bytes stand for themselves", "A space or a line end cannot stand in the file: chr(256 + n).", "visible"
)
SOFT_HYPHEN = Mistake("byte 173 is taken for a visible one", "It is the soft hyphen, which is not shown.", "visible")
BY_CHARACTER = Mistake(
    "the table is the other way round", "The byte is the key and the character the value.", "visible"
)
SHIFTED = Mistake(
    "visible bytes are moved as well", "Only a byte without a character of its own gets another one.", "visible"
)
ASCII_ONLY = Mistake("only ASCII is taken for visible", "161 to 172 and 174 to 255 are visible too.", "visible")
SPACE_IS_VISIBLE = Mistake(
    "white space is taken for visible",
    "isprintable is true for the space; use the ranges that the docstring lists.",
    "visible",
)
NOT_IN_BYTE_ORDER = Mistake(
    "the bytes are not in order", "Go through range(256) once; visible or not is asked for each byte.", "visible"
)


def _table(visible: set[int], counts: Callable[[int], bool], first: int = 256) -> dict[int, str]:
    """A table in which every byte for which `counts` holds moves the counter."""
    table, counter = {}, first
    for byte in range(256):
        table[byte] = chr(byte) if byte in visible else chr(counter)
        counter += counts(byte)
    return table


def _wrong_tables() -> list[tuple[Mistake, dict]]:
    visible = {byte for byte, character in BYTE_TO_CHAR.items() if chr(byte) == character}
    early = visible - {126, 172, 255}
    shown = visible | {173}
    ascii_only = {byte for byte in visible if byte < 128}
    printable = {byte for byte in range(256) if chr(byte).isprintable()}
    return [
        (COUNTS_ALL_BYTES, _table(visible, lambda byte: True)),
        (COUNTS_FROM_ONE, _table(visible, lambda byte: byte not in visible, first=257)),
        (RANGE_ENDS_EARLY, _table(early, lambda byte: byte not in early)),
        (LATIN_1, {byte: chr(byte) for byte in range(256)}),
        (SOFT_HYPHEN, _table(shown, lambda byte: byte not in shown)),
        (SHIFTED, {byte: chr(256 + byte) for byte in range(256)}),
        (ASCII_ONLY, _table(ascii_only, lambda byte: byte not in ascii_only)),
        (SPACE_IS_VISIBLE, _table(printable, lambda byte: byte not in printable)),
        (BY_CHARACTER, {character: byte for byte, character in BYTE_TO_CHAR.items()}),
    ]


@recognises("byte_characters")
def byte_characters_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    table = outcome.result
    byte = re.fullmatch(r"the character of byte (\d+)", outcome.aspect)
    for mistake, wrong in _wrong_tables():
        seen = wrong.get(int(byte[1])) if byte else wrong
        if outcome.aspect == "the text for b'Az09'":
            seen = "".join(wrong.get(letter, "") for letter in b"Az09")
        if same(table, seen) and (not byte or seen != BYTE_TO_CHAR[int(byte[1])]):
            yield mistake
    if same(table, BYTE_TO_CHAR) and list(table) != list(BYTE_TO_CHAR):
        yield NOT_IN_BYTE_ORDER


# --- merges_from_ranks ------------------------------------------------------------------------------------------------

SINGLE_BYTES = Mistake(
    "single bytes are taken for merges", "A token of one byte was made by no merge: skip it.", "single-bytes"
)
LEFT_TO_RIGHT = Mistake(
    "the leftmost pair is joined first",
    "Look at all pairs, and join the one whose token has the lowest rank.",
    "lowest-rank",
)
FROM_THE_RIGHT = Mistake(
    "of two places with the same rank the right one is taken", "Pairs are joined from left to right.", "lowest-rank"
)
HIGHER_RANKS = Mistake(
    "tokens of higher rank are used",
    "They did not exist yet when this token was learned: only lower ranks count.",
    "own-rank",
)
OWN_RANK = Mistake(
    "the token itself is one of its parts", "Its own rank does not count: stop when two parts are left.", "own-rank"
)
BYTES_FOR_IDS = Mistake("bytes stand where IDs belong", "The ID of a byte is its rank, ranks[part].", "byte-ids")
COUNTED_IDS = Mistake("new IDs are counted", "The ID that a merge makes is the rank of its token.", "byte-ids")
NOT_BY_RANK = Mistake(
    "the merges are not in the order of the ranks", "Sort the tokens by their rank first.", "lowest-rank"
)
FIRST_SPLIT = Mistake(
    "the first split into two tokens is taken",
    "Several splits can be tokens; the right one is where joining from single bytes ends.",
    "lowest-rank",
)
SKIPPED = Mistake(
    "a token that no merge makes is passed over", "More than two parts are an error that names the token.", "two-parts"
)
NOT_NAMED = Mistake("the error does not name the token", "Put the token into the message.", "two-parts")


def _wrong_merges(ranks: dict[bytes, int], find: Callable, order: list | None = None) -> dict:
    merges = {}
    for token, rank in order or sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) > 1 and (pair := find(token, rank)):
            merges[pair] = rank
    return merges


def _joined(token: bytes, ranks: dict[bytes, int], choose: Callable, limit: float) -> list[bytes]:
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        places = [i for i, pair in enumerate(zip(parts, parts[1:])) if ranks.get(b"".join(pair), limit) < limit]
        if not places:
            break
        place = choose(places, lambda i: ranks[parts[i] + parts[i + 1]])
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts


@recognises("merges_from_ranks")
def merges_from_ranks_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    ranks, came = outcome.args[0], outcome.result
    if outcome.aspect.startswith("argument"):
        return
    if outcome.error is not None:
        if isinstance(outcome.error, ValueError) and "the" not in str(outcome.error):
            yield NOT_NAMED
        elif isinstance(outcome.error, (IndexError, ValueError)):
            yield OWN_RANK
        return
    if not isinstance(came, dict):
        return

    def pair_of(parts: list[bytes]):
        return (ranks[parts[0]], ranks[parts[1]]) if len(parts) == 2 else None

    def lowest(places, rank_at):
        return min(places, key=rank_at)

    def last_lowest(places, rank_at):
        return min(reversed(places), key=rank_at)

    def right(token, rank):
        return _joined(token, ranks, lowest, rank)

    def first_split(token, rank):
        cuts = range(1, len(token))
        return next((pair_of([token[:i], token[i:]]) for i in cuts if token[:i] in ranks and token[i:] in ranks), None)

    expected = _wrong_merges(ranks, lambda token, rank: pair_of(right(token, rank)))
    if any(len(right(token, rank)) > 2 and rank not in came.values() for token, rank in ranks.items()):
        yield SKIPPED
    if same(came, expected) and list(came) != list(expected):
        yield NOT_BY_RANK
    if any(rank < 256 for rank in came.values()):
        yield SINGLE_BYTES
    if same(came, _wrong_merges(ranks, lambda token, rank: pair_of(_joined(token, ranks, lambda p, _: p[0], rank)))):
        yield LEFT_TO_RIGHT
    if same(came, _wrong_merges(ranks, lambda token, rank: pair_of(_joined(token, ranks, lowest, float("inf"))))):
        yield HIGHER_RANKS
    if same(came, _wrong_merges(ranks, first_split)):
        yield FIRST_SPLIT
    if same(came, _wrong_merges(ranks, lambda token, rank: pair_of(_joined(token, ranks, last_lowest, rank)))):
        yield FROM_THE_RIGHT
    if came and all(isinstance(half, bytes) for pair in came for half in pair):
        yield BYTES_FOR_IDS
    if same(list(came), list(expected)) and same(list(came.values()), list(range(256, 256 + len(came)))):
        yield COUNTED_IDS
    by_byte = {ranks[bytes([byte])]: byte for byte in range(256)}
    if same(came, {(by_byte.get(a, a), by_byte.get(b, b)): new_id for (a, b), new_id in expected.items()}):
        yield BYTES_FOR_IDS


# --- character_spans --------------------------------------------------------------------------------------------------

COUNTS_BYTES = Mistake(
    "bytes are counted", "Count the bytes that begin a character: those that are not 10xxxxxx.", "bytes-for-characters"
)
DECODES_EACH = Mistake(
    "each token is decoded by itself", "A part of a character is not text; look at the bytes instead.", "inside"
)
NO_OVERLAP = Mistake(
    "a token starts after the character that it continues",
    "When its first byte begins no character, it starts one character earlier.",
    "inside",
)
ALWAYS_INSIDE = Mistake(
    "every token starts one character early", "Only a token whose first byte begins no character does.", "inside"
)
END_INCLUDED = Mistake(
    "the end is one too low", "A slice ends before its end: (0, 5) covers 0 to 4.", "bytes-for-characters"
)
ASCII_COUNTED = Mistake(
    "only ASCII bytes are counted", "Every byte that is not 10xxxxxx begins a character.", "bytes-for-characters"
)
LAST_BYTE_ASKED = Mistake("the last byte decides where a token starts", "Its first byte does: token[0].", "inside")
PART_NOT_COVERED = Mistake(
    "a token with the beginning of a character does not cover it",
    "A part of a character counts as covering it.",
    "inside",
)
START_AND_LENGTH = Mistake(
    "the length stands where the end belongs", "A span is (start, end), like a slice.", "bytes-for-characters"
)


def _spans(
    tokens: list[bytes], count: Callable[[bytes], int], inside: Callable[[bytes], bool]
) -> list[tuple[int, int]]:
    spans, begun = [], 0
    for token in tokens:
        spans.append((begun - inside(token), begun + count(token)))
        begun += count(token)
    return spans


@recognises("character_spans")
def character_spans_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    tokens = outcome.args[0]
    if not isinstance(tokens, list):
        return

    def begins(token: bytes) -> int:
        return sum(byte & 0b11000000 != 0b10000000 for byte in token)

    def continues(token: bytes) -> bool:
        return token[0] & 0b11000000 == 0b10000000

    def decoded(token: bytes) -> int:
        return len(token.decode("utf-8", errors="replace"))

    right = _spans(tokens, begins, continues)
    wrong = [
        (COUNTS_BYTES, _spans(tokens, len, lambda token: False)),
        (COUNTS_BYTES, _spans(tokens, len, continues)),
        (NO_OVERLAP, _spans(tokens, begins, lambda token: False)),
        (DECODES_EACH, _spans(tokens, decoded, lambda token: False)),
        (ALWAYS_INSIDE, _spans(tokens, begins, lambda token: True)),
        (END_INCLUDED, [(start, end - 1) for start, end in right]),
        (ASCII_COUNTED, _spans(tokens, lambda token: sum(byte < 128 for byte in token), lambda token: False)),
        (LAST_BYTE_ASKED, _spans(tokens, begins, lambda token: token[-1] & 0b11000000 == 0b10000000)),
        (START_AND_LENGTH, [(start, end - start) for start, end in right]),
    ]
    if isinstance(outcome.error, UnicodeDecodeError):
        yield DECODES_EACH
    if same([type(span) for span in outcome.result or ()], [tuple] * len(right)):
        if any(end < right_end for (_, end), (_, right_end) in zip(outcome.result, right)) and continues(tokens[-1]):
            yield PART_NOT_COVERED
    for mistake, spans in wrong:
        if outcome.error is None and same(outcome.result, spans):
            yield mistake
