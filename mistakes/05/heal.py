"""Wrong solutions of NGramModel.heal."""

from coach.diagnosis.bank import mistake

BEGINS = "text.startswith(end)"
DRAW = "Random(seed).choices(allowed, weights)"
SPECIAL = "if ids[place] not in vocab:"
GROW = "end = vocab[ids[place]] + end"


@mistake(
    "only the last token is taken back",
    why="A token can replace several: put more and more bytes before the end, and see whether a token begins with them.",
    pitfall="healing",
    has="nowhere: vocab[X] + Y or X += vocab[Y] or X.join(...)",
    change={"reversed(range(len(ids)))": "range(len(ids))[-1:]", GROW: "end = vocab[ids[place]]"},
)
def heal_the_last():
    """The prompt ends within its last token, so I take that one back."""


@mistake(
    "the shortest end that a token can replace is taken back",
    why="Take back as many tokens as one can replace: when a token fits, go on to see whether one fits a longer end.",
    pitfall="healing",
    change={"if found:": "if found and not allowed:"},
)
def heal_the_shortest_end():
    """As soon as a token begins with the end, I draw."""


@mistake(
    "the search ends too early",
    why="Even if no token begins with a short end, one may begin with a longer end: go on to the prompt's beginning.",
    pitfall="healing",
    change={"if found:": "if not found:\n    break\nif found:"},
)
def heal_breaks_off():
    """I take tokens back as long as a token begins with their bytes."""


@mistake(
    "the tokens that were taken back are still in the context",
    why="They are replaced, so they are no longer before the new token: self.context_of(kept).",
    pitfall="healing",
    change=[{"self.context_of(kept)": "self.context_of(ids)"}, {"self.context_of(kept)": "self.context_of(ids[:-1])"}],
)
def heal_in_the_old_context():
    """The new token comes after the prompt."""


@mistake(
    "the context is empty",
    why="The tokens that stay are the context of the new one: self.context_of(kept).",
    pitfall="healing",
    change=[{"self.context_of(kept)": "self.start"}, {"self.context_of(kept)": "()"}],
)
def heal_without_context():
    """The probability of a token is its own."""


@mistake(
    "the token itself is not allowed",
    why="The prompt may end with a whole token, which begins with its own bytes: allow it, too.",
    pitfall="healing",
    change={BEGINS: f"{BEGINS} and text != end"},
)
def heal_only_longer():
    """The prompt ends within a token, so the new one is longer."""


@mistake(
    "tokens that are only as long as the end are not looked for",
    why="A token begins with its own bytes too: take the end back even if no longer token begins with it.",
    pitfall="healing",
    change={"if found:": "if any(vocab[token_id] != end for token_id in found):"},
)
def heal_searches_longer():
    """A token can replace the end if it is longer."""


@mistake(
    "only a token with the same bytes is allowed",
    why="The prompt may end within a token: allow all that begin with its last bytes, startswith.",
    pitfall="healing",
    change={BEGINS: "text == end"},
)
def heal_same_bytes():
    """I look for a token that is the end of the prompt."""


@mistake(
    "text is compared, not bytes",
    why="A token may be a part of a character, which has no text of its own: compare the bytes.",
    pitfall="healing",
    change=[
        {BEGINS: "text.decode().startswith(end.decode())"},
        {BEGINS: 'text.decode("utf-8", "replace").startswith(end.decode("utf-8", "replace"))'},
        {
            'end, kept, allowed = b""': 'end, kept, allowed = ""',
            GROW: 'end = vocab[ids[place]].decode("utf-8", "replace") + end',
            BEGINS: 'text.decode("utf-8", "replace").startswith(end)',
        },
        {BEGINS: 'text.decode("utf-8", "ignore").startswith(end.decode("utf-8", "ignore"))'},
    ],
)
def heal_text():
    """I decode the end of the prompt, and the tokens."""


@mistake(
    "tokens that contain the bytes are allowed",
    why="The new token takes the place of the end, so it must begin with its bytes: startswith.",
    pitfall="healing",
    change={BEGINS: "end in text"},
)
def heal_contains():
    """The bytes are in the token."""


