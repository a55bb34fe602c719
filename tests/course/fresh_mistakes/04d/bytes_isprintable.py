"""Visible means printable, and Python knows which characters are.

Mistake: str.isprintable calls the space visible, so it stands for itself and the substitutes after it are one lower.
"""


def byte_characters():
    result = {}
    extra = 256
    for byte in range(256):
        character = chr(byte)
        if character.isprintable():
            result[byte] = character
        else:
            result[byte] = chr(extra)
            extra += 1
    return result
