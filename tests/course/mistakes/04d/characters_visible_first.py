"""First the visible ones, then the others.

Mistake: the bytes are not in order
Pitfall: visible
Caught by: TestByteCharacters
"""


def byte_characters():
    characters = {byte: chr(byte) for byte in (*range(33, 127), *range(161, 173), *range(174, 256))}
    for byte in range(256):
        if byte not in characters:
            characters[byte] = chr(256 + len([other for other in characters if ord(characters[other]) >= 256]))
    return characters