@mistake(
    "tokens that end with the bytes are allowed",
    why="The new token takes the place of the end, so it must begin with its bytes: startswith.",
    pitfall="healing",
    change={BEGINS: "text.endswith(end)"},
)
def heal_ends_with():
    """It is the end of the prompt, so I take endswith."""


@mistake(
    "tokens that the end begins with are allowed",
    why="It is the other way round: the new token begins with the bytes of the end.",
    pitfall="healing",
    change={BEGINS: "end.startswith(text)"},
)
def heal_turned():
    """I look for the tokens that the end starts with."""


@mistake(
    "the bytes are in the wrong order",
    why="The search goes from the end to the front, so the bytes of each token come before those found so far.",
    pitfall="healing",
    has="X += vocab[Y] or X.append(vocab[Y]) or X.join(A for B in reversed(C)) or X.join(A for B in C[::-1]) or X.join(reversed(Y)) or X.join(Y[::-1])",
    change={GROW: "end += vocab[ids[place]]"},
)
def heal_appends_bytes():
    """I add the bytes of each token."""


@mistake(
    "the most probable token is always taken",
    why="Draw with the probabilities as weights, as sample does.",
    pitfall="healing",
    change={DRAW: "[allowed[weights.index(max(weights))]]"},
)
def heal_the_maximum():
    """The best token is the most probable one."""


@mistake(
    "all tokens are equally probable",
    why="Give choices the probabilities as weights.",
    pitfall="healing",
    change=[{DRAW: "Random(seed).choices(allowed)"}, {DRAW: "[Random(seed).choice(allowed)]"}],
)
def heal_without_weights():
    """I draw one of the allowed tokens."""


@mistake(
    "any token may be drawn",
    why="The bytes of the end must come again: draw only among the tokens that begin with them.",
    pitfall="healing",
    change={DRAW: "self.sample(kept, 1, seed)"},
)
def heal_draws_from_all():
    """I take the end back, and the model goes on."""


@mistake(
    "tokens are drawn until one fits",
    why="The same seed then gives another token, and an improbable end takes long: draw once, among the tokens that fit.",
    pitfall="healing",
    has="while X: ...",
    change={
        f"return kept + {DRAW}": "rng, drawn = Random(seed), None\nwhile drawn not in allowed:\n    [drawn] = rng.choices(range(self.vocab_size), self.distribution(context))\nreturn [*kept, drawn]"
    },
)
def heal_draws_again():
    """I draw from the vocabulary, and again if the token does not begin with the end."""


@mistake(
    "the seed is not used",
    why="Use Random(seed): the same seed gives the same token, and another seed another one.",
    pitfall="sampling",
    has="nowhere: F(seed)",
    change={"Random(seed)": "Random(0)"},
)
def heal_own_seed():
    """random draws."""


@mistake(
    "positions in a list are taken for IDs",
    why="choices must draw the IDs themselves: give it the list of allowed IDs, not a range.",
    pitfall="healing",
    has="X.choices(range(...), Y) or X.choices(range(...), weights=Y)",
    change={DRAW: "Random(seed).choices(range(len(allowed)), weights)"},
)
def heal_positions():
    """I draw one of the places in the list of the allowed tokens."""


@mistake(
    "the weights are those of other tokens",
    why="Each allowed token has its own probability: take those of the allowed IDs, in their order.",
    pitfall="healing",
    has="nowhere: X.sample(...)",
    change={"for token_id in allowed": "for token_id in range(len(allowed))"},
)
def heal_other_weights():
    """The distribution has the weights, and I take as many as I need."""


@mistake(
    "the end of the prompt stays",
    why="The new token takes the place of the tokens that were taken back: return the IDs that stay, then the new one.",
    pitfall="healing",
    change={"return kept + ": "return list(ids) + "},
)
def heal_appends():
    """I append the new token to the prompt."""


@mistake(
    "only the new token is returned",
    why="Return the whole prompt: the IDs that stay, followed by the new one.",
    pitfall="healing",
    change={"return kept + ": "return "},
)
def heal_returns_the_new():
    """As sample does, I return the new IDs alone."""


