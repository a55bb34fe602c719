"""Wrong solutions of NGramModel.sample."""

from itertools import accumulate
from random import Random

from coach.diagnosis.bank import mistake

CONTEXT = "self.context_of([*ids, *new])"
DRAW = "rng.choices(range(self.vocab_size), weights)"
WEIGHT = "(probability / highest) ** (1 / temperature)"
LOOP = "len(new) < length and (not new or new[-1] != stop_id)"


@mistake(
    "the most probable token is always taken",
    why="Draw with rng.choices: a model that always takes the best token repeats itself.",
    pitfall="sampling",
    change={DRAW: "[weights.index(max(weights))]"},
)
def sample_the_maximum():
    """The best continuation is the most probable token."""


@mistake(
    "all tokens are equally probable",
    why="Give rng.choices the weights.",
    pitfall="sampling",
    change={DRAW: "rng.choices(range(self.vocab_size))"},
)
def sample_without_weights():
    """rng.choices draws from the vocabulary."""


@mistake(
    "each token has a generator of its own",
    why="A generator with the same seed begins again, and draws the same number: make rng once, before the loop.",
    pitfall="sampling",
    change=[{DRAW: DRAW.replace("rng", "Random(seed)")}, {DRAW: DRAW.replace("rng", "Random(seed + len(new))")}],
)
def sample_new_generator():
    """Each draw takes Random(seed).choices(...)."""


@mistake(
    "the seed is not used",
    why="Use Random(seed): the same seed gives the same text, and another seed another text.",
    pitfall="sampling",
    change={"Random(seed)": "Random(0)"},
)
def sample_own_seed():
    """A fixed seed makes the draw repeatable."""


@mistake(
    "the context does not grow",
    why="A drawn token belongs to the context of the next one: self.context_of([*ids, *new]).",
    pitfall="growing-context",
    change={CONTEXT: "self.context_of(ids)"},
)
def sample_same_context():
    """The context comes from the text that I was given."""


@mistake(
    "the text that is continued is forgotten",
    why="The context consists of ids and the new tokens: self.context_of([*ids, *new]).",
    pitfall="growing-context",
    change={CONTEXT: "self.context_of(new)"},
)
def sample_from_the_start():
    """The new tokens are the context of the next one."""


@mistake(
    "the whole text is returned",
    why="Return the new IDs alone.",
    pitfall="growing-context",
    change={"return new": "return [*ids, *new]"},
)
def sample_returns_all():
    """The result is the text with its continuation."""


@mistake(
    "the probabilities are multiplied by the temperature",
    why="A factor leaves their ratios as they are: raise them to the power 1 / temperature.",
    pitfall="temperature",
    has="X * temperature",
    change={WEIGHT: "probability * temperature"},
)
def sample_temperature_as_factor():
    """I multiply each probability by the temperature."""


@mistake(
    "the probabilities are divided by the temperature",
    why="Dividing the logarithms by the temperature raises the probabilities to the power 1 / temperature.",
    pitfall="temperature",
    has="X / temperature; nowhere: 1 / temperature or 1.0 / temperature",
    change={WEIGHT: "probability / temperature"},
)
def sample_temperature_divides():
    """In neural models the scores are divided by the temperature."""


@mistake(
    "the temperature works the wrong way round",
    why="The power is 1 / temperature: a low temperature makes the probable more probable.",
    pitfall="temperature",
    change={WEIGHT: "(probability / highest) ** temperature"},
)
def sample_temperature_turned():
    """I raise each probability to the power of the temperature."""


@mistake(
    "at a low temperature all weights become 0",
    why="Divide each probability by the highest one first, whose weight is then 1.",
    pitfall="temperature",
    change={WEIGHT: "probability ** (1 / temperature)"},
)
def sample_temperature_underflow():
    """rng.choices needs no sum of 1, so I need not divide by anything."""


@mistake(
    "the temperature is ignored",
    why="Raise each probability to the power 1 / temperature.",
    pitfall="temperature",
    has="nowhere: temperature",
    change={WEIGHT: "probability"},
)
def sample_no_temperature():
    """The probabilities are the weights."""


@mistake(
    "top_k is ignored",
    why="Set all weights but the top_k highest to 0.",
    pitfall="top-k",
    change={"if top_k is not None:": "if False:"},
)
def sample_no_top_k():
    """top_k is optional, so I leave it for later."""


