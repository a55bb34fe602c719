"""GPT-2's code numbers the characters from 256 on, so the numbers are the answer.

Mistake: the numbers of the characters are returned, not the characters
Why: chr(number) makes the character: each value is text of length 1.
Pitfall: visible
Caught by: TestByteCharacters
"""


def byte_characters():
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    characters, substitutes = {}, 0
    for byte in range(256):
        characters[byte] = byte if byte in visible else 256 + substitutes
        substitutes += byte not in visible
    return characters
