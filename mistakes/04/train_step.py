"""Wrong solutions of BPETokenizer.train_step."""

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


@mistake(
    "a merge across a pattern boundary",
    why="BOUNDARY separates two pieces of text, so it is a barrier too.",
    pitfall="barriers",
)
def step_boundary_is_no_barrier(self, ids, new_id):
    """The barriers are the special tokens."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids)
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "something else where bytes belong",
    why="vocab holds the bytes that the token stands for: those of both halves, joined.",
    pitfall="str-for-bytes",
)
def step_bytearray(self, ids, new_id):
    """A bytearray holds bytes as well."""
    step = AnswerKey.train_step(self, ids, new_id)
    if step:
        self.vocab[new_id] = bytearray(self.vocab[new_id])
    return step


@mistake(
    "bytes stand where the pair's IDs belong",
    why="The key is the pair of IDs; the bytes go into vocab.",
    pitfall="byte-order",
)
def step_bytes_as_key(self, ids, new_id):
    """What is merged are bytes, so merges holds bytes."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[self.vocab[pair[0]], self.vocab[pair[1]]] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "a pair is left out because its bytes are a token already",
    why="Only the count decides. Two pairs can make the same bytes, such as ab + c and a + bc.",
    pitfall="ties",
)
def step_bytes_only_once(self, ids, new_id):
    """There is a token with these bytes already, so the pair teaches nothing new."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    known = set(self.vocab.values())
    counts = {pair: n for pair, n in counts.items() if self.vocab[pair[0]] + self.vocab[pair[1]] not in known}
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "the list that was passed is changed",
    why="It belongs to the caller. Build a new list and return that.",
    pitfall="mutated-argument",
)
def step_changes_the_argument(self, ids, new_id):
    """The corpus is shorter after the merge, so I put the new IDs into the list."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    ids[:] = self._merge(ids, pair, new_id)
    return ids, pair, counts[pair]


@mistake("the count is not the pair's", why="It is how often the pair occurred before merging.", pitfall="pair-count")
def step_counts_after_merging(self, ids, new_id):
    """How often it was merged is how often the new ID is in the result."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    merged = self._merge(ids, pair, new_id)
    return merged, pair, merged.count(new_id)


@mistake("the count is not the pair's", why="It is how often the pair occurred before merging.", pitfall="pair-count")
def step_counts_again_afterwards(self, ids, new_id):
    """The count that I return is the one that is left."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    merged = self._merge(ids, pair, new_id)
    return merged, pair, self._get_pair_counts(merged).get(pair, 0)


@mistake(
    "the ID is off by the number of special tokens",
    why="The IDs of special tokens come first: use new_id as given instead of computing it from 256.",
    pitfall="id-offset",
)
def step_counts_from_256(self, ids, new_id):
    """The first merge is 256, the next one 257, and so on."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    new_id = 256 + len(self.merges)
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake("the merge is not stored", why="merges and vocab both get one new entry.", pitfall="replaced-dictionaries")
def step_forgets_merges(self, ids, new_id):
    """vocab knows the new token, and the IDs are merged."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake("the merge is not stored", why="merges and vocab both get one new entry.", pitfall="replaced-dictionaries")
def step_forgets_vocab(self, ids, new_id):
    """The pair is entered in merges; its bytes can be worked out from there."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "IDs are taken for bytes",
    why="An ID above 255 is not a byte: look up both halves in vocab and join their bytes.",
    pitfall="byte-order",
)
def step_ids_as_bytes(self, ids, new_id):
    """bytes(pair) makes two numbers into two bytes."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = bytes(pair)
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "merges holds the bytes instead of the new ID",
    why="merges maps the pair to new_id; the bytes go into vocab.",
    pitfall="replaced-dictionaries",
)
def step_joined_bytes_in_merges(self, ids, new_id):
    """Both dictionaries are about the same token."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake("the pair is not the most frequent one", why="Take the pair whose count is the largest.", pitfall="pair-count")
def step_least_frequent(self, ids, new_id):
    """Sorted by count, I take the first."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = sorted(counts, key=counts.get)[0]
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "in a tie the pair with the most bytes wins",
    why="In a tie the pair seen first wins, whatever its bytes.",
    pitfall="ties",
)
def step_longest_of_equals(self, ids, new_id):
    """Of equally frequent pairs the one with the longer token saves more."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=lambda pair: (counts[pair], sum(len(self.vocab[token_id]) for token_id in pair)))
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "the case of no pairs left is not handled",
    why="Without pairs there is no largest count: return None first.",
    pitfall="small-corpus",
)
def step_max_of_nothing(self, ids, new_id):
    """The most frequent pair is the maximum; I take it at once."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake("the pair is not the most frequent one", why="Take the pair whose count is the largest.", pitfall="pair-count")
