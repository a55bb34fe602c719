"""Walk back and append.

Mistake: the tokens come from right to left.
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def best_path(self, text, without=None):
        score, back = {0: 0.0}, {}
        for edge in self.lattice(text, without):
            s = score[edge.start] + edge.score
            if edge.end not in score or s > score[edge.end]:
                score[edge.end], back[edge.end] = s, edge
        out, at = [], len(text)
        while at:
            out.append(back[at].token)
            at = back[at].start
        return out
