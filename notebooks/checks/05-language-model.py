"""Checks and hints for the answers in notebook 05. coach/notebook_answers.py says how they are written."""

import numpy as np

from coach.notebook_answers import answer, in_place_of
from coach.teaching import call, check
from g2c.language_model import NGramModel
from g2c.tokenizer import BPETokenizer


class Scripted(NGramModel):
    """A model that continues with given tokens, and remembers how it was asked."""

    def __init__(self, *new):
        super().__init__(2, 265)
        self.new, self.asked = list(new), {}

    def sample(self, ids, length, seed, *, temperature=1.0, top_k=None, top_p=None, stop_id=None):
        chosen = {name: value for name, value in {"top_k": top_k, "top_p": top_p}.items() if value is not None}
        self.asked = {"ids": list(ids), "length": length, "seed": seed, "temperature": temperature, **chosen}
        new = self.new[:length]
        return new[: new.index(stop_id) + 1] if stop_id in new else new


def small_tokenizer():
    """Bytes, the course's special tokens, and a merge that encode has to apply: th is 264."""
    tokenizer = BPETokenizer.with_course_special_tokens()
    tokenizer.train_exact("th th th", 265, progress=False)
    return tokenizer


@answer(
    hints=[
        "Three steps, three methods: tokenizer.encode, model.sample, tokenizer.decode. What goes from one to the next?",
        "sample returns the new tokens alone: put the prompt's IDs before them. Pass temperature=0.8 by name.",
    ],
    wrong=[
        "return tokenizer.decode(model.sample(tokenizer.encode(prompt), length, seed, temperature=0.8))",
        """
        prompt_ids = tokenizer.encode(prompt)
        return tokenizer.decode(prompt_ids + model.sample(prompt_ids, length, seed))
        """,
        """
        prompt_ids = tokenizer.encode(prompt)
        return tokenizer.decode(prompt_ids + model.sample([], length, seed, temperature=0.8))
        """,
        """
        prompt_ids = tokenizer.encode(prompt)
        return tokenizer.decode(prompt_ids + model.sample(prompt_ids, length, 1, temperature=0.8))
        """,
        """
        prompt_ids = tokenizer.encode(prompt)
        return tokenizer.decode(prompt_ids + model.sample(prompt_ids, length, seed, temperature=0.8, top_k=50))
        """,
    ],
)
def babble(function):
    model = Scripted(101, 109, 101)
    with in_place_of(function, tokenizer=small_tokenizer()):
        outcome = call(function, model, "the th", 3, 7).shown_as('babble(model, "the th", 3, 7)')
    check(outcome, "the theme", idea="The prompt, and the tokens 101, 109, 101 that this model writes, as one text.")
    asked = outcome.seen_as(lambda _: model.asked, "how the model was asked")
    expected = {"ids": [264, 101, 32, 264], "length": 3, "seed": 7, "temperature": 0.8}
    check(asked, expected, idea="Pass the prompt's IDs, this length and seed, a temperature of 0.8, and nothing else.")


@answer(
    hints=[
        "A loop over discounts: set model.discount, then model.bits_per_byte(ids, num_bytes). Keep the result of each.",
        "min of a dictionary, with its get as the key, is the entry with the lowest value.",
    ],
    wrong=[
        "return min(discounts)",
        """
        bits = {}
        for discount in discounts:
            model.discount = discount
            bits[discount] = model.bits_per_byte(ids, num_bytes)
        return max(bits, key=bits.get)
        """,
        """
        bits = {}
        for discount in discounts:
            model.discount = discount
            bits[discount] = model.bits_per_byte(ids, num_bytes)
        return min(bits.values())
        """,
        "return min(discounts, key=lambda discount: model.bits_per_byte(ids, num_bytes))",
    ],
)
def best_discount(function):
    model = NGramModel(2, 4)
    model.train([0, 1, 0, 2, 0, 1, 2, 0, 1, 0, 2, 1] * 5)
    idea = "On its own corpus, a model is best with the smallest discount."
    check(call(function, model, [0, 1, 0, 2], 4, (0.5, 0.1, 0.9)), 0.1, idea=idea)
    idea = "A text of tokens that the corpus lacks wants the largest discount."
    check(call(function, model, [3, 3, 3], 3, (0.5, 0.1, 0.9)), 0.9, idea=idea)


