"""When a pair is taken out of a word, its set must lose the word's number too, I thought.

Mistake: the number is removed from the very set that the loop goes over: RuntimeError, set changed size during iteration.
"""


def apply_merge(tables, pair, new_id):
    for number in tables.pair_words[pair]:
        tables.words_touched += 1
        word, frequency = tables.words[number], tables.frequencies[number]
        for old in zip(word, word[1:]):
            tables.pair_counts[old] -= frequency
            tables.pair_words[old].discard(number)
            if not tables.pair_counts[old]:
                del tables.pair_counts[old]
        new_word = []
        for token in word:
            if new_word and (new_word[-1], token) == pair:
                new_word[-1] = new_id
            else:
                new_word.append(token)
        tables.words[number] = new_word
        for new in zip(new_word, new_word[1:]):
            tables.pair_counts[new] = tables.pair_counts.get(new, 0) + frequency
            tables.pair_words.setdefault(new, set()).add(number)
    tables.pair_words.pop(pair)
