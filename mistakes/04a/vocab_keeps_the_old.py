"""The dictionaries are there already, so I add what is new.

Mistake: symbols of an earlier call are still there
Why: Assign new dictionaries: what was built before is replaced.
Pitfall: build-again
Caught by: TestBuildVocab
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        for symbol in sorted(set(self.symbols(text))):
            if symbol not in self.token_to_id:
                self.id_to_token[len(self.token_to_id)] = symbol
                self.token_to_id[symbol] = len(self.token_to_id)
