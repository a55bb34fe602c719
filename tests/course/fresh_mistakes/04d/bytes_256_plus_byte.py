"""Invisible bytes move up by 256, so the space becomes chr(256 + 32). That matches the docstring's Ġ.

Mistake: 256 + byte is used for every invisible byte; that fits for 0 to 32 only, from 127 on the number of the invisible byte counts.
"""


def byte_characters():
    characters = {}
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or 174 <= byte <= 255:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(256 + byte)
    return characters
