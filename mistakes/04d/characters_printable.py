"""isprintable says what can be shown.

Mistake: white space is taken for visible
Why: isprintable is true for the space; use the ranges that the docstring lists.
Pitfall: visible
Caught by: TestByteCharacters
"""

def byte_characters():
    visible = {byte for byte in range(256) if chr(byte).isprintable()}
    characters, substitutes = {}, 0
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(256 + substitutes)
            substitutes += 1
    return characters