def step_max_of_the_pairs(self, ids, new_id):
    """max(counts) is the largest."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "merges holds the reverse entries too",
    why="Every key of merges is a pair; what an ID stands for is in vocab.",
    pitfall="replaced-dictionaries",
)
def step_merges_both_ways(self, ids, new_id):
    """With the new ID as a key too, I can look up what it was made of."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.merges[new_id] = pair
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "merges is the wrong way round",
    why="The pair is the key, the new ID is the value.",
    pitfall="replaced-dictionaries",
)
def step_merges_other_way_round(self, ids, new_id):
    """merges tells for the new ID which pair it stands for."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[new_id] = pair
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "the pair that can be replaced most often is taken",
    why="The count decides: in [1, 1, 1, 1] the pair (1, 1) counts 3, although only two are replaced.",
    pitfall="overlap",
)
def step_most_replacements(self, ids, new_id):
    """The best pair is the one that makes the list shortest."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=lambda p: len(ids) - len(self._merge(ids, p, new_id)))
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "training stops although a pair is left", why="A pair that was seen once is a pair too.", pitfall="small-corpus"
)
def step_needs_two(self, ids, new_id):
    """Something that occurs once is not a pattern, and there is nothing to gain from merging it."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    if counts[pair] < 2:
        return ids, None, 0
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake("another ID than new_id is used", why="The caller chooses the ID: use new_id as given.", pitfall="id-offset")
def step_next_free_id(self, ids, new_id):
    """The new ID is the next one that vocab does not have."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    new_id = max(self.vocab) + 1
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "a merge across a special token",
    why="Count with the special tokens' IDs as barriers: self.special_token_ids.",
    pitfall="barriers",
)
def step_no_barriers(self, ids, new_id):
    """_get_pair_counts has its barriers as an option; the plain call counts the pairs."""
    counts = self._get_pair_counts(ids)
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake("the count is not the pair's", why="It is how often the pair occurred before merging.", pitfall="pair-count")
def step_number_of_pairs(self, ids, new_id):
    """The count says how many pairs there were."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, len(counts)


@mistake(
    "one half's bytes are used twice",
    why="The token consists of both halves: vocab[pair[0]] + vocab[pair[1]].",
    pitfall="byte-order",
)
def step_one_half_twice(self, ids, new_id):
    """Copied from the line above, and forgot to change the index."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[0]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "the pair comes before the IDs",
    why="Return the new IDs, the pair and its count, in this order.",
    pitfall="pair-count",
)
def step_pair_first(self, ids, new_id):
    """The pair is what a step learns, so it comes first."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    best = max(counts, key=counts.get)
    self.merges[best] = new_id
    self.vocab[new_id] = self.vocab[best[0]] + self.vocab[best[1]]
    return best, self._merge(ids, best, new_id), counts[best]


@mistake(
    "something else where bytes belong",
    why="vocab holds the bytes that the token stands for: those of both halves, joined.",
    pitfall="str-for-bytes",
)
def step_pair_in_vocab(self, ids, new_id):
    """vocab says what the new ID stands for: this pair."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = pair
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "a dictionary is replaced instead of extended",
    why="What was learned before must stay: assign self.merges[pair] and self.vocab[new_id] only.",
    pitfall="replaced-dictionaries",
)
def step_replaces_merges(self, ids, new_id):
    """I learned one merge, so merges holds this pair."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges = {pair: new_id}
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "a dictionary is replaced instead of extended",
    why="What was learned before must stay: assign self.merges[pair] and self.vocab[new_id] only.",
    pitfall="replaced-dictionaries",
)
def step_replaces_vocab(self, ids, new_id):
    """I learned one token, so vocab holds its bytes."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab = {new_id: self.vocab[pair[0]] + self.vocab[pair[1]]}
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "a result although no pair is left",
    why="Return None, and leave merges and vocab unchanged.",
    pitfall="small-corpus",
)
def step_result_without_a_pair(self, ids, new_id):
    """Without a pair the IDs stay as they are, and the count is 0."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return ids, None, 0
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "the results are in another order", why="The order is: the new IDs, the pair, its count.", pitfall="pair-count"
)
def step_results_in_another_order(self, ids, new_id):
    """I return everything that was asked for: the pair, its count, the IDs."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return pair, counts[pair], self._merge(ids, pair, new_id)


@mistake(
    "the IDs come back unmerged",
    why="After the pair is chosen, replace it in the IDs and return the shorter list.",
    pitfall="overlap",
)
def step_returns_old_ids(self, ids, new_id):
    """_merge replaces the pair in the IDs; then I return them."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    self._merge(ids, pair, new_id)
    return ids, pair, counts[pair]


@mistake(
    "only one of the three results is returned",
    why="Return all three: the new IDs, the pair, and its count.",
    pitfall="pair-count",
)
def step_returns_only_ids(self, ids, new_id):
    """The new IDs are what the next step needs."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id)


