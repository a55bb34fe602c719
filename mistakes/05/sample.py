"""Wrong solutions of NGramModel.sample."""

from coach.diagnosis.bank import mistake

CONTEXT = "self.context_of([*ids, *new])"
DRAW = "rng.choices(range(self.vocab_size), weights)"
WEIGHT = "(probability / highest) ** (1 / temperature)"
LOOP = "len(new) < length and (not new or new[-1] != stop_id)"
IN_ORDER = "rng.choices(sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True), sorted(weights)[::-1])"
KEPT = "kept = set(sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True)[:top_k])"
LIMIT = "top_p * sum(weights)"
RANKED = "for token_id in sorted(range(self.vocab_size), key=weights.__getitem__, reverse=True):"
STAYS = "weight if reached < limit else 0"


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
    why="Several generators do not draw what one draws, and with the same seed each begins again: make rng before the loop.",
    pitfall="sampling",
    change=[{DRAW: DRAW.replace("rng", "Random(seed)")}, {DRAW: DRAW.replace("rng", "Random(seed + len(new))")}],
)
def sample_new_generator():
    """I make the generator where I draw."""


@mistake(
    "the seed is not used",
    why="Use Random(seed): the same seed gives the same text, and another seed another text.",
    pitfall="sampling",
    has="nowhere: F(seed)",
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
    has="nowhere: [*ids, *X] or (*ids, *X) or [*ids] or list(ids) or tuple(ids) or ids + X or ids[:]",
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
    "the logarithm of a probability of 0 is taken",
    why="A token that cannot come next has the probability 0, without a logarithm: p ** (1 / temperature) needs none.",
    pitfall="temperature",
    has="X.log(...) or X.log2(...) or log(...)",
    change={WEIGHT: "math.exp(math.log(probability / highest) / temperature)"},
)
def sample_logarithms():
    """I divide the logarithms by the temperature, as softmax does with scores."""


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
    why="Set all weights but the top_k highest to 0. sorted puts the lowest first, unless it gets reverse=True.",
    pitfall="top-k",
    change={"reverse=True)[:top_k]": "reverse=False)[:top_k]"},
)
def sample_bottom_k():
    """I sort by weight and take the first top_k."""


@mistake(
    "the tokens with the lowest IDs stay",
    why="Sort the IDs by their weights, not by their numbers.",
    pitfall="top-k",
    change={KEPT: "kept = range(self.vocab_size)[:top_k]"},
)
def sample_first_k():
    """I keep the first top_k entries of the list of weights."""


@mistake(
    "more than top_k tokens stay",
    why="Several tokens can have the weight at the limit; of these, the ones with the lowest IDs stay.",
    pitfall="top-k",
    change={KEPT: "limit = sorted(weights, reverse=True)[:top_k][-1]", "token_id in kept": "weight >= limit"},
)
def sample_all_at_the_limit():
    """The weight of the token at place top_k is the limit, and all below it become 0."""


@mistake(
    "of equal tokens the highest IDs stay",
    why="Of equal weights, the lowest IDs stay. Sort by the weight alone, with reverse=True, which keeps their order.",
    pitfall="top-k",
    change={"key=weights.__getitem__, reverse=True)[:top_k]": "key=weights.__getitem__)[-top_k:]"},
)
def sample_last_of_equal():
    """After sorting, the last top_k are the highest."""


@mistake(
    "after top_k the weights do not sum to 1",
    why="A random number from 0 to 1 can exceed the sum of the weights: let rng.choices draw, which needs no sum of 1.",
    pitfall="top-k",
    change={
        "for probability in probabilities]": "for probability in probabilities]\nweights = [weight / sum(weights) for weight in weights]",
        f"new.extend({DRAW})": "number, places = rng.random(), range(self.vocab_size)\nnew.append(min(sum(sum(weights[: one + 1]) <= number for one in places), places[-1]))",
    },
)
def sample_unnormalized():
    """I take a random number, and the token at which the sum of the probabilities passes it."""


@mistake(
    "positions in a sorted or shorter list are taken for IDs",
    why="rng.choices must draw IDs: leave each weight at the place of its ID, and set those of dropped tokens to 0.",
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
    change={
        "new = []": "new, before = ids, len(ids)",
        LOOP: "len(new) < before + length and (len(new) == before or new[-1] != stop_id)",
        CONTEXT: "self.context_of(new)",
        "return new": "return new[before:]",
    },
)
def sample_appends_to_ids():
    """The text grows, so I append to it."""


@mistake(
    "a context reaches across the end of a document",
    why="self.context_of knows where documents end; the last n - 1 tokens do not.",
    pitfall="documents",
    change=[
        {CONTEXT: "(self.start + (*ids, *new))[len(ids) + len(new) :]"},
        {CONTEXT: "(self.context_of(ids) + tuple(new))[len(new) :]"},
    ],
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
    why="A draw goes through the list: with the IDs in another order, the same random number draws another token.",
    pitfall="sampling",
    change=[
        {DRAW: IN_ORDER},
        {DRAW: f"{IN_ORDER} if top_p else {DRAW}"},
        {DRAW: IN_ORDER.replace("weights.__getitem__", "lambda one: (weights[one], one)")},
    ],
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
    "top_k is ignored at temperatures other than 1",
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
    change={KEPT: "kept = {weights.index(weight) for weight in sorted(weights, reverse=True)[:top_k]}"},
)
def sample_looks_up_the_weights():
    """I sort the weights, and index tells me whose they are."""