@mistake(
    "the least probable tokens stay",
    why="sorted puts the lowest first: reverse=True, or the last top_k.",
    pitfall="top-k",
    change={"reverse=True": "reverse=False"},
)
def sample_bottom_k():
    """I sort by weight and take the first top_k."""


@mistake(
    "the tokens with the lowest IDs stay",
    why="Sort the IDs by their weights, not by their numbers.",
    pitfall="top-k",
    change={
        "sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True)[:top_k]": "range(self.vocab_size)[:top_k]"
    },
)
def sample_first_k():
    """I keep the first top_k entries of the list of weights."""


@mistake(
    "more than top_k tokens stay",
    why="Several tokens can have the weight at the limit; of these, the ones with the lowest IDs stay.",
    pitfall="top-k",
    change={
        "kept = set(sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True)[:top_k])": "limit = sorted(weights, reverse=True)[:top_k][-1]",
        "if token_id in kept else": "if weight >= limit else",
    },
)
def sample_all_at_the_limit():
    """The weight of the token at place top_k is the limit, and all below it become 0."""


@mistake(
    "of equal tokens the highest IDs stay",
    why="Of equal weights, the lowest IDs stay: sort with reverse=True, which keeps their order.",
    pitfall="top-k",
    change={"key=weights.__getitem__, reverse=True)[:top_k]": "key=weights.__getitem__)[-top_k:]"},
)
def sample_last_of_equal():
    """After sorting, the last top_k are the highest."""


@mistake(
    "after top_k the weights do not sum to 1",
    why="A random number from 0 to 1 can lie beyond the last weight: let rng.choices draw, which needs no sum of 1.",
    pitfall="top-k",
)
def sample_unnormalized(self, ids, length, seed, *, temperature=1.0, top_k=None, stop_id=None):
    """I take a random number, and the token at which the sum of the probabilities passes it."""
    rng, new = Random(seed), []
    while len(new) < length and (not new or new[-1] != stop_id):
        weights = [one ** (1 / temperature) for one in self.distribution(self.context_of([*ids, *new]))]
        weights = [one / (sum(weights) or 1) for one in weights]
        if top_k is not None:
            kept = sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True)[:top_k]
            weights = [weight if token_id in kept else 0 for token_id, weight in enumerate(weights)]
        number = rng.random()
        passing = (token_id for token_id, total in enumerate(accumulate(weights)) if total > number)
        new.append(next(passing, self.vocab_size - 1))
    return new


@mistake(
    "positions in a sorted or shorter list are taken for IDs",
    why="rng.choices must draw IDs: leave each weight at the place of its ID, and let a weight that is out be 0.",
    pitfall="sampling",
    change=[
        {DRAW: "rng.choices(range(self.vocab_size), sorted(weights, reverse=True))"},
        {DRAW: "rng.choices(range(self.vocab_size - weights.count(0)), [weight for weight in weights if weight])"},
        {
            "weights = [weight if token_id in kept else 0 for token_id, weight in enumerate(weights)]": "weights = sorted(weights, reverse=True)[:top_k] + [0] * (self.vocab_size - top_k)"
        },
    ],
)
def sample_sorted_weights():
    """I sort the weights or leave some out, and draw."""


@mistake(
    "the stop token does not end the text",
    why="Look at the token that was just drawn: if it is stop_id, no further one is drawn.",
    pitfall="stop",
    change={LOOP: "len(new) < length"},
)
def sample_never_stops():
    """The text has length tokens."""


@mistake(
    "the stop token is missing",
    why="Append the token first, then ask whether it is stop_id: a chat needs its <|end|>.",
    pitfall="stop",
    change={"return new": "return new[:-1] if new and new[-1] == stop_id else new"},
)
def sample_without_stop():
    """The stop token is not part of the text."""


@mistake(
    "a stop token in the given text ends everything",
    why="Only a token that was drawn ends the text: a chat has an <|end|> after each message.",
    pitfall="stop",
    change={"(not new or new[-1] != stop_id)": "[*ids, *new][-1:] != [stop_id]"},
)
def sample_given_stop():
    """The text ends with stop_id, so there is nothing to add."""


