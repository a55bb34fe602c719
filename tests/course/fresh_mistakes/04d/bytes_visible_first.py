"""I do the visible bytes in one go as in OpenAI's code, then fill in the rest.

Mistake: the dictionary is in the order visible, then invisible, and not in the order of the bytes.
"""


def byte_characters():
    bs = [*range(33, 127), *range(161, 173), *range(174, 256)]
    mapping = {b: chr(b) for b in bs}
    n = 0
    for b in range(256):
        if b not in mapping:
            mapping[b] = chr(256 + n)
            n += 1
    return mapping
