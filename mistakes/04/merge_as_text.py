"""str has a replace that does exactly this, so I write the IDs as text.

Mistake: IDs are replaced as text
Why: The text '1 2' also occurs in '11 2', where the IDs are 11 and 2: compare IDs.
Pitfall: str-for-bytes
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        text = " ".join(str(token_id) for token_id in ids)
        return [int(number) for number in text.replace(f"{pair[0]} {pair[1]}", str(new_id)).split()]