@answer(
    hints=[
        "NGramModel.for_tokenizer(vocabulary, n) makes the model. What does it need before it can measure anything?",
        'bits_per_byte takes the IDs of part, vocabulary.encode_fast(part), and len(part.encode("utf-8")).',
    ],
    wrong=[
        """
        model = NGramModel.for_tokenizer(vocabulary, n)
        return model.bits_per_byte(vocabulary.encode_fast(part), len(part.encode("utf-8")))
        """,
        """
        model = NGramModel.for_tokenizer(vocabulary, n)
        model.train(train_ids)
        return model.bits_per_byte(vocabulary.encode_fast(part), len(vocabulary.encode_fast(part)))
        """,
        """
        model = NGramModel.for_tokenizer(vocabulary, n)
        model.train(train_ids)
        return model.bits_per_byte(vocabulary.encode_fast(part), len(part))
        """,
        """
        model = NGramModel.for_tokenizer(vocabulary, n)
        model.train(vocabulary.encode_fast(part))
        return model.bits_per_byte(vocabulary.encode_fast(part), len(part.encode("utf-8")))
        """,
        """
        model = NGramModel.for_tokenizer(vocabulary, 3)
        model.train(train_ids)
        return model.bits_per_byte(vocabulary.encode_fast(part), len(part.encode("utf-8")))
        """,
    ],
)
def bits_of(function):
    tokenizer = small_tokenizer()
    text, part = "the thé that the ", "the thé"
    corpus = tokenizer.encode_fast(text)
    model = NGramModel.for_tokenizer(tokenizer, 2)
    model.train(corpus)
    expected = model.bits_per_byte(tokenizer.encode_fast(part), 8)
    shown = f"bits_of(2, vocabulary, the IDs of {text!r}, {part!r})"
    outcome = call(function, 2, tokenizer, corpus, part).shown_as(shown)
    check(outcome, expected, idea="Trained on train_ids, measured on part, and é is two bytes.")


@answer(
    hints=[
        "Is there a run of one token in common, of two, of three? The answer is the last length for which there is.",
        "For each start in new, take the run that is one longer than the longest so far. As long as the corpus "
        "contains that run, add 1 to the longest length.",
    ],
    wrong=[
        "return len(set(new) & set(corpus_ids))",
        """
        length = 0
        while new[length] == corpus_ids[length]:
            length += 1
        return length
        """,
        """
        written, corpus_text = "".join(map(chr, new)), "".join(map(chr, corpus_ids))
        longest = 0
        while written[: longest + 1] in corpus_text and longest < len(written):
            longest += 1
        return longest
        """,
        """
        written, corpus_text = tokenizer.decode(new), tokenizer.decode(corpus_ids)
        runs = [written[start:end] for end in range(len(written) + 1) for start in range(end)]
        return max(len(run) for run in runs if run in corpus_text)
        """,
        """
        runs = [new[start:end] for end in range(len(new) + 1) for start in range(end)]
        corpus_text = " ".join(map(str, corpus_ids))
        return max([len(run) for run in runs if " ".join(map(str, run)) in corpus_text], default=0)
        """,
    ],
)
def longest_copy(function):
    check(call(function, [1, 2, 3, 9, 9], [7, 1, 2, 3, 4]), 3, idea="1, 2, 3 is the longest run that both have.")
    check(call(function, [5, 9, 1, 2], [1, 2, 9, 5]), 2, idea="The run may be anywhere in either of them.")
    check(call(function, [5, 6], [1, 2, 3]), 0, idea="They have nothing in common.")
    check(call(function, [1, 2, 3], [1, 2, 3]), 3, idea="All of it is a copy, and no longer run exists.")
    check(call(function, [1, 2], [11, 2]), 1, idea="1 and 11 are two tokens: whole IDs are compared, not their digits.")
    with in_place_of(function, tokenizer=small_tokenizer()):
        idea = "264, 101 spells the, but with other tokens than 116, 104, 101: IDs are compared, not their text."
        check(call(function, [264, 101], [116, 104, 101]), 1, idea=idea)


