"""Replace each word in the dictionary by its merged form.

Mistake: the mapping of the caller is changed.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        best = max(counts, key=counts.get)
        self.merges.append(best)
        for word in list(words):
            words[self._merge(word, best)] = words.pop(word)
        return words, best, counts[best]
