"""Nobody wants to see <|endoftext|> in the output, so I skip the control tokens.

Mistake: special tokens are left out of the text although they are in vocab and belong into it.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        chunks = []
        for token_id in ids:
            if token_id in self.special_token_ids:
                continue
            if token_id not in self.vocab:
                raise ValueError(f"ID {token_id} does not exist")
            chunks.append(self.vocab[token_id])
        return b"".join(chunks).decode("utf-8", "replace")
