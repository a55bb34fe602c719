"""32 to 126 is what can be typed.

Mistake: white space is taken for visible
Why: The space, 32, cannot stand in the file; the range begins with 33.
Pitfall: visible
Caught by: TestByteCharacters
"""

def byte_characters():
    visible = {*range(32, 127), *range(161, 173), *range(174, 256)}
    characters, substitutes = {}, 0
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(256 + substitutes)
            substitutes += 1
    return characters
