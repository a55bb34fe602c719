"""[CLS] and [SEP] at the end of the list.

Mistake: both special tokens are appended after the IDs.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = [self.token_to_id[t] for w in self._words(text) for t in self.longest_match(w)]
        if add_special_tokens:
            for t in ("[CLS]", "[SEP]"):
                if t not in self.token_to_id:
                    raise ValueError(f"no {t}")
                ids.append(self.token_to_id[t])
        return ids
