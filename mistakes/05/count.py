"""Wrong solutions of NGramModel.count."""

from collections import defaultdict

from coach.diagnosis.bank import mistake
from g2c.solutions.ngram import NGramModel as AnswerKey

START = "context = self.start\n    for"
BACK = "self.start if token_id == self.end_id else "
NEXT = "(*context, token_id)[1:]"
MOVE = f"context = {BACK}{NEXT}"
ADD = "following[token_id] = following.get(token_id, 0) + 1"


@mistake(
    "a context reaches across the end of a document",
    why="After self.end_id the next document begins: its context is self.start again, without tokens from before the end.",
    pitfall="documents",
    change=[
        {BACK: ""},
        {MOVE: f"if token_id != self.end_id:\n    context = {NEXT}"},
        {BACK: "", "setdefault(context": "setdefault(self.start if context[-1:] == (self.end_id,) else context"},
    ],
)
def count_over_the_end():
    """The end token is a token like any other, so the window simply moves on."""


@mistake(
    "the end of a document is not counted",
    why="The model has to learn where a document ends: count self.end_id before you set the context back.",
    pitfall="documents",
    change={"following = ": "if token_id == self.end_id:\n    context = self.start\n    continue\nfollowing = "},
)
def count_end_not_counted():
    """The end token only separates; I set the context back and go on."""


@mistake(
    "the corpus ends at the first end token",
    why="A corpus has many documents: after the end of one, continue with the next.",
    pitfall="documents",
    change={MOVE: "if token_id == self.end_id:\n    break\ncontext = (*context, token_id)[1:]"},
)
def count_first_document():
    """At the end token I am done."""


@mistake(
    "the context contains the token itself",
    why="Count first, then move the context on: the context is what comes before the token.",
    pitfall="context",
    change={NEXT: "context", "following = ": f"context = {NEXT}\nfollowing = "},
)
def count_moves_first():
    """I put the token into the context and count it there."""


@mistake(
    "the context is one token too long",
    why="For n = 2 the context is one token: an n-gram is the context and the token together.",
    pitfall="context",
    change={START: "context = (self.end_id,) * self.n\nfor", "self.start if": "(self.end_id,) * self.n if"},
)
def count_context_of_n():
    """An n-gram has n tokens of context."""


@mistake(
    "the context grows to n tokens",
    why="An n-gram is the context and the token together, so the context keeps its last n - 1 tokens: [1:].",
    pitfall="context",
    change={NEXT: "(*context, token_id)[-self.n :]"},
)
def count_last_n():
    """I keep the last n tokens, as the model is called n-gram."""


@mistake(
    "contexts at the beginning are shorter",
    why="Begin with self.start: every context is a tuple of n - 1 IDs, the first ones filled up with the end token.",
    pitfall="context",
    change={
        START: "context = ()\nfor",
        NEXT: "(*context, token_id)[max(0, len(context) + 2 - self.n) :]",
        "context = self.start if": "context = () if",
    },
)
def count_short_contexts():
    """Before the first token there is nothing, so its context is empty."""


@mistake(
    "the context stays empty",
    why="One token comes in and one is dropped, so its length never changes: begin with self.start, n - 1 end tokens.",
    pitfall="context",
    change={START: "context = ()\nfor"},
)
def count_begins_empty():
    """Before the first token there is nothing, and the context fills up by itself."""


@mistake(
    "the context is empty after the end of a document",
    why="A new document begins like the first one: its context is self.start again, not ().",
    pitfall="documents",
    change={MOVE: MOVE.replace("self.start", "()")},
)
def count_empty_after_the_end():
    """A new document begins, so I empty the context."""


@mistake(
    "tokens at the beginning of the corpus are not counted",
    why="Begin with the first token: its context is self.start.",
    pitfall="context",
)
def count_whole_windows_only(self, ids):
    """I slide a window of n tokens over the list."""
    counts = {}
    for place in range(len(ids) - self.n + 1):
        *context, token_id = ids[place : place + self.n]
        following = counts.setdefault(tuple(context), {})
        following[token_id] = following.get(token_id, 0) + 1
    return counts


@mistake(
    "for n = 1 the context does not stay empty",
    why="An empty context has no token to drop: append the ID first, then drop the first one, (*context, token_id)[1:].",
    pitfall="empty-context",
    change={NEXT: "context[1:] + (token_id,)"},
)
def count_drops_first():
    """I drop the first token, then append the new one."""


@mistake(
    "for n = 1 the context grows",
    why="[-0:] is the whole tuple: drop the first token with [1:] instead.",
    pitfall="empty-context",
    has="X[-Y:] or X[1 - Y:] or X[-Y + 1:]",
    change=[{NEXT: f"(*context, token_id)[{start} :]"} for start in ("-(self.n - 1)", "-self.n + 1")],
)
def count_negative_slice():
    """The last n - 1 tokens are [-(n - 1):]."""


