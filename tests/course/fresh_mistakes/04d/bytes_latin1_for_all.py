"""Latin-1 has a character for each of the 256 bytes.

Mistake: invisible bytes, such as space and line break, stand for themselves too.
"""


def byte_characters():
    return {byte: bytes([byte]).decode("latin-1") for byte in range(256)}
