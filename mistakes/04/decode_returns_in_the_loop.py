"""When I have looked up the token I return the text.

Mistake: the function returns inside the loop
Why: The return statement belongs after the loop: indented one level deeper, it ends the function in the first round.
Pitfall: token-by-token
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"there is no token with ID {token_id}")
            return self.vocab[token_id].decode(errors="replace")
        return ""
