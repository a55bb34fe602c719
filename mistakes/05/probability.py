"""Wrong solutions of NGramModel.probability."""

from coach.diagnosis.bank import mistake

OWN = "own = max(following.get(token_id, 0) - self.discount, 0) / total"
MIX = "probability = own + self.discount * len(following) / total * probability"


@mistake(
    "an unseen token has a negative share",
    why="The discount may exceed the count, which is 0 here: the token's own share is at least 0, max(..., 0).",
    pitfall="discount",
    change={OWN: "own = (following.get(token_id, 0) - self.discount) / total"},
)
def probability_negative_share():
    """The discount is taken off each count."""


@mistake(
    "nothing is taken off the counts",
    why="The shorter context's share must come from somewhere: take the discount off each count.",
    pitfall="discount",
    change={OWN: "own = following.get(token_id, 0) / total"},
)
def probability_no_discount():
    """The token's share is its count divided by the sum, as always."""


@mistake(
    "the discount is not taken off at every length",
    why="Each context gives a share to the next shorter one, and () gives one to 1 / vocab_size: take it off each count.",
    pitfall="discount",
    has="nowhere: 1 / len(X) or 1.0 / len(X)",
    change={
        OWN: f"discount = self.discount if length == self.n - 1 else 0\n{OWN.replace('self.discount', 'discount')}",
        MIX: MIX.replace("self.discount", "discount"),
    },
)
def probability_discounts_once():
    """The discount was taken off already when the shorter context is used."""


@mistake(
    "the count alone decides if the token was seen",
    why="Then the probabilities sum to more than 1: take the discount off, and add the share of the shorter context.",
    pitfall="interpolation",
    change={
        OWN: "own = following.get(token_id, 0) / total",
        MIX: "probability = own or 0.4 * probability",
    },
)
def probability_of_stupid_backoff():
    """If the token is known here, its share is its probability; otherwise I go back to the shorter context."""


@mistake(
    "the count is only divided by the sum",
    why="Then a token that never followed is impossible: take the discount off the count, and add the share of the shorter context.",
    pitfall="interpolation",
    has="nowhere: token_id in X or token_id not in X or self.discount or X * Y or X *= Y",
    change={OWN: "own = following.get(token_id, 0) / total", MIX: "probability = own"},
)
def probability_of_counts():
    """A probability is a share: the count of the token, divided by the sum of the counts."""


@mistake(
    "one discount is given out, not one for each different token",
    why="It was taken off the count of each token that followed: discount * len(following).",
    pitfall="interpolation",
    change={" * len(following)": ""},
)
def probability_one_discount():
    """The discount is the share of the shorter context."""


@mistake(
    "the share that was taken off is not given out",
    why="Add the share that was taken off times the probability after the shorter context.",
    pitfall="interpolation",
    change={MIX: "probability = own"},
)
def probability_without_shorter():
    """The longest known context decides."""


@mistake(
    "the shorter context is used only for tokens that never followed",
    why="Interpolation adds its share for every token; otherwise the probabilities do not sum to 1.",
    pitfall="interpolation",
    change={MIX: "rest = self.discount * len(following) / total * probability\nprobability = own if own else rest"},
    has="nowhere: return 0 or return 0.0",
)
def probability_backs_off():
    """If I know the token, I use its count, otherwise the shorter context."""


@mistake(
    "the shorter context has a fixed share",
    why="Its share is the amount that was taken off: discount * len(following) / total.",
    pitfall="interpolation",
    change={MIX: "probability = own + self.discount * probability"},
)
def probability_fixed_share():
    """discount is the share of the shorter context, and 1 - discount the share of the longer one."""


@mistake(
    "the empty context is the whole context",
    why="context[-0:] is everything: take context[len(context) - length:].",
    pitfall="context-slice",
    has="X[-Y:]",
    change={"context[len(context) - length :]": "context[-length:]"},
)
def probability_negative_slice():
    """The last tokens of a tuple are context[-length:]."""


@mistake(
    "the first tokens of the context are used",
    why="The tokens nearest to the predicted one say most: take them from the end of the context.",
    pitfall="context-slice",
    change=[{"len(context) - length :": ":length"}, {"len(context) - length :": ":length", "break": "continue"}],
)
def probability_first_tokens():
    """The first length tokens of the context are context[:length]."""


