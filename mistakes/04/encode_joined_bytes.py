"""As in tiktoken: two parts are joined if their bytes together are a token, the one with the lowest ID first.

Mistake: neighbors are joined because their bytes together are a token
Why: A token is made by the pair it was learned from: look the pair of IDs up in merges, not its bytes in vocab.
Pitfall: merge-order
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ranks = {token: token_id for token_id, token in self.vocab.items() if token_id not in self.special_token_ids}
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            parts = [bytes([byte]) for byte in piece]
            while known := [i for i in range(len(parts) - 1) if parts[i] + parts[i + 1] in ranks]:
                place = min(known, key=lambda i: ranks[parts[i] + parts[i + 1]])
                parts[place : place + 2] = [parts[place] + parts[place + 1]]
            ids.extend(ranks[part] for part in parts)
        return ids
