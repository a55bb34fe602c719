"""A table for reading the file: character to byte.

Mistake: the table is the other way round
Why: The byte is the key and the character the value.
Pitfall: visible
Caught by: TestByteCharacters
"""


from g2c.solutions.pretrained import byte_characters as right


def byte_characters():
    return {character: byte for byte, character in right().items()}
