"""The counter goes up with every invisible byte.

Mistake: it goes up before it is used, so the first invisible byte gets chr(257).
"""


def byte_characters():
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    result, n = {}, 0
    for byte in range(256):
        if byte in visible:
            result[byte] = chr(byte)
        else:
            n += 1
            result[byte] = chr(256 + n)
    return result
