"""Built the new word in a list and returned it.

Mistake: a list is returned where a tuple is asked for; it cannot be the key of a dictionary.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        new_word = []
        i = 0
        while i < len(symbols):
            if i < len(symbols) - 1 and (symbols[i], symbols[i + 1]) == pair:
                new_word.append("".join(pair))
                i += 2
            else:
                new_word.append(symbols[i])
                i += 1
        return new_word
