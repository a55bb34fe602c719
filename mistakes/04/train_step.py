"""Wrong solutions of BPETokenizer.train_step."""

from coach.diagnosis.bank import mistake
from g2c.tokenizer.base import BOUNDARY

BARRIERS = "self.special_token_ids | {BOUNDARY}"
BEST = "pair = max(counts, key=counts.get)"
MERGES = "self.merges[pair] = new_id"
JOINED = "self.vocab[pair[0]] + self.vocab[pair[1]]"
VOCAB = f"self.vocab[new_id] = {JOINED}"
RESULT = "return self._merge(ids, pair, new_id), pair, counts[pair]"


@mistake(
    "a merge across a pattern boundary",
    why="BOUNDARY separates two pieces of text, so it is a barrier too.",
    pitfall="barriers",
    change={BARRIERS: "self.special_token_ids"},
)
def step_boundary_is_no_barrier():
    """The barriers are the special tokens."""


@mistake(
    "BOUNDARY, -1, is a barrier only without special tokens",
    why="Both kinds of barrier always count: self.special_token_ids | {BOUNDARY}.",
    pitfall="barriers",
    change={BARRIERS: "self.special_token_ids or {BOUNDARY}"},
)
def step_one_kind_of_barrier():
    """The barriers are the special tokens; without any, there is still BOUNDARY."""


@mistake(
    "bytes where the pair's IDs belong",
    why="The key is the pair of IDs; the bytes go into vocab.",
    pitfall="byte-order",
    change={MERGES: "self.merges[self.vocab[pair[0]], self.vocab[pair[1]]] = new_id"},
)
def step_bytes_as_key():
    """Bytes are merged, so merges contains bytes."""


@mistake(
    "a pair is left out because its bytes are a token already",
    why="Only the count decides. Two pairs can make the same bytes, such as ab + c and a + bc.",
    pitfall="ties",
    change={
        "if not counts:": f"known = set(self.vocab.values())\ncounts = {{pair: n for pair, n in counts.items() if {JOINED} not in known}}\nif not counts:"
    },
)
def step_bytes_only_once():
    """There is a token with these bytes already, so the pair teaches nothing new."""


@mistake(
    "a count other than the pair's is returned",
    why="Return how often the pair occurred before merging: counts[pair].",
    pitfall="pair-count",
    change=[
        {RESULT: "ids = self._merge(ids, pair, new_id)\nreturn ids, pair, ids.count(new_id)"},
        {RESULT: "ids = self._merge(ids, pair, new_id)\nreturn ids, pair, self._get_pair_counts(ids).get(pair, 0)"},
        {RESULT: "return self._merge(ids, pair, new_id), pair, len(counts)"},
    ],
)
def step_counts_after_merging():
    """How often the pair was merged can be seen in the result."""


