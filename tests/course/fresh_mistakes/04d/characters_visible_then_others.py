"""First all that stand for themselves, then the rest.

Mistake: the dictionary is not in byte order.
"""


def byte_characters():
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {b: chr(b) for b in visible}
    n = 0
    for b in range(256):
        if b not in table:
            table[b] = chr(256 + n)
            n += 1
    return table
