"""Move the counter on, then use it.

Mistake: the first substitute is chr(257)
Why: The first one is chr(256): add 1 after using it.
Pitfall: counter
Caught by: TestByteCharacters
"""


def byte_characters():
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    characters, counter = {}, 256
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            counter += 1
            characters[byte] = chr(counter)
    return characters
