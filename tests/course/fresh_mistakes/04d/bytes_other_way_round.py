"""We read files, so we need character to byte.

Mistake: the dictionary is the inverse: character -> byte.
"""


def byte_characters():
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    result, n = {}, 0
    for byte in range(256):
        if byte in visible:
            result[chr(byte)] = byte
        else:
            result[chr(256 + n)] = byte
            n += 1
    return result
