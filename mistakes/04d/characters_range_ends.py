"""The range goes from 33 to 126, so that is what I write.

Mistake: the last byte of a range is left out
Why: range excludes its end: range(33, 127) ends at 126.
Pitfall: visible
Caught by: TestByteCharacters
"""


def byte_characters():
    visible = {*range(33, 126), *range(161, 172), *range(174, 255)}
    characters, counter = {}, 256
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(counter)
            counter += 1
    return characters
