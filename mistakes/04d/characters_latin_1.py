"""Latin-1 has a character for every byte.

Mistake: invisible bytes stand for themselves
Why: A space or a line end cannot stand in the file: chr(256 + n).
Pitfall: visible
Caught by: TestByteCharacters
"""


def byte_characters():
    return {byte: bytes([byte]).decode("latin-1") for byte in range(256)}