@mistake(
    "a special token is not handled",
    why="vocab has no special tokens, and a prompt may contain them: end the search at an ID that is not in vocab.",
    pitfall="special-tokens",
    change={SPECIAL: "if False:"},
)
def heal_any_id():
    """vocab has the bytes of every token."""


@mistake(
    "a special token is taken back",
    why="A special token is not text: end the search at an ID that is not in vocab.",
    pitfall="special-tokens",
    change=[{SPECIAL: "if False:", GROW: 'end = vocab.get(ids[place], b"") + end'}, {"break": "continue"}],
)
def heal_over_a_special_token():
    """A special token has no bytes, so I skip it."""


@mistake(
    "a prompt with a special token is never healed",
    why="Everything up to the last special token stays; the text after it can be healed.",
    pitfall="special-tokens",
    change={SPECIAL: "if any(token_id not in vocab for token_id in ids):"},
)
def heal_only_text():
    """If the prompt has special tokens, I return it as it is."""


@mistake(
    "an empty prompt is not handled",
    why="A model may begin a text from nothing: without a last token, return the empty prompt.",
    pitfall="healing",
    change={'end, kept, allowed = b""': 'last = ids[-1]\nend, kept, allowed = b""'},
)
def heal_takes_the_last():
    """I begin with the last token, ids[-1]."""


@mistake(
    "the list that was passed is changed",
    why="It belongs to the caller: build the result in a list of your own.",
    pitfall="mutated-argument",
    change=[
        {f"return kept + {DRAW}": f"ids[len(kept) :] = {DRAW}\nreturn ids"},
        {"return kept + ": "del ids[len(kept) :]\nreturn kept + "},
    ],
)
def heal_pops():
    """I pop the tokens from the prompt."""


@mistake(
    "the prompt itself is returned",
    why="The result is a new list, even if nothing is taken back: return list(ids).",
    pitfall="mutated-argument",
    group="TestHeal",
    change={"if not allowed:": "if not allowed:\n    return ids\nif not allowed:"},
)
def heal_returns_the_prompt():
    """If nothing is taken back, the prompt stays as it is."""


@mistake(
    "a context reaches across the end of a document",
    why="self.context_of knows where documents end; the last n - 1 tokens do not.",
    pitfall="documents",
    change={"self.context_of(kept)": "(self.start + tuple(kept))[len(kept) :]"},
)
def heal_over_the_end():
    """The context is the last n - 1 tokens that stay."""


@mistake(
    "the whole prompt or nothing is taken back",
    why="A token may begin with the last few bytes of a prompt: of all ends with which a token begins, take the longest.",
    pitfall="healing",
    change={"if found:": "kept, allowed = list(ids), []\nif found:"},
)
def heal_all_or_nothing():
    """At the beginning of the prompt, I know which tokens can replace its end."""


@mistake(
    "the tokens are drawn in the order of their weights",
    why="choices goes through the list: with the IDs in another order, the same random number draws another token.",
    pitfall="sampling",
    change={
        DRAW: "Random(seed).choices(sorted(allowed, key=lambda one: -self.probability(one, context)), sorted(weights)[::-1])"
    },
)
def heal_in_order_of_weights():
    """I sort the tokens by weight and draw among them."""


@mistake(
    "the prompt is lost if nothing is taken back",
    why="ids[:-0] is empty: count from the front, ids[: len(ids) - number].",
    pitfall="healing",
    has="X[:-Y]",
    change={
        "if not allowed:": "if not allowed:\n    kept, allowed = list(ids[:-0]), [*vocab]\nif not allowed:",
    },
)
def heal_negative_slice():
    """Without the last tokens, the prompt is ids[:-number]."""


@mistake(
    "the tokens are drawn in the order of their bytes",
    why="choices goes through the list: take the IDs in ascending order, as vocab has them.",
    pitfall="sampling",
    has="sorted(...) or X.sort(...)",
    change={"list(ids[:place]), found": "list(ids[:place]), sorted(found, key=vocab.get)"},
)
def heal_in_order_of_bytes():
    """I sort the tokens by their bytes, so that those with the same beginning stand together."""
