"""Above 255 there is room for all of them.

Mistake: visible bytes are moved as well
Why: Only a byte without a visible character of its own gets another one.
Pitfall: visible
Caught by: TestByteCharacters
"""

def byte_characters():
    visible = set()
    characters, substitutes = {}, 0
    for byte in range(256):
        if byte in visible:
            characters[byte] = chr(byte)
        else:
            characters[byte] = chr(256 + substitutes)
            substitutes += 1
    return characters