@mistake(
    "the merge is entered before the check whether there is a pair",
    why="Without a pair, None becomes a key of merges: return None first, then enter the merge.",
    pitfall="small-corpus",
)
def step_enters_before_the_check(self, ids, new_id):
    """I enter the best pair, and if there was none, I return None."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    pair = max(counts, key=counts.get, default=None)
    self.merges[pair] = new_id
    if pair is None:
        return None
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "the ID is off by the number of special tokens",
    why="The IDs of special tokens come first: use new_id as given instead of computing it from 256.",
    pitfall="id-offset",
    change={BEST: "new_id = 256 + len(self.merges)\npair = max(counts, key=counts.get)"},
)
def step_counts_from_256():
    """The first merge is 256, the next one 257, and so on."""


@mistake(
    "vocab is filled, merges is not",
    why="self.merges[pair] = new_id is missing: encode applies only the pairs in merges.",
    pitfall="replaced-dictionaries",
    change={MERGES: ""},
)
def step_forgets_merges():
    """vocab knows the new token, and the IDs are merged."""


@mistake(
    "merges is filled, vocab is not",
    why="self.vocab[new_id] = … is missing: the bytes that the new token stands for.",
    pitfall="replaced-dictionaries",
    change={VOCAB: ""},
)
def step_forgets_vocab():
    """The pair is entered in merges; its bytes can be worked out from there."""


@mistake(
    "IDs are treated as bytes",
    why="An ID above 255 is not a byte: look up both halves in vocab and join their bytes.",
    pitfall="byte-order",
    change={VOCAB: "self.vocab[new_id] = bytes(pair)"},
)
def step_ids_as_bytes():
    """bytes(pair) makes two numbers into two bytes."""


@mistake(
    "merges contains the bytes instead of the new ID",
    why="merges maps the pair to new_id; the bytes go into vocab.",
    pitfall="replaced-dictionaries",
    change={MERGES: "self.merges[pair] = self.vocab[pair[0]] + self.vocab[pair[1]]"},
)
def step_joined_bytes_in_merges():
    """Both dictionaries are about the same token."""


@mistake(
    "the pair is not the most frequent one",
    why="Take the pair whose count is the largest.",
    pitfall="pair-count",
    change={BEST: "pair = sorted(counts, key=counts.get)[0]"},
)
def step_least_frequent():
    """Sorted by count, I take the first."""


@mistake(
    "in a tie the pair with the most bytes wins",
    why="In a tie the pair seen first wins, whatever its bytes.",
    pitfall="ties",
    change={"key=counts.get": "key=lambda p: (counts[p], len(self.vocab[p[0]] + self.vocab[p[1]]))"},
)
def step_longest_of_equals():
    """Among equally frequent pairs, the one with the longer token saves more."""


@mistake(
    "the case of no pairs left is not handled",
    why="Without pairs there is no largest count: return None first.",
    pitfall="small-corpus",
    change={"if not counts:": "", "return None": ""},
)
def step_max_of_nothing():
    """The most frequent pair is the maximum, so I take it at once."""


@mistake(
    "the pair is not the most frequent one",
    why="max(counts) compares the pairs themselves: max(counts, key=counts.get) compares their counts.",
    pitfall="pair-count",
    has="nowhere: max(X, key=Y) or sorted(X, key=Y) or X.sort(key=Y)",
    change={BEST: "pair = max(counts)"},
)
def step_max_of_the_pairs():
    """max(counts) is the largest."""


@mistake(
    "merges contains the reverse entries too",
    why="Every key of merges is a pair; vocab says what an ID stands for.",
    pitfall="replaced-dictionaries",
    change={MERGES: "self.merges[pair] = new_id\nself.merges[new_id] = pair"},
)
def step_merges_both_ways():
    """With the new ID as a key too, I can look up what it was made of."""


@mistake(
    "keys and values of merges are swapped",
    why="The pair is the key, the new ID is the value.",
    pitfall="replaced-dictionaries",
    change={MERGES: "self.merges[new_id] = pair"},
)
def step_merges_other_way_round():
    """merges says which pair the new ID stands for."""


@mistake(
    "the pair that can be replaced most often is taken",
    why="The count decides: in [1, 1, 1, 1] the pair (1, 1) counts 3, although only two are replaced.",
    pitfall="overlap",
    change={BEST: "pair = max(counts, key=lambda p: len(ids) - len(self._merge(ids, p, new_id)))"},
)
def step_most_replacements():
    """The best pair is the one that makes the list shortest."""


@mistake(
    "training stops although a pair is left",
    why="A pair that was seen once is a pair too.",
    pitfall="small-corpus",
    change=[
        {MERGES: "if counts[pair] < 2:\n    return ids, None, 0\nself.merges[pair] = new_id"},
        {"if not counts:": "if not counts or max(counts.values()) < 2:"},
    ],
)
def step_needs_two():
    """Something that occurs once is not a pattern, and there is nothing to gain from merging it."""


@mistake(
    "merges contains the rank instead of the ID",
    why="Its values are token IDs: new_id. The order of the IDs is the order of learning.",
    pitfall="id-offset",
    change={MERGES: "self.merges[pair] = len(self.merges)"},
)
def step_rank_in_merges():
    """The first merge has the rank 0, the next one 1."""


@mistake(
    "an ID other than new_id is used",
    why="The caller chooses the ID: use new_id as given.",
    pitfall="id-offset",
    change={BEST: "new_id = max(self.vocab) + 1\npair = max(counts, key=counts.get)"},
)
def step_next_free_id():
    """The new ID is the next one that vocab does not have."""


@mistake(
    "a merge across a special token",
    why="The barriers are the IDs in self.special_token_ids, and BOUNDARY.",
    pitfall="barriers",
    change={", barrier_ids=self.special_token_ids | {BOUNDARY}": ""},
)
def step_no_barriers():
    """A special token has an ID like every other token, so it is counted like every other."""


@mistake(
    "a merge across a special token",
    why="Each barrier is a number: pass the IDs in self.special_token_ids, and BOUNDARY, in one collection.",
    pitfall="barriers",
    change=[{BARRIERS: "{*self.special_tokens, BOUNDARY}"}, {BARRIERS: "[self.special_token_ids, BOUNDARY]"}],
)
def step_barriers_are_no_numbers():
    """I pass the special tokens and BOUNDARY, all in one collection."""


@mistake(
    "one half's bytes are used twice",
    why="The token consists of both halves: vocab[pair[0]] + vocab[pair[1]].",
    pitfall="byte-order",
    change={VOCAB: "self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[0]]"},
)
def step_one_half_twice():
    """I copied the line above and forgot to change the index."""


@mistake(
    "something else where bytes belong",
    why="vocab contains the bytes that the token stands for: the bytes of both halves, joined.",
    pitfall="str-for-bytes",
    change=[{JOINED: "pair"}, {JOINED: "[self.vocab[pair[0]], self.vocab[pair[1]]]"}],
)
def step_pair_in_vocab():
    """vocab says what the new ID stands for: this pair."""


@mistake(
    "a dictionary is replaced instead of extended",
    why="Everything learned before must stay: assign self.merges[pair] and self.vocab[new_id] only.",
    pitfall="replaced-dictionaries",
    change=[{MERGES: "self.merges = {pair: new_id}"}, {VOCAB: f"self.vocab = {{new_id: {JOINED}}}"}],
)
def step_replaces_merges():
    """I learned one merge, so the dictionary holds this one."""


@mistake(
    "a result although no pair is left",
    why="Return None, and leave merges and vocab unchanged.",
    pitfall="small-corpus",
    change={"return None": "return ids, None, 0"},
)
def step_result_without_a_pair():
    """Without a pair the IDs stay as they are, and the count is 0."""


@mistake(
    "the results are in another order",
    why="The order is: the new IDs, the pair, its count.",
    pitfall="pair-count",
    change=[
        {RESULT: "return pair, counts[pair], self._merge(ids, pair, new_id)"},
        {RESULT: "return pair, self._merge(ids, pair, new_id), counts[pair]"},
    ],
)
def step_results_in_another_order():
    """I return everything that was asked for: the pair, its count, the IDs."""


@mistake(
    "the IDs are returned unmerged",
    why="After the pair is chosen, replace it in the IDs and return the shorter list.",
    pitfall="overlap",
    change={"return self._merge(ids, pair, new_id),": "self._merge(ids, pair, new_id)\nreturn ids,"},
)
def step_returns_old_ids():
    """_merge replaces the pair in the IDs; then I return them."""


@mistake(
    "only one of the three results is returned",
    why="Return all three: the new IDs, the pair, and its count.",
    pitfall="pair-count",
    change={RESULT: "return self._merge(ids, pair, new_id)"},
)
def step_returns_only_ids():
    """The new IDs are what the next step needs."""


@mistake(
    "more than one merge is learned",
    why="train_step learns one merge; train calls it again and again.",
    pitfall="merge-order",
    change={
        RESULT: "merged = self._merge(ids, pair, new_id)\nagain = self._get_pair_counts(merged, barrier_ids=self.special_token_ids | {BOUNDARY})\nif max(again.values(), default=0) > 1:\n    self.train_step(merged, new_id + 1)\nreturn merged, pair, counts[pair]"
    },
)
def step_second_merge():
    """After one merge I check whether another pair occurs more than once."""


@mistake(
    "str where bytes belong",
    why="A token may be half a character, which is not text: vocab contains bytes.",
    pitfall="str-for-bytes",
    change={VOCAB: 'self.vocab[new_id] = (self.vocab[pair[0]] + self.vocab[pair[1]]).decode(errors="replace")'},
)
def step_str_in_vocab():
    """Tokens are pieces of text, so I decode them."""


@mistake(
    "the bytes are joined in the wrong order",
    why="The bytes of the pair's first ID come first, then the second ID's.",
    pitfall="byte-order",
    change={VOCAB: "self.vocab[new_id] = self.vocab[pair[1]] + self.vocab[pair[0]]"},
)
def step_swaps_the_bytes():
    """The new token has the bytes of both halves."""


@mistake(
    "BOUNDARY is removed",
    why="It keeps two pieces apart, in the next step too: pass it as a barrier. train removes it at the end.",
    pitfall="barriers",
    change=[
        {"self._merge(ids, pair, new_id)": "[one for one in self._merge(ids, pair, new_id) if one != BOUNDARY]"},
        {"counts = self": "ids = [one for one in ids if one != BOUNDARY]\ncounts = self"},
    ],
)
def step_takes_boundary_out():
    """BOUNDARY is not a token, so I remove it."""


@mistake(
    "in a tie the highest pair wins",
    why="In a tie the pair seen first wins: compare only the counts, not the IDs or bytes as well.",
    pitfall="ties",
    change={BEST: "pair = max(((count, candidate) for candidate, count in counts.items()))[1]"},
)
def step_ties_highest():
    """In a tie I take the largest pair, so that the result does not depend on the text."""


@mistake(
    "in a tie the pair seen last wins",
    why="In a tie the pair seen first wins: max returns it, but a loop with >=, or sorted(...)[-1], takes the last.",
    pitfall="ties",
    change={"max(counts,": "max(reversed(counts),"},
)
def step_ties_last_seen():
    """Of the pairs with the highest count I take the last one that I come to."""


@mistake(
    "in a tie the pair with the lowest IDs wins",
    why="In a tie the pair seen first wins, whatever its IDs.",
    pitfall="ties",
    change={BEST: "pair = min(counts, key=lambda candidate: (-counts[candidate], candidate))"},
)
def step_ties_lowest():
    """In a tie I take the smallest pair, so that the result does not depend on the text."""


@mistake(
    "in a tie a pair other than the first wins",
    why="Among equally frequent pairs the one seen first wins.",
    pitfall="ties",
    change={
        BEST: "equal = [pair for pair in counts if counts[pair] == max(counts.values())]\npair = equal[len(equal) // 2]"
    },
)
def step_ties_middle():
    """Among the most frequent pairs I take any."""


@mistake(
    "the pair is stored in reverse order",
    why="The key is (left, right), in the order of the text.",
    pitfall="byte-order",
    change={MERGES: "self.merges[pair[::-1]] = new_id"},
)
def step_turned_key():
    """The new ID ends with the right half, so that one comes first."""


@mistake(
    "the bytes of two equal halves are stored once",
    why="The token of (l, l) stands for ll: join the bytes of both halves, even if they are equal.",
    pitfall="byte-order",
    change={JOINED: 'b"".join(self.vocab[half] for half in dict.fromkeys(pair))'},
)
def step_equal_halves_once():
    """dict.fromkeys keeps the order and leaves out what comes twice."""


@mistake(
    "the IDs of special tokens are taken to follow the bytes",
    why="They can be any IDs: self.special_token_ids has them all.",
    pitfall="barriers",
    has="self.base_vocab_size or range(...) or 256 or len(self.special_tokens) or len(self.special_token_ids)",
    change={"self.special_token_ids": "{*range(256, self.base_vocab_size)}"},
)
def step_special_tokens_from_256():
    """The special tokens are 256 and up."""


@mistake(
    "the bytes go through text",
    why="Half a character is not text, so decode replaces it: add the bytes of both halves in vocab.",
    pitfall="str-for-bytes",
    change={VOCAB: "self.vocab[new_id] = self.decode(pair).encode()"},
)
def step_decodes_and_encodes():
    """decode gives the text of the pair, and its bytes are that text encoded."""


@mistake(
    "the bytes of one half are missing",
    why="The token consists of both halves: vocab[pair[0]] + vocab[pair[1]].",
    pitfall="byte-order",
    change=[{JOINED: "self.vocab[pair[0]]"}, {JOINED: "self.vocab[pair[1]]"}],
)
def step_one_half_missing():
    """The bytes of the pair are in vocab already."""
