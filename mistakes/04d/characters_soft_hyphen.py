"""From 161 on everything can be seen.

Mistake: byte 173 is taken for a visible one
Why: Byte 173 is the soft hyphen, which is invisible.
Pitfall: visible
Caught by: TestByteCharacters
"""


def byte_characters():
    characters, counter = {}, 256
    for byte in range(256):
        if 33 <= byte <= 126 or byte >= 161:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(counter)
            counter += 1
    return characters
