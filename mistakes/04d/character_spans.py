"""Wrong solutions of character_spans."""

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.pretrained import character_spans as answer_key


@mistake(
    "every token starts one character early",
    why="Only a token whose first byte begins no character does.",
    pitfall="inside",
)
def spans_always_inside(tokens):
    """A token begins where the one before it ended."""
    spans, begun = [], 0
    for token in tokens:
        begins = [byte & 0b11000000 != 0b10000000 for byte in token]
        end = begun + sum(begins)
        spans.append((begun - 1, end))
        begun = end
    return spans


@mistake(
    "only ASCII bytes are counted",
    why="Every byte that is not 10xxxxxx begins a character.",
    pitfall="bytes-for-characters",
)
def spans_ascii(tokens):
    """A byte of a character is one below 128."""
    spans, begun = [], 0
    for token in tokens:
        end = begun + sum(byte < 128 for byte in token)
        spans.append((begun, end))
        begun = end
    return spans


@mistake(
    "the count starts again with each token",
    why="Keep one count for all tokens, and add to it.",
    pitfall="bytes-for-characters",
)
def spans_count_begins_again(tokens):
    """For each token, count the characters that begin in it."""
    spans, count = [], 0
    for token in tokens:
        start = count - 1 if token[0] & 0b11000000 == 0b10000000 else count
        count = len([byte for byte in token if byte & 0b11000000 != 0b10000000])
        spans.append((start, start + count))
    return spans


@mistake(
    "each token is decoded by itself",
    why="A part of a character is not text; look at the bytes instead.",
    pitfall="inside",
)
def spans_decoded(tokens):
    """The length of a token is the length of its text."""
    spans, start = [], 0
    for token in tokens:
        end = start + len(token.decode("utf-8"))
        spans.append((start, end))
        start = end
    return spans


@mistake(
    "each token is decoded by itself",
    why="A part of a character is not text, so it decodes to nothing: look at the bytes instead.",
    pitfall="inside",
)
def spans_decoded_leniently(tokens):
    """A token's text has as many characters as it covers; with errors="ignore", a part of one is not a problem."""
    spans, start = [], 0
    for token in tokens:
        end = start + len(token.decode("utf-8", errors="ignore"))
        spans.append((start, end))
        start = end
    return spans


@mistake(
    "the end is one too low",
    why="A span ends like a slice, before its end: (0, 5) covers 0 to 4.",
    pitfall="bytes-for-characters",
)
def spans_end_included(tokens):
    """The end is the last character that the token covers."""
    return [(start, end - 1) for start, end in answer_key(tokens)]


@mistake("the last byte decides where a token starts", why="Its first byte does: token[0].", pitfall="inside")
def spans_last_byte(tokens):
    """Whether the token ends inside a character is seen at its last byte."""
    spans, begun = [], 0
    for token in tokens:
        begins = [byte & 0b11000000 != 0b10000000 for byte in token]
        end = begun + sum(begins)
        spans.append((begun if begins[-1] else begun - 1, end))
        begun = end
    return spans


@mistake(
    "the length is where the end belongs",
    why="A span is (start, end), as in a slice.",
    pitfall="bytes-for-characters",
)
def spans_lengths(tokens):
    """Where it starts, and how long it is."""
    return [(start, end - start) for start, end in answer_key(tokens)]


@mistake(
    "bytes are counted",
    why="Count the bytes that begin a character: those that are not 10xxxxxx.",
    pitfall="bytes-for-characters",
)
def spans_of_bytes(tokens):
    """A token is as long as its bytes."""
    spans, start = [], 0
    for token in tokens:
        spans.append((start, start + len(token)))
        start += len(token)
    return spans


@mistake(
    "each token is decoded by itself",
    why="A part of a character is not text; look at the bytes instead.",
    pitfall="inside",
)
def spans_replaced(tokens):
    """Decode each token, with errors replaced."""
    spans, start = [], 0
    for token in tokens:
        end = start + len(token.decode("utf-8", errors="replace"))
        spans.append((start, end))
        start = end
    return spans


@mistake(
    "a token starts after the character that it continues",
    why="When its first byte begins no character, it starts one character earlier.",
    pitfall="inside",
)
def spans_without_overlap(tokens):
    """Each token starts where the one before ends."""
    spans, start = [], 0
    for token in tokens:
        end = start + sum(byte & 0b11000000 != 0b10000000 for byte in token)
        spans.append((start, end))
        start = end
    return spans


@mistake(
    "the step back stays in the count",
    why="Only the start of this token is one lower; the characters before it stay counted.",
    pitfall="inside",
)
def spans_keep_the_step_back(tokens):
    """If the token starts inside a character I go back by one and count on from there."""
    spans, position = [], 0
    for token in tokens:
        if token[0] & 0b11000000 == 0b10000000:
            position -= 1
        start = position
        position += sum(byte & 0b11000000 != 0b10000000 for byte in token)
        spans.append((start, position))
    return spans


@mistake(
    "the end is counted from the start that was lowered",
    why="The end is the number of characters begun so far; only the start is one lower.",
    pitfall="inside",
    change={"spans.append((start, begun))": "spans.append((start, start + sum(begins)))"},
)
def spans_end_from_the_start():
    """The end is the start and the characters of the token."""