@answer(
    hints=[
        "range(model.vocab_size) has all IDs. Which of them are in model.counts[()]?",
        "A list comprehension with `if token_id not in ...`.",
    ],
    wrong=[
        "return [token_id for token_id in range(model.vocab_size) if token_id in model.counts[()]]",
        "return [token_id for token_id in range(model.vocab_size) if (token_id,) not in model.counts]",
        "return [token_id for token_id in range(max(model.counts[()])) if token_id not in model.counts[()]]",
        "return [token_id for token_id in range(model.vocab_size) if model.probability(token_id, ()) == 0]",
    ],
)
def unseen_tokens(function):
    model = NGramModel(1, 6)
    model.train([1, 3, 1, 4, 4, 1])
    outcome = call(function, model).shown_as("unseen_tokens(a model of the tokens 0 to 5, trained on 1, 3, 1, 4, 4, 1)")
    check(outcome, [0, 2, 5], idea="1, 3 and 4 were seen. The others are not impossible: each has a small probability.")


@answer(
    hints=[
        'The reply begins with chat_tokenizer.special_to_id["<|assistant|>"]. What comes before it for the model?',
        "model.sample(start, 30, 1, stop_id=end_of_message) returns what follows; <|assistant|> comes before it.",
    ],
    wrong=[
        """
        start = [*so_far, chat_tokenizer.special_to_id["<|assistant|>"]]
        return [start[-1], *model.sample(start, 29, 1, stop_id=end_of_message)]
        """,
        """
        start = [*so_far, chat_tokenizer.special_to_id["<|assistant|>"]]
        return [start[-1], *model.sample(start, 30, 1, temperature=0.8, stop_id=end_of_message)]
        """,
        """
        start = [*so_far, chat_tokenizer.special_to_id["<|assistant|>"]]
        return model.sample(start, 30, 1, stop_id=end_of_message)
        """,
        """
        start = [*so_far, chat_tokenizer.special_to_id["<|assistant|>"]]
        return [start[-1], *model.sample(start, 30, 1)]
        """,
        """
        start = [*so_far, chat_tokenizer.special_to_id["<|assistant|>"]]
        return [start[-1], *model.sample(start, 30, 1, stop=end_of_message)]
        """,
        'return [chat_tokenizer.special_to_id["<|assistant|>"], *model.sample(so_far, 30, 1, stop_id=end_of_message)]',
        """
        start = [*so_far, chat_tokenizer.special_to_id["<|assistant|>"]]
        return [*start, *model.sample(start, 30, 1, stop_id=end_of_message)]
        """,
        """
        so_far.append(chat_tokenizer.special_to_id["<|assistant|>"])
        return [so_far[-1], *model.sample(so_far, 30, 1, stop_id=end_of_message)]
        """,
    ],
)
def reply(function):
    model, tokenizer = Scripted(10, 72, 105, 262, 256), small_tokenizer()
    with in_place_of(function, chat_tokenizer=tokenizer, end_of_message=262):
        outcome = call(function, model, [258, 10, 72, 262]).shown_as("reply(model, [258, 10, 72, 262])")
    check(
        outcome, [259, 10, 72, 105, 262], idea="<|assistant|> is 259, then what the model writes, up to <|end|>, 262."
    )
    asked = outcome.seen_as(lambda _: model.asked, "how the model was asked")
    expected = {"ids": [258, 10, 72, 262, 259], "length": 30, "seed": 1, "temperature": 1.0}
    check(asked, expected, idea="Pass the chat so far and <|assistant|>, 30, seed 1 and the stop_id, and nothing else.")


