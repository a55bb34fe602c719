"""First the visible ones, then the others.

Mistake: the bytes are not in order
Why: Go through range(256) once; visible or not is asked for each byte.
Pitfall: visible
Caught by: TestByteCharacters
"""


def byte_characters():
    characters = {byte: chr(byte) for byte in (*range(33, 127), *range(161, 173), *range(174, 256))}
    for byte in range(256):
        if byte not in characters:
            characters[byte] = chr(256 + len([other for other in characters if ord(characters[other]) >= 256]))
    return characters