@mistake(
    "top_p is ignored",
    why="Once the highest weights add up to top_p of the total, set the other weights to 0.",
    pitfall="top-p",
    change={"if top_p is not None:": "if False:"},
)
def sample_no_top_p():
    """top_k is enough."""


@mistake(
    "top_p is ignored if there is a top_k",
    why="The two work together: first the top_k highest weights, then those of them that reach top_p.",
    pitfall="top-p",
    change={"if top_p is not None:": "if top_p is not None and top_k is None:"},
)
def sample_top_k_or_top_p():
    """Either top_k is given or top_p, so the second is an elif."""


@mistake(
    "the token that reaches top_p is left out",
    why="It stays: the sum of the tokens that stay is at least top_p, and one always stays.",
    pitfall="top-p",
    change=[{"< limit": f"+ weight {small}"} for small in ("<= limit", "< limit", "<= limit or reached == 0")],
)
def sample_up_to_top_p():
    """I keep tokens while their sum is no more than top_p."""


@mistake(
    "one token too many stays after top_p",
    why="A sum of exactly top_p has reached it: no further token stays.",
    pitfall="top-p",
    has="X > Y or X <= Y",
    change={"reached < limit": "reached <= limit"},
)
def sample_beyond_top_p():
    """I stop as soon as the sum is higher than top_p."""


@mistake(
    "top_p is compared with each token alone",
    why="top_p limits a sum: add up the weights from the highest down until they reach top_p of the total.",
    pitfall="top-p",
    change=[{"reached < limit": f"weight {least}"} for least in (">= limit", ">= top_p")],
)
def sample_top_p_as_threshold():
    """top_p is the probability that a token must have to stay."""


@mistake(
    "top_p is compared with a sum of weights that are not probabilities",
    why="The weights do not sum to 1: compare with top_p * sum(weights).",
    pitfall="top-p",
    change={LIMIT: "top_p"},
)
def sample_top_p_of_weights():
    """I add up the weights until they are top_p."""


@mistake(
    "top_p looks at the probabilities before the temperature",
    why="First the power 1 / temperature, then top_k, then top_p: add up the weights, not the probabilities.",
    pitfall="top-p",
    change={LIMIT: "top_p", "reached += weight": "reached += probabilities[token_id]"},
)
def sample_top_p_of_probabilities():
    """top_p is a probability, so I add up the probabilities of the model."""


@mistake(
    "top_p is a share of all tokens, not of those that top_k leaves",
    why="top_k comes first: top_p is a share of the weights that it has left.",
    pitfall="top-p",
    change={"if top_k is not None:": "whole = sum(weights)\nif top_k is not None:", LIMIT: "top_p * whole"},
)
def sample_top_p_of_all():
    """I normalize the weights first, and then go through top_k and top_p."""


@mistake(
    "top_p begins with the least probable tokens",
    why="sorted puts the lowest first: reverse=True.",
    pitfall="top-p",
    has="top_p",
    change={RANKED: RANKED.replace(", reverse=True", "")},
)
def sample_lowest_for_top_p():
    """I sort the IDs by weight and add up."""


@mistake(
    "top_p adds up in the order of the IDs",
    why="The most probable tokens come first: sort the IDs by their weights, the highest first.",
    pitfall="top-p",
    change={RANKED: "for token_id in range(self.vocab_size):"},
)
def sample_unsorted_for_top_p():
    """I add up the list of weights until it is enough."""


@mistake(
    "of equal weights, the highest IDs stay after top_p",
    why="Of equal weights, the lowest IDs stay. Sort by the weight alone, with reverse=True, which keeps their order.",
    pitfall="top-p",
    change={RANKED: "for token_id in sorted(range(self.vocab_size), key=weights.__getitem__)[::-1]:"},
)
def sample_turned_for_top_p():
    """I sort the IDs by weight and turn the list around."""


@mistake(
    "all tokens as probable as the last one stay after top_p",
    why="Only as many tokens stay as top_p needs: of equal weights, those of the lowest IDs.",
    pitfall="top-p",
    change={
        "weight = weights[token_id]": "weight = weights[token_id]\nlast = weight if reached < limit else last",
        STAYS: "weight if weight >= last else 0",
    },
)
def sample_all_at_the_limit_of_top_p():
    """The weight with which the sum reaches top_p is the limit, and all below it become 0."""


@mistake(
    "top_p is a share of the vocabulary",
    why="top_p is a share of the probability, not of the number of tokens: add up weights.",
    pitfall="top-p",
    has="top_p * self.vocab_size or self.vocab_size * top_p or top_p * len(X) or len(X) * top_p",
    change=[{LIMIT: f"{whole}(top_p * self.vocab_size)", "reached += weight": "reached += 1"} for whole in ("", "int")],
)
def sample_top_p_of_tokens():
    """top_p = 0.9 keeps the best 90 % of the tokens."""


@mistake(
    "the tokens that top_p leaves are all equally probable",
    why="The tokens that stay keep their weights; only the others become 0.",
    pitfall="top-p",
    change={STAYS: "1 if reached < limit else 0"},
)
def sample_equal_top_p():
    """With top_p I choose one of the best."""
