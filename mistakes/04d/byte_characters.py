"""Wrong solutions of byte_characters."""

from coach.diagnosis.bank import mistake

VISIBLE = "{*range(33, 127), *range(161, 173), *range(174, 256)}"


@mistake(
    "visible bytes are moved as well",
    why="Only a byte without its own visible character gets another one.",
    pitfall="visible",
    change={VISIBLE: "set()"},
)
def characters_all_moved():
    """Above 255 there is room for all of them."""


@mistake(
    "only ASCII is treated as visible",
    why="161 to 172 and 174 to 255 are visible too.",
    pitfall="visible",
    change={VISIBLE: "range(33, 127)"},
    has="nowhere: X.isalnum() or X.isalpha() or X.isprintable()",
)
def characters_ascii_only():
    """The visible characters are ASCII's."""


@mistake(
    "every byte advances the counter",
    why="chr(256 + byte) leaves gaps: count only the bytes that have no character.",
    pitfall="counter",
    change={"chr(256 + substitutes)": "chr(256 + byte)"},
)
def characters_by_byte():
    """Every byte moves up by 256."""


@mistake(
    "code points are returned, not characters",
    why="chr(number) makes the character: each value is text of length 1.",
    pitfall="visible",
    change={"= chr(byte)": "= byte", "chr(256 + substitutes)": "256 + substitutes"},
)
def characters_code_points():
    """GPT-2's code numbers the characters from 256 on, so the numbers are the answer."""


@mistake(
    "the first substitute is chr(257)",
    why="The first one is chr(256): add 1 after using it.",
    pitfall="counter",
    change={"substitutes = 0": "substitutes = 1"},
)
def characters_count_first():
    """I move the counter on, then use it."""


@mistake(
    "invisible bytes represent themselves",
    why="A space or a line end cannot be in the file: chr(256 + n).",
    pitfall="visible",
    change={VISIBLE: "range(256)"},
)
def characters_latin_1():
    """Latin-1 has a character for every byte."""


@mistake(
    "whitespace is treated as visible",
    why="The space is not visible: use the ranges that the docstring lists.",
    pitfall="visible",
    has="X.isprintable() or X.isprintable or 32 or 31 or ' '",
    change={VISIBLE: "{byte for byte in range(256) if chr(byte).isprintable()}"},
)
def characters_printable():
    """isprintable says what can be shown."""


@mistake(
    "the last byte of a range is left out",
    why="range excludes its end: range(33, 127) ends at 126.",
    pitfall="visible",
    change={VISIBLE: "{*range(33, 126), *range(161, 172), *range(174, 255)}"},
)
def characters_range_ends():
    """The range goes from 33 to 126, so that is what I write."""


@mistake(
    "byte 173 is treated as visible",
    why="Byte 173 is the soft hyphen, which is invisible.",
    pitfall="visible",
    change={VISIBLE: "{*range(33, 127), *range(161, 256)}"},
)
def characters_soft_hyphen():
    """From 161 on everything can be seen."""


@mistake(
    "keys and values of the table are swapped",
    why="The byte is the key and the character the value.",
    pitfall="visible",
    change={"return characters": "return {character: byte for byte, character in characters.items()}"},
)
def characters_turned():
    """I make a table for reading the file, from character to byte."""


@mistake(
    "the bytes are not in order",
    why="Go through range(256) once, and check for each byte whether it is visible.",
    pitfall="visible",
)
def characters_visible_first():
    """I enter the visible bytes first, then the others."""
    characters = {byte: chr(byte) for byte in (*range(33, 127), *range(161, 173), *range(174, 256))}
    for byte in range(256):
        if byte not in characters:
            characters[byte] = chr(256 + len([other for other in characters if ord(characters[other]) >= 256]))
    return characters
