"""str has a replace that does exactly this, so I write the IDs as text.

Mistake: IDs are replaced as text
Why: In '11 2' the text '1 2' is found, but the IDs 11 and 2 are not 1 and 2.
Pitfall: str-for-bytes
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        text = " ".join(str(token_id) for token_id in ids)
        return [int(number) for number in text.replace(f"{pair[0]} {pair[1]}", str(new_id)).split()]
