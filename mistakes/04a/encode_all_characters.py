"""I go through the text character by character.

Mistake: characters where words belong
Why: self.symbols(text) gives the symbols of this tokenizer; a loop over text only its characters.
Pitfall: hooks
Caught by: TestEncode
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for character in text:
            if character in self.token_to_id:
                ids.append(self.token_to_id[character])
            elif self.unk_token is not None:
                ids.append(self.token_to_id[self.unk_token])
            else:
                raise ValueError(f"{character!r} is not in the vocabulary.")
        return ids