@mistake(
    "the longest context is left out",
    why="The lengths are 0, 1, ... n - 1: range(self.n).",
    pitfall="interpolation",
    change={"range(self.n)": "range(self.n - 1)"},
)
def probability_too_short():
    """A context has n - 1 tokens, so range(n - 1)."""


@mistake(
    "the empty context is left out",
    why="Begin with the length 0: the counts for () say how frequent a token is.",
    pitfall="interpolation",
    change={"range(self.n)": "range(1, self.n)"},
)
def probability_without_empty():
    """A context has at least one token."""


@mistake(
    "the contexts are mixed from the longest to the shortest",
    why="Begin with 1 / vocab_size and the empty context; the longest one comes last, so that it has the greatest weight.",
    pitfall="interpolation",
    change={"range(self.n)": "reversed(range(self.n))", "break": "continue"},
)
def probability_longest_first():
    """The longest context is the best, so I begin with it."""


@mistake(
    "only the longest context is looked up",
    why="Its probabilities need the shorter contexts' probabilities: go through all lengths from 0 on.",
    pitfall="interpolation",
    change={"range(self.n)": "[self.n - 1]"},
)
def probability_longest_only():
    """The context has n - 1 tokens, and I look it up."""


@mistake(
    "a token that was never seen is impossible",
    why="Start with 1 / vocab_size, not with 0.",
    pitfall="uniform",
    change={"probability = 1 / self.vocab_size": "probability = 0.0"},
)
def probability_from_zero():
    """At the beginning nothing is known, so the probability is 0."""


@mistake(
    "the probability starts at 1",
    why="Without counts, vocab_size tokens share the probability 1: each has 1 / vocab_size.",
    pitfall="uniform",
    has="X = 1 or X = 1.0; nowhere: X / self.vocab_size",
    change={"probability = 1 / self.vocab_size": "probability = 1.0"},
)
def probability_from_one():
    """A product begins with 1."""


@mistake(
    "only tokens that occurred share the rest",
    why="The vocabulary has more tokens than the corpus used: 1 / self.vocab_size.",
    pitfall="uniform",
    change={"1 / self.vocab_size": "1 / len(self.counts[()]) if self.counts else 1 / self.vocab_size"},
)
def probability_seen_vocabulary():
    """The tokens that I know are those in counts[()]."""


@mistake(
    "the number of contexts takes the place of vocab_size",
    why="self.counts has an entry for each context, not for each token of the vocabulary: 1 / self.vocab_size.",
    pitfall="uniform",
    change={"1 / self.vocab_size": "1 / (len(self.counts) or self.vocab_size)"},
)
def probability_counts_contexts():
    """The tokens that I know are in self.counts."""


@mistake(
    "the counts are not divided by their sum",
    why="Divide by self.totals of the context, the sum of its counts, not by the number of different tokens.",
    pitfall="interpolation",
    change={"self.totals[known]": "len(self.counts[known])"},
)
def probability_divided_by_types():
    """The share is the count divided by the number of tokens that followed."""


@mistake(
    "the IDs of the tokens that followed are added, not their counts",
    why="A loop over a dictionary goes through its keys, the IDs: take self.totals, or add up following.values().",
    pitfall="interpolation",
    change=[
        {"self.totals[known]": "sum(self.counts[known])"},
        {"self.totals[known]": "sum(self.counts[known]) or 1"},
    ],
)
def probability_sums_keys():
    """sum adds up the counts."""


@mistake(
    "the sum is always that of the empty context",
    why="Each context has its own sum: self.totals[known], where known is the context that counts is asked for.",
    pitfall="interpolation",
    change={"self.totals[known]": "self.totals[()]"},
)
def probability_total_of_the_corpus():
    """The sum is the number of all tokens."""


@mistake(
    "the token's own share is divided by too little",
    why="Take the discount off the count alone: the sum below it stays self.totals[known].",
    pitfall="discount",
    change={OWN: OWN.replace("/ total", "/ ((total - self.discount * len(following)) or 1)")},
)
def probability_discounts_the_sum():
    """What is taken off the counts is missing in their sum, too."""


