"""Visible characters are those of ASCII.

Mistake: only ASCII is taken for visible
Why: 161 to 172 and 174 to 255 are visible too.
Pitfall: visible
Caught by: TestByteCharacters
"""

def byte_characters():
    visible = set(range(33, 127))
    characters, substitutes = {}, 0
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(256 + substitutes)
            substitutes += 1
    return characters