@mistake(
    "the ID 0 never stops a text",
    why="0 counts as false, but it is an ID: compare with None.",
    pitfall="stop",
    change={"new[-1] != stop_id": "not stop_id or new[-1] != stop_id"},
)
def sample_zero_never_stops():
    """If there is a stop_id, I compare with it."""


@mistake(
    "one token too many",
    why="End as soon as length tokens were drawn: len(new) < length.",
    pitfall="sampling",
    change={"len(new) < length": "len(new) <= length"},
)
def sample_one_too_many():
    """I draw up to length tokens, inclusive."""


@mistake(
    "the list that was passed is changed",
    why="It belongs to the caller: keep the new IDs in a list of your own.",
    pitfall="mutated-argument",
)
def sample_appends_to_ids(self, ids, length, seed, *, temperature=1.0, top_k=None, stop_id=None):
    """The text grows, so I append to it."""
    rng, before = Random(seed), len(ids)
    while len(ids) < before + length and (len(ids) == before or ids[-1] != stop_id):
        probabilities = self.distribution(self.context_of(ids))
        weights = [(probability / max(probabilities)) ** (1 / temperature) for probability in probabilities]
        if top_k is not None:
            kept = sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True)[:top_k]
            weights = [weight if token_id in kept else 0 for token_id, weight in enumerate(weights)]
        ids.append(rng.choices(range(self.vocab_size), weights)[0])
    return ids[before:]


@mistake(
    "a context reaches across the end of a document",
    why="self.context_of knows where documents end; the last n - 1 tokens do not.",
    pitfall="documents",
    change={CONTEXT: "(self.start + (*ids, *new))[len(ids) + len(new) :]"},
)
def sample_over_the_end():
    """The context is the last n - 1 tokens of the text."""


@mistake(
    "every document's end ends the text",
    why="Only stop_id ends it: without one, the model begins a new document and goes on to length tokens.",
    pitfall="stop",
    change={LOOP: LOOP.replace("!= stop_id", "not in (stop_id, self.end_id)")},
)
def sample_stops_at_the_end():
    """The end token ends the text."""


@mistake(
    "the tokens are drawn in the order of their weights",
    why="rng.choices goes through the list: with the IDs in another order, the same random number draws another token.",
    pitfall="sampling",
    change={
        DRAW: "rng.choices(sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True), sorted(weights, reverse=True))"
    },
)
def sample_in_order_of_weights():
    """I sort the IDs by weight and draw among them."""


@mistake(
    "the weights are a softmax of the probabilities",
    why="Softmax turns a network's scores into probabilities, and these are probabilities: raise them to 1 / temperature.",
    pitfall="temperature",
    change={WEIGHT: "math.exp(probability / temperature)"},
)
def sample_softmax():
    """I take exp(x / temperature), as in a neural network."""


@mistake(
    "the top_k tokens are all equally probable",
    why="The tokens that stay keep their weights; only the others become 0.",
    pitfall="top-k",
    change={"weight if token_id in kept else 0": "1 if token_id in kept else 0"},
)
def sample_equal_top_k():
    """With top_k I choose one of the best."""


@mistake(
    "the end of the text is returned, not the new tokens",
    why="Fewer than length tokens may be new, and [-0:] is everything: collect the new IDs in a list of their own.",
    pitfall="growing-context",
    change={"return new": "return [*ids, *new][-length:]"},
)
def sample_last_of_the_text():
    """The new tokens are the last length ones."""


@mistake(
    "top_k is ignored at another temperature than 1",
    why="The two work together: first the power, then the top_k highest weights.",
    pitfall="top-k",
    change={"if top_k is not None:": "if top_k is not None and temperature == 1:"},
)
def sample_temperature_or_top_k():
    """Either a temperature is given or top_k, so the second is an elif."""


@mistake(
    "the given text is part of the length",
    why="length is the number of new tokens, however long ids is.",
    pitfall="growing-context",
    change={"len(new) < length": "len(ids) + len(new) < length"},
)
def sample_length_of_the_text():
    """The text ends when it has length tokens."""


@mistake(
    "fewer than top_k tokens stay",
    why="index finds the first of several equal weights: sort the IDs by their weights, not the weights.",
    pitfall="top-k",
    change={
        "kept = set(sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True)[:top_k])": "kept = {weights.index(weight) for weight in sorted(weights, reverse=True)[:top_k]}"
    },
)
def sample_looks_up_the_weights():
    """I sort the weights, and index tells me whose they are."""