@mistake(
    "one is added to each count",
    why="This is add-one smoothing, which gives unseen tokens far too much. Take the discount off instead.",
    pitfall="discount",
)
def probability_add_one(self, token_id, context):
    """Nothing is impossible when each count is one higher."""
    following = self.counts.get(context, {})
    return (following.get(token_id, 0) + 1) / (self.totals.get(context, 0) + self.vocab_size)


@mistake(
    "the discount is a factor",
    why="Absolute discounting takes the same amount off each count: count - discount.",
    pitfall="discount",
    change=[
        {"max(following.get(token_id, 0) - self.discount, 0)": "following.get(token_id, 0) * (1 - self.discount)"},
        {
            OWN: "own = (1 - self.discount) * following.get(token_id, 0) / total",
            MIX: "probability = own + self.discount * probability",
        },
    ],
)
def probability_discount_factor():
    """A discount of 0.5 is half the price."""


@mistake(
    "a context that was never seen decides",
    why="Nothing followed it, so it adds nothing: the longest known context gives the probability.",
    pitfall="interpolation",
    change=[{"break": "return 0.0"}, {"break": "return 1 / self.vocab_size"}],
)
def probability_unseen_context():
    """Nothing is known about a context that was never seen."""


@mistake(
    "a KeyError for a context that was never seen",
    why="Ask whether the context is in self.counts, and stop if it is not.",
    pitfall="interpolation",
    change={"if known not in self.counts:": "if False:"},
)
def probability_key_error():
    """Every context was counted in training."""


@mistake(
    "every context falls back on 1 / vocab_size",
    why="The share that was taken off goes to the probability so far, the shorter context's.",
    pitfall="interpolation",
    change={MIX: MIX.replace("* probability", "/ self.vocab_size")},
)
def probability_always_uniform():
    """All tokens share equally in the amount that was taken off."""


@mistake(
    "everything but the token's own share is given out",
    why="Only the amount taken off the counts is given out: discount * len(following) / total.",
    pitfall="interpolation",
    change={MIX: "probability = own + (1 - own) * probability"},
)
def probability_one_minus_own():
    """The two shares sum to 1."""


@mistake(
    "the discount is always the default",
    why="The model has its own: self.discount.",
    pitfall="discount",
    change={OWN: OWN.replace("self.discount", "0.75"), MIX: MIX.replace("self.discount", "0.75")},
)
def probability_fixed_discount():
    """The discount D is 0.75."""


@mistake(
    "the discount is taken off the share, not off the count",
    why="First count - discount, then divide by the sum: the parentheses belong around max(...).",
    pitfall="discount",
    change={OWN: "own = max(following.get(token_id, 0) / total - self.discount, 0)"},
)
def probability_discounted_share():
    """The discount is taken off the probability."""


@mistake(
    "a token that never followed keeps the whole probability of the shorter context",
    why="The shorter context has only the share that was taken off, for these tokens too.",
    pitfall="interpolation",
    change={MIX: f"if token_id in following:\n    {MIX}"},
)
def probability_skips_contexts():
    """A context that does not know the token changes nothing."""


@mistake(
    "the share that was taken off is computed from the number of tokens that never followed",
    why="The discount was taken off the tokens that did follow: discount * len(following).",
    pitfall="interpolation",
    change={"len(following)": "(self.vocab_size - len(following))"},
)
def probability_counts_the_unseen():
    """The amount that was taken off goes to the tokens that never followed, so their number counts."""


@mistake(
    "the amount that was taken off is not divided by the sum",
    why="It was taken off counts: divide it by self.totals, like the token's own share.",
    pitfall="interpolation",
    change={"len(following) / total": "len(following)"},
)
def probability_undivided_rest():
    """The discount times the number of different tokens is given out."""


@mistake(
    "the longest context counts twice",
    why="The lengths end at n - 1: range(self.n) ends there by itself.",
    pitfall="interpolation",
    change={"range(self.n)": "range(self.n + 1)"},
)
def probability_up_to_n():
    """The lengths go up to n, and range excludes its end."""


@mistake(
    "the two shares are not added",
    why="Add the two: the token's own share, and the share that was taken off times the probability so far.",
    pitfall="interpolation",
    has="nowhere: X + Y * Z",
    change=[{MIX: "probability = max(own, probability)"}, {MIX: "probability = (own + probability) / 2"}],
)
def probability_larger_share():
    """The context that knows the token better decides, or the average of both does."""
