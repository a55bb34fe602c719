"""Every token gets at least LEAST_COUNT.

Mistake: tokens of several characters are raised to LEAST_COUNT and kept, not left out.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import LEAST_COUNT


class UnigramTokenizer(AnswerKey):
    def em_step(self, words):
        c = {t: 0.0 for t in self.scores if t != self.unk_token}
        for w, n in words.items():
            for t, x in self.expected_counts(w).items():
                if t in c:
                    c[t] += n * x
        c = {t: max(x, LEAST_COUNT) for t, x in c.items()}
        total = sum(c.values())
        return {t: math.log(c[t] / total) if t in c else s for t, s in self.scores.items()}
