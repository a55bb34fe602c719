"""I count the invisible byte and then give it its character.

Mistake: the counter goes up before it is used, so the first invisible byte gets chr(257), all are one too high.
"""


def byte_characters():
    visible = set(range(33, 127)) | set(range(161, 173)) | set(range(174, 256))
    characters = {}
    count = 0
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            count += 1
            characters[byte] = chr(256 + count)
    return characters
