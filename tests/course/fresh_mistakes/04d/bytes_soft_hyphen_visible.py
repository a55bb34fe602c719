"""Visible: 33 to 126 and 161 to 255.

Mistake: 173, the soft hyphen, is invisible too.
"""


def byte_characters():
    result, n = {}, 0
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte:
            result[byte] = chr(byte)
        else:
            result[byte] = chr(256 + n)
            n += 1
    return result