@mistake(
    "the first token stays in the context, the new one is dropped",
    why="The context moves on: the new token becomes its last, the first is dropped.",
    pitfall="context",
    change={NEXT: "(*context, token_id)[: self.n - 1]"},
)
def count_keeps_the_first():
    """The context has n - 1 tokens, so I cut it off there."""


@mistake(
    "the context is in reverse order",
    why="The tokens of a context are in the order of the text: the new one comes last.",
    pitfall="context",
    change={NEXT: "(token_id, *context)[: self.n - 1]"},
)
def count_newest_first():
    """The newest token is the most important one and comes first."""


@mistake(
    "a token is counted once for each context",
    why="Add 1 each time: get(token_id, 0) + 1.",
    pitfall="context",
    change={"following.get(token_id, 0) + 1": "1"},
)
def count_seen_or_not():
    """I note which tokens follow a context."""


@mistake(
    "the first occurrence is not counted",
    why="The first time, the count becomes 1: get(token_id, 0) + 1.",
    pitfall="context",
    change={ADD: "following[token_id] = following[token_id] + 1 if token_id in following else 0"},
)
def count_from_zero():
    """When I see a token for the first time, I enter it into the dictionary."""


@mistake(
    "the context does not begin with end_id",
    why="A document begins after the end of another one: its context is self.start, n - 1 times the end_id of the model.",
    pitfall="context",
    change=[{START: f"context = ({token_id},) * (self.n - 1)\nfor"} for token_id in (0, -1)],
)
def count_padded_with_zeros():
    """Before the first token there is nothing, so I fill up the context."""


@mistake(
    "keys are n-grams and not contexts", why="counts[context] is a dictionary: next token -> count.", pitfall="context"
)
def count_whole_grams(self, ids):
    """I count each n-gram, as pairs were counted in module 04."""
    counts = defaultdict(int)
    for context, following in AnswerKey.count(self, ids).items():
        for token_id, times in following.items():
            counts[(*context, token_id)] += times
    return dict(counts)


@mistake(
    "context and token have changed places",
    why="The context is the key, and what followed it is counted: counts[context][token_id].",
    pitfall="context",
    change={"setdefault(context": "setdefault(token_id", ADD: "following[context] = following.get(context, 0) + 1"},
)
def count_what_came_before():
    """For each token I count the contexts that it was seen in."""


@mistake(
    "count is too slow for a long argument",
    why="Look at each item about once: a loop within the loop, such as count, index or a copy, takes too long.",
    pitfall="slow",
    change={
        START: "before = []\nfor",
        "setdefault(context,": "setdefault(self.context_of(before),",
        MOVE: "before = [*before, token_id]",
    },
)
def count_copies_the_text():
    """The context of each token is at the end of all the tokens before it."""


@mistake(
    "something from an earlier call is still there",
    why="Start with an empty dictionary inside the method; train stores what you return.",
    pitfall="context",
    change={"counts = {}": "counts = self.counts"},
)
def count_into_the_model():
    """The model has a dictionary of counts already, and I fill it."""


@mistake(
    "the last token is not counted",
    why="Each token follows a context, the last one as well: loop over all of ids.",
    pitfall="context",
    change={"for token_id in ids:": "for token_id in ids[:-1]:"},
)
def count_without_the_last():
    """After the last token nothing comes, so the loop ends before it."""


@mistake(
    "shorter contexts are counted as well",
    why="count is only for contexts of n - 1 tokens; count_continuations counts the shorter ones, in another way.",
    pitfall="context",
    change={
        f"following = counts.setdefault(context, {{}})\n        {ADD}": "for length in range(self.n):\n    following = counts.setdefault(context[length:], {})\n    following[token_id] = following.get(token_id, 0) + 1"
    },
)
def count_all_lengths():
    """The model needs contexts of 0 to n - 1 tokens."""


@mistake(
    "the end token is counted after the start, not after its context",
    why="The end token belongs to the document that it ends: count it first, then set the context back.",
    pitfall="documents",
    change={"following = ": "if token_id == self.end_id:\n    context = self.start\nfollowing = "},
)
def count_end_after_the_start():
    """When I see the end token, I begin a new document."""


@mistake(
    "what follows the last end token is not counted",
    why="A corpus may end within a document, whose tokens count as well.",
    pitfall="documents",
    change={
        "for token_id in ids:": "ends = [place for place, one in enumerate(ids) if one == self.end_id]\nfor token_id in ids[: ends[-1] + 1] if ends else ids:"
    },
)
def count_without_the_last_document():
    """I cut the corpus at its end tokens, and each one completes a document."""


@mistake(
    "an end token with the ID 0 ends nothing",
    why="0 counts as false, but it is an ID: compare token_id with self.end_id, and do not ask `if self.end_id`.",
    pitfall="documents",
    change={MOVE: MOVE.replace("if token_id", "if self.end_id and token_id")},
)
def count_end_of_0():
    """If there is an end_id, I compare with it."""
