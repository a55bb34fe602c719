"""The bytes 33 to 126, 161 to 172 and 174 to 255: I put that into range().

Mistake: range excludes its end, so the bytes 126, 172 and 255 count as invisible and all substitutes after 126 shift.
"""


def byte_characters():
    visible = list(range(33, 126)) + list(range(161, 172)) + list(range(174, 255))
    table = {}
    n = 0
    for b in range(256):
        if b in visible:
            table[b] = chr(b)
        else:
            table[b] = chr(256 + n)
            n += 1
    return table
