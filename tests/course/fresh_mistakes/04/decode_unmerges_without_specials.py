"""Undo the merges until only bytes are left.

Mistake: special tokens are neither merges nor bytes, so their IDs raise.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        pairs = {new: pair for pair, new in self.merges.items()}
        todo, data = list(ids)[::-1], []
        while todo:
            i = todo.pop()
            if i in pairs:
                todo += [pairs[i][1], pairs[i][0]]
            elif 0 <= i < 256:
                data.append(i)
            else:
                raise ValueError(f"no token has the ID {i}")
        return bytes(data).decode("utf-8", errors="replace")
