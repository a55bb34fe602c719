"""Every byte moves up by 256.

Mistake: every byte moves the counter
Why: chr(256 + byte) leaves gaps: count only the bytes that have no character.
Pitfall: counter
Caught by: TestByteCharacters
"""


def byte_characters():
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    return {byte: chr(byte) if byte in visible else chr(256 + byte) for byte in range(256)}