@mistake(
    "more than one merge is learned",
    why="train_step learns one merge; train calls it again and again.",
    pitfall="merge-order",
)
def step_second_merge(self, ids, new_id):
    """After one merge I check whether another pair occurs more than once."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    merged = self._merge(ids, pair, new_id)
    again = self._get_pair_counts(merged, barrier_ids=self.special_token_ids | {BOUNDARY})
    if again and max(again.values()) > 1:
        self.train_step(merged, new_id + 1)
    return merged, pair, counts[pair]


@mistake(
    "something from an earlier call is still there",
    why="Store nothing on the class or in a global variable: self.merges belongs to one tokenizer.",
    pitfall="replaced-dictionaries",
)
def step_shares_merges(self, ids, new_id):
    """I keep the merges on the class, where every method finds them."""
    step = AnswerKey.train_step(self, ids, new_id)
    type(self).all_merges = getattr(type(self), "all_merges", {})
    if step:
        type(self).all_merges[step[1]] = new_id
        self.merges = type(self).all_merges
    return step


@mistake(
    "a merge across a special token",
    why="Count with the special tokens' IDs as barriers: self.special_token_ids.",
    pitfall="barriers",
)
def step_special_tokens_are_no_barrier(self, ids, new_id):
    """The barrier is BOUNDARY."""
    counts = self._get_pair_counts(ids, barrier_ids={BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "training stops although a pair is left", why="A pair that was seen once is a pair too.", pitfall="small-corpus"
)
def step_stops_at_one(self, ids, new_id):
    """A pair that is seen only once is not frequent, so there is nothing to learn."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts or max(counts.values()) < 2:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "str where bytes belong",
    why="A token may be half a character, which a str cannot hold: vocab holds bytes.",
    pitfall="str-for-bytes",
)
def step_str_in_vocab(self, ids, new_id):
    """Tokens are pieces of text, so I decode them."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = (self.vocab[pair[0]] + self.vocab[pair[1]]).decode(errors="replace")
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "the bytes are joined in the wrong order",
    why="The bytes of the pair's first ID come first, then those of its second.",
    pitfall="byte-order",
)
def step_swaps_the_bytes(self, ids, new_id):
    """The new token's bytes are those of both halves."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[1]] + self.vocab[pair[0]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "BOUNDARY is taken out",
    why="BOUNDARY has to stay for the next step; train removes it at the end.",
    pitfall="barriers",
)
def step_takes_boundary_out(self, ids, new_id):
    """BOUNDARY is not a token, so I remove it."""
    step = AnswerKey.train_step(self, ids, new_id)
    if step:
        return [i for i in step[0] if i != BOUNDARY], step[1], step[2]


@mistake(
    "in a tie the pair with the highest IDs wins",
    why="In a tie the pair seen first wins: compare only the counts, not (count, pair).",
    pitfall="ties",
)
def step_ties_highest(self, ids, new_id):
    """The maximum over (count, pair) gives me both at once."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max((count, candidate) for candidate, count in counts.items())[1]
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "in a tie the pair seen last wins",
    why="In a tie the pair seen first wins: compare with > instead of >=.",
    pitfall="ties",
)
def step_ties_last_seen(self, ids, new_id):
    """I keep the best pair so far and take a new one when its count is as good or better."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = None
    for candidate in counts:
        if pair is None or counts[candidate] >= counts[pair]:
            pair = candidate
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "in a tie the pair with the lowest IDs wins",
    why="In a tie the pair seen first wins, whatever its IDs.",
    pitfall="ties",
)
def step_ties_lowest(self, ids, new_id):
    """In a tie I take the smallest pair, so that the result does not depend on the text."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = min(counts, key=lambda candidate: (-counts[candidate], candidate))
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake("a tie is decided in another way", why="Among equally frequent pairs the one seen first wins.", pitfall="ties")
def step_ties_middle(self, ids, new_id):
    """Among the most frequent pairs I take any."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    best = max(counts.values())
    equal = [pair for pair in counts if counts[pair] == best]
    pair = equal[len(equal) // 2]
    self.merges[pair] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, best


@mistake(
    "the pair is entered the other way round",
    why="The key is (left, right), as the two stand in the text.",
    pitfall="byte-order",
)
def step_turned_key(self, ids, new_id):
    """The new ID ends with the right half, so that one comes first."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair[::-1]] = new_id
    self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
    return self._merge(ids, pair, new_id), pair, counts[pair]


@mistake(
    "something else where bytes belong",
    why="vocab holds the bytes that the token stands for: those of both halves, joined.",
    pitfall="str-for-bytes",
)
def step_vocab_from_ids(self, ids, new_id):
    """The token is its two IDs."""
    counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
    if not counts:
        return None
    pair = max(counts, key=counts.get)
    self.merges[pair] = new_id
    self.vocab[new_id] = [self.vocab[pair[0]], self.vocab[pair[1]]]
    return self._merge(ids, pair, new_id), pair, counts[pair]