@answer(
    hints=[
        "The targets are ids[places]. Which positions does the context of the place 5 have, for n = 4?",
        "contexts = ids[places[:, None] + np.arange(1 - n, 0)]; table[contexts] has the shape (places, n - 1, width).",
    ],
    wrong=[
        """
        contexts = ids[places[:, None] + np.arange(1 - n, 0)]
        return contexts, table[contexts], ids[places]
        """,
        """
        contexts = ids[places[:, None] + np.arange(2 - n, 1)]
        return contexts, table[contexts].reshape(len(places), -1), ids[places]
        """,
        """
        contexts = ids[places[:, None] + np.arange(1 - n, 0)]
        return contexts, table[contexts].reshape(len(places), -1), ids[places + 1]
        """,
        """
        contexts = ids[places[:, None] + np.arange(1 - n, 0)]
        return contexts, table[contexts].reshape(len(places), -1), table[ids[places]]
        """,
        """
        contexts = ids[places[:, None] + np.arange(1 - n, 0)]
        return contexts, table[contexts].mean(axis=1), ids[places]
        """,
    ],
)
def look_up(function):
    table = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    ids = np.array([0, 2, 1, 1, 0, 2])
    inputs = np.array([[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 2.0, 3.0]])
    expected = np.array([[0, 2], [1, 1]]), inputs, np.array([1, 0])
    idea = "At place 2 the context is 0, 2 with its two rows side by side, and 1 comes next."
    check(call(function, table, ids, np.array([2, 4]), 3), expected, idea=idea)


@answer(
    hints=[
        "For two places and probabilities [[0.5, 0.5], [0.25, 0.75]], and the targets 0 and 1: which two numbers get 1 "
        "less? And by what is everything divided?",
        "d_scores = probabilities.copy(); d_scores[np.arange(len(targets)), targets] -= 1, then divide. c is added to "
        "the scores of each place, so its gradient is the sum over the places; U's is hidden.T @ d_scores.",
    ],
    wrong=[
        """
        d_scores = probabilities.copy()
        d_scores[np.arange(len(targets)), targets] -= 1
        return d_scores, hidden.T @ d_scores, d_scores.sum(axis=0)
        """,
        """
        d_scores = -probabilities
        d_scores[np.arange(len(targets)), targets] += 1
        d_scores /= len(targets)
        return d_scores, hidden.T @ d_scores, d_scores.sum(axis=0)
        """,
        """
        d_scores = probabilities.copy()
        d_scores[:, targets] -= 1
        d_scores /= len(targets)
        return d_scores, hidden.T @ d_scores, d_scores.sum(axis=0)
        """,
        """
        d_scores = probabilities.copy()
        d_scores[np.arange(len(targets)), targets] -= 1
        d_scores /= len(targets)
        return d_scores, hidden.T @ d_scores, d_scores.mean(axis=0)
        """,
        """
        d_scores = probabilities.copy()
        d_scores[np.arange(len(targets)), targets] -= 1
        d_scores /= len(targets)
        return d_scores, hidden.T @ d_scores, d_scores.sum(axis=1)
        """,
        """
        d_scores = probabilities / len(targets)
        return d_scores, hidden.T @ d_scores, d_scores.sum(axis=0)
        """,
        """
        d_scores = probabilities.copy()
        d_scores[np.arange(len(targets)), targets] -= 1
        d_scores /= probabilities.shape[1]
        return d_scores, hidden.T @ d_scores, d_scores.sum(axis=0)
        """,
        """
        probabilities[np.arange(len(targets)), targets] -= 1
        probabilities /= len(targets)
        return probabilities, hidden.T @ probabilities, probabilities.sum(axis=0)
        """,
    ],
)
def output_gradient(function):
    hidden = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 4.0, 1.0, 0.0]])
    probabilities = np.array([[0.5, 0.5, 0.0], [0.25, 0.5, 0.25]])
    before, outcome = probabilities.copy(), call(function, hidden, probabilities, np.array([0, 1]))
    d_scores = np.array([[-0.25, 0.25, 0.0], [0.125, -0.25, 0.125]])
    d_U = np.array([[-0.25, 0.25, 0.0], [0.0, -0.5, 0.5], [0.125, -0.25, 0.125], [0.0, 0.0, 0.0]])
    expected = d_scores, d_U, np.array([-0.125, 0.0, 0.125])
    check(outcome, expected, idea="1 is subtracted for each actual next token; with two places, all is divided by 2.")
    check(outcome.argument(1), before, idea="The probabilities belong to the caller: subtract from a copy.")
