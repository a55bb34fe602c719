"""errors="ignore" keeps strange characters out of the text.

Mistake: invalid bytes are dropped
Why: They become the replacement character: errors="replace", not "ignore".
Pitfall: strict-utf8
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"There is no token with ID {token_id}.")
            tokens.append(self.vocab[token_id])
        return b"".join(tokens).decode("utf-8", errors="ignore")
