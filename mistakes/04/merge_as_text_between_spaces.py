"""With a space before and after it, the pair is found only where whole IDs stand.

Mistake: a match right after another one is left out
Why: Two matches side by side share the space between them, and replace uses it up: compare IDs.
Pitfall: str-for-bytes
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        text = " " + " ".join(map(str, ids)) + " "
        return [int(word) for word in text.replace(f" {pair[0]} {pair[1]} ", f" {new_id} ").split()]
