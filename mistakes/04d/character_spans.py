"""Wrong solutions of character_spans."""

from coach.diagnosis.bank import mistake
from g2c.solutions.pretrained import character_spans as answer_key

START = "begun if begins[0] else begun - 1"


@mistake(
    "every token starts one character early",
    why="Only a token whose first byte continues a character starts early.",
    pitfall="inside",
    change={START: "begun - 1"},
)
def spans_always_inside():
    """A token begins where the one before it ended."""


@mistake(
    "every byte above 127 counts as inside a character",
    why="Bytes inside a character are 10xxxxxx; 11xxxxxx begins one: look at two bits.",
    pitfall="inside",
    change={START: "begun if token[0] < 128 else begun - 1"},
)
def spans_one_bit():
    """ASCII begins with the bit 0, and all other bytes are parts of characters."""


@mistake(
    "some bytes that begin a character are not counted",
    why="Every byte that is not 10xxxxxx begins a character: 0xxxxxxx and 11xxxxxx.",
    pitfall="bytes-for-characters",
    change={START: "begun", "byte & 0b11000000 != 0b10000000": "byte < 128"},
)
def spans_ascii():
    """Whether a byte begins a character, I tell by comparing it with a limit."""


@mistake(
    "the count starts again with each token",
    why="Keep one count for all tokens, and add to it.",
    pitfall="bytes-for-characters",
    change={"(start, begun)": "(start, start + sum(begins))", "begun +=": "begun ="},
)
def spans_count_begins_again():
    """For each token, I count the characters that begin in it."""


@mistake(
    "a character that is not complete is not counted",
    why="A token covers each character of which it has a byte: count the bytes that begin a character.",
    pitfall="inside",
    has="X.decode(...) or str(...)",
)
def spans_complete_characters(tokens):
    """A character belongs to the token that contains its last byte."""
    seen, spans = b"", []
    for token in tokens:
        start = len(seen.decode(errors="ignore"))
        seen += token
        spans.append((start, len(seen.decode(errors="ignore"))))
    return spans


@mistake(
    "the tokens are read twice",
    why="An iterator gives each token only once: go through them in one loop, or make a list of them first.",
    pitfall="inside",
    change={"spans = []": 'text = b"".join(tokens)\nspans = []'},
)
def spans_read_twice():
    """First I join the tokens, then I go through them."""


@mistake(
    "each token is decoded by itself",
    why="A part of a character is not text: look at the bytes instead.",
    pitfall="inside",
    has="X.decode(...) or str(...)",
    change=[
        {START: "begun", "sum(begins)": f'len(token.decode(errors="{errors}"))'}
        for errors in ("strict", "ignore", "replace")
    ]
    + [
        {
            START: "begun",
            "begun += sum(begins)": "try:\n    begun += len(token.decode())\nexcept UnicodeDecodeError:\n    begun += 1",
        }
    ],
)
def spans_decoded():
    """The length of a token is the length of its text."""


@mistake(
    "the end is one too low",
    why="A span ends like a slice, before its end: (0, 5) covers 0 to 4.",
    pitfall="bytes-for-characters",
)
def spans_end_included(tokens):
    """The end is the last character that the token covers."""
    return [(start, end - 1) for start, end in answer_key(tokens)]


@mistake(
    "the last byte decides where a token starts",
    why="Its first byte does: token[0].",
    pitfall="inside",
    change={"begins[0]": "begins[-1]"},
)
def spans_last_byte():
    """The last byte shows whether the token ends inside a character."""


@mistake("the length in place of the end", why="A span is (start, end), as in a slice.", pitfall="bytes-for-characters")
def spans_lengths(tokens):
    """I return where it starts, and how long it is."""
    return [(start, end - start) for start, end in answer_key(tokens)]


@mistake(
    "bytes are counted",
    why="Count the bytes that begin a character: those that are not 10xxxxxx.",
    pitfall="bytes-for-characters",
    change={START: "begun", "sum(begins)": "len(token)"},
)
def spans_of_bytes():
    """A token is as long as its number of bytes."""


@mistake(
    "a token starts after the character that it continues",
    why="When its first byte begins no character, it starts one character earlier.",
    pitfall="inside",
    change={START: "begun"},
)
def spans_without_overlap():
    """Each token starts where the one before ends."""


@mistake(
    "the step back stays in the count",
    why="Only this token's start is one lower; the characters before it stay counted.",
    pitfall="inside",
    change={"begun +=": "begun = start +"},
)
def spans_keep_the_step_back():
    """If the token starts inside a character I go back by one and count on from there."""


@mistake(
    "the end is counted from the start that was lowered",
    why="The end is the number of characters begun so far; only the start is one lower.",
    pitfall="inside",
    change={"spans.append((start, begun))": "spans.append((start, start + sum(begins)))"},
)
def spans_end_from_the_start():
    """The end is the start and the characters of the token."""
