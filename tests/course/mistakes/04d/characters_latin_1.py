"""Latin-1 has a character for every byte.

Mistake: invisible bytes stand for themselves
Pitfall: visible
Caught by: TestByteCharacters
"""


def byte_characters():
    return {byte: bytes([byte]).decode("latin-1") for byte in range(256)}
