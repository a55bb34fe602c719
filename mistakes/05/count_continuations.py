"""Wrong solutions of NGramModel.count_continuations."""

from coach.diagnosis.bank import mistake

ADD = "continued[token_id] = continued.get(token_id, 0) + 1"


@mistake(
    "occurrences are counted, not different tokens",
    why="Add 1 for each context, however often the token followed it: 6 came 40 times, but only after 2.",
    pitfall="continuations",
    change={ADD: "continued[token_id] = continued.get(token_id, 0) + following[token_id]"},
)
def continuations_add_counts():
    """The count for the shorter context is the sum of the counts for the longer ones."""


@mistake(
    "the last token of the context is dropped",
    why="The tokens next to the predicted one stay: context[1:], not context[:-1].",
    pitfall="continuations",
    change={"context[1:]": "context[:-1]"},
)
def continuations_drop_the_last():
    """The context is one token shorter, so I leave out the last."""


@mistake(
    "the context keeps only its last token",
    why="Exactly one token is dropped: context[1:].",
    pitfall="continuations",
    change={"context[1:]": "context[1:][-1:]"},
)
def continuations_last_token_only():
    """The shorter context is the token right before."""


@mistake(
    "the contexts are not shorter",
    why="Drop the first token of each context: context[1:].",
    pitfall="continuations",
    change={"context[1:]": "context"},
)
def continuations_same_contexts():
    """I count for each context how many different tokens follow it."""


@mistake(
    "each token counts once",
    why="Add 1 for each longer context instead of setting the count to 1.",
    pitfall="continuations",
    change={ADD: "continued[token_id] = 1"},
)
def continuations_set_to_one():
    """I only note whether a token was seen, so each token that can follow gets a 1."""


@mistake(
    "the last longer context replaces the others",
    why="Several contexts end in the same shorter one: add to its dictionary, do not replace it.",
    pitfall="continuations",
    change={"shorter.setdefault(context[1:], {})": "shorter[context[1:]] = {}"},
)
def continuations_replaced():
    """Each shorter context gets a new dictionary."""


@mistake(
    "count_continuations is too slow for a long argument",
    why="Look at each context once, and add to the entry of the shorter one: a loop over all contexts within the loop takes too long.",
    pitfall="slow",
    change={
        "shorter.setdefault(context[1:], {})": "shorter[context[1:]] = {}",
        "in following:": "in (one for other in counts if other[1:] == context[1:] for one in counts[other]):",
    },
)
def continuations_by_searching():
    """For each shorter context, I look for the longer ones that end in it."""


@mistake(
    "all contexts become the empty one",
    why="Exactly one token is dropped: context[1:].",
    pitfall="continuations",
    change={"context[1:]": "()"},
)
def continuations_all_empty():
    """In the example the shorter context is ()."""


@mistake(
    "the number of different next tokens is counted",
    why="For each token, count the longer contexts that it followed: add 1 to its own count.",
    pitfall="continuations",
    change=[{"+ 1": "+ len(following)"}, {ADD: "continued[token_id] = len(following)"}],
    has="len(X)",
)
def continuations_count_followers():
    """The number of different tokens is the length of the dictionary."""


@mistake(
    "every count is one too high",
    why="The first context makes 1: get(token_id, 0) + 1.",
    pitfall="continuations",
    has="X.get(Y, 1) or X.setdefault(Y, 1) or X[Y] = 1",
    change={ADD: ADD.replace("0)", "1)")},
)
def continuations_begin_at_one():
    """A token that was seen has the count 1, and each further context adds 1."""


@mistake(
    "the longer contexts are still in the result",
    why="Begin with an empty dictionary: train joins the counts for all lengths.",
    pitfall="continuations",
    change={"shorter = {}": "shorter = dict(counts)"},
)
def continuations_with_the_longer():
    """The model needs both, so I add the shorter contexts to the longer ones."""


@mistake(
    "the model's own counts are read, not the argument",
    why="Loop over counts, which was passed: train stores the counts of the model as it goes.",
    pitfall="continuations",
    has="self.counts",
    change={"in counts.items()": "in self.counts.items()"},
)
def continuations_of_the_model():
    """The model has its counts in self.counts."""


@mistake(
    "the first counts of a context are the argument's own",
    why="They are occurrences, and belong to the caller: begin with an empty dictionary, and add 1 for each token.",
    pitfall="continuations",
    change={
        "continued = shorter.setdefault(context[1:], {})": "if context[1:] not in shorter:\n    shorter[context[1:]] = following\n    continue\ncontinued = shorter[context[1:]]"
    },
)
def continuations_begin_with_the_counts():
    """The first time, I take the tokens that followed, and after that I add to them."""


@mistake(
    "contexts of another length are left out",
    why="train calls this method for shorter contexts, too: make each context in counts one token shorter.",
    pitfall="continuations",
    has="self.n",
    change={"continued = ": "if len(context) != self.n - 1:\n    continue\ncontinued = "},
)
def continuations_of_the_longest():
    """A context has n - 1 tokens."""


@mistake(
    "contexts with the end token are left out",
    why="self.start and the first contexts of a document contain end_id, and they are contexts like any other.",
    pitfall="continuations",
    change={"continued = ": "if self.end_id in context:\n    continue\ncontinued = "},
)
def continuations_without_the_start():
    """The end tokens only fill up the context, so nothing was seen after them."""


@mistake(
    "the empty context is left out",
    why="A context of one token becomes (), which needs counts as well: they say how likely a token is anywhere.",
    pitfall="continuations",
    change={"continued = ": "if len(context) == 1:\n    continue\ncontinued = "},
)
def continuations_without_the_empty():
    """A context has at least one token."""


@mistake(
    "all shorter contexts are counted at once",
    why="Make the contexts that are one token shorter, no others: train calls this method again for the next ones.",
    pitfall="continuations",
    change={
        "continued = shorter.setdefault(context[1:], {})\n        for token_id in following:": "from itertools import product\n\nfor length, token_id in product(range(1, len(context) + 1), following):\n    continued = shorter.setdefault(context[length:], {})"
    },
)
def continuations_of_all_lengths():
    """The shorter contexts are context[1:], context[2:] and so on."""


@mistake(
    "the counts of contexts below n - 1 tokens are added up",
    why="Whatever the length of a context, it counts once: add 1.",
    pitfall="continuations",
    has="len(X)",
    change={ADD: f"{ADD[:-1]}(1 if len(context) == self.n - 1 else following[token_id])"},
)
def continuations_once_only():
    """After the first step, the counts are continuations already."""
