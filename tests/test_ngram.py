"""Tests of module 05, an n-gram language model. Work through them from top to bottom:

    1. TestGiven                passes already: the parts that are given
    2. TestCount                write count
    3. TestCountContinuations   write count_continuations
    4. TestProbability          write probability
    5. TestBitsPerByte          write bits_per_byte
    6. TestSample               write sample
    7. TestHeal                 write heal
    8. TestTogether             needs all six

One group at a time, stopping at the first failure:

    pytest tests/test_ngram.py -x -k TestCount
"""

from collections import Counter
from math import inf, log2
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, examples
from coach.testing.again import independent_calls
from g2c.language_model import NGramModel
from g2c.tokenizer import BPETokenizer

pytestmark = pytest.mark.student("05")

CORPUS = [0, 1, 0, 2, 0, 1, 2, 2, 1, 0, 0, 1]
corpora = st.lists(st.integers(0, 4), max_size=30)


def with_counts(n, counts, vocab_size=4, discount=0.5, **options) -> NGramModel:
    """A model that knows these counts, entered by hand: what tests of `probability` need, without `count`."""
    model = NGramModel(n, vocab_size, discount=discount, **options)
    model.counts = counts
    model.totals = {context: sum(following.values()) for context, following in counts.items()}
    return model


def uniform(vocab_size=4, n=1) -> NGramModel:
    """A model that knows nothing: every token has the same probability."""
    return with_counts(n, {}, vocab_size)


def two_kinds(discount=0.5, **options) -> NGramModel:
    """After 1 comes 2 or 3, after 2 always 3, after 3 always 1."""
    counts = {(): {1: 2, 2: 1, 3: 1}, (1,): {2: 5, 3: 1}, (2,): {3: 2}, (3,): {1: 1}}
    return with_counts(2, counts, discount=discount, **options)


def after_nothing(*counts, **options) -> NGramModel:
    """Token 0 occurred counts[0] times, and so on. Without a discount these are the probabilities."""
    seen = {token_id: count for token_id, count in enumerate(counts) if count}
    return with_counts(1, {(): seen}, len(counts), discount=0, **options)


def short_documents(at_the_start) -> NGramModel:
    """3 ends each document. The counts at the start, after (3, 3), are not those after (3,) alone."""
    counts = {(): {1: 1, 2: 1, 3: 2}, (3,): {1: 1, 2: 3}, (1,): {3: 1}, (3, 3): at_the_start, (3, 1): {3: 1}}
    return with_counts(3, counts, end_id=3, discount=0)


HTTP = dict(enumerate([b"h", b"t", b"p", b":", b"/", b"http", b"://", b":s", b" ", b":8", b"https", b"s:"]))
"""The vocabulary of prompts to heal. Other IDs are special tokens."""


def links(**options) -> NGramModel:
    """After http almost always comes ://, after a colon :s, after nothing :8; after a blank comes any of them."""
    counts = {(): {9: 200, 10: 90}, (5,): {6: 900, 11: 800}, (3,): {7: 900}, (12,): {9: 900}, (0,): {10: 900}}
    return with_counts(2, {**counts, (1,): {10: 900}, (8,): {3: 4, 6: 9, 7: 6, 9: 1, 5: 900}}, 13, end_id=12, **options)


def plain_probability(ids, n, vocab_size, end_id, discount, token_id, context) -> float:
    """Compute interpolated Kneser-Ney by the formula, from lists of n-grams: slow, but certainly right."""
    grams, recent = [], [end_id] * (n - 1)
    for one in ids:
        grams.append((*recent, one))
        recent = [end_id] * (n - 1) if one == end_id else [*recent, one][1:]

    def share(length, context):
        if length < 0:
            return 1 / vocab_size
        known = context[len(context) - length :]
        # For the whole context, each occurrence counts; for a shorter one, each different n-gram that ends in it.
        ends = [gram[-length - 1 :] for gram in grams]
        if length < n - 1:
            ends = [gram[1:] for gram in {gram[-length - 2 :] for gram in grams}]
        following = Counter(gram[-1] for gram in ends if gram[:-1] == known)
        total = sum(following.values())
        if total == 0:
            return share(length - 1, context)
        taken = discount * len(following) / total
        return max(following[token_id] - discount, 0) / total + taken * share(length - 1, context)

    return share(n - 1, context)


class TestGiven:
    """The given part. These tests pass before anything is written."""

    @pytest.mark.parametrize(("n", "start"), [(1, ()), (2, (7,)), (4, (7, 7, 7))], ids=str)
    def test_the_context_of_a_first_token_consists_of_end_tokens(self, n, start):
        assert NGramModel(n, 8, end_id=7).start == start
        assert NGramModel(n, 8, end_id=7).context_of([]) == start

    def test_a_context_never_reaches_over_the_end_of_a_document(self):
        model = NGramModel(3, 10, end_id=9)
        assert [model.context_of([1, 2, 9, 3, 4][:length]) for length in range(6)] == [
            *((9, 9), (9, 1), (1, 2)),
            *((9, 9), (9, 3), (3, 4)),
        ]

    def test_a_model_for_a_tokenizer_knows_its_end_token(self):
        model = NGramModel.for_tokenizer(BPETokenizer.with_course_special_tokens(), 2)
        assert (model.vocab_size, model.end_id, model.start) == (264, 256, (256,))
        assert NGramModel.for_tokenizer(BPETokenizer(), 2).end_id == -1

    def test_a_model_for_a_published_tokenizer_covers_its_highest_id(self):
        assert NGramModel.for_tokenizer(BPETokenizer({"<|endoftext|>": 999}), 2).vocab_size == 1000

    @pytest.mark.parametrize(
        ("n", "vocab_size", "discount", "named"), [(0, 4, 0.5, "n"), (2, 0, 0.5, "vocab"), (2, 4, 1.5, "disc")], ids=str
    )
    def test_what_is_out_of_range_is_refused(self, n, vocab_size, discount, named):
        with pytest.raises(ValueError, match=named):
            NGramModel(n, vocab_size, discount=discount)


class TestCount:
    """`count`: contexts, and what follows them."""

    @pytest.mark.core
    def test_pairs(self):
        check(
            call(NGramModel(2, 9).count, [1, 2, 1, 2, 3]),
            {(-1,): {1: 1}, (1,): {2: 2}, (2,): {1: 1, 3: 1}},
            idea="1 was followed by 2, twice; the first token follows the start.",
            pitfall="context",
        )

    @pytest.mark.core
    def test_triples(self):
        check(
            call(NGramModel(3, 9).count, [1, 2, 3, 1, 2]),
            {(-1, -1): {1: 1}, (-1, 1): {2: 1}, (1, 2): {3: 1}, (2, 3): {1: 1}, (3, 1): {2: 1}},
            idea="The context of a token is the two tokens before it, and not the token itself.",
            pitfall="context",
        )

    def test_single_tokens(self):
        check(
            call(NGramModel(1, 9).count, [5, 5, 6]),
            {(): {5: 2, 6: 1}},
            idea="For n = 1 the context is empty, and stays empty.",
            pitfall="empty-context",
        )

    @pytest.mark.core
    def test_no_context_reaches_over_the_end_of_a_document(self):
        check(
            call(NGramModel(4, 10, end_id=9).count, [1, 2, 9, 1, 9, 1, 3]),
            {(9, 9, 9): {1: 3}, (9, 9, 1): {2: 1, 9: 1, 3: 1}, (9, 1, 2): {9: 1}},
            idea="All three documents begin with 1 in the context of the start; none knows anything of another.",
            pitfall="documents",
        )
        check(
            call(NGramModel(3, 5001, end_id=5000).count, [1, int("5000"), 1]),
            {(5000, 5000): {1: 2}, (5000, 1): {5000: 1}},
            idea="Equal IDs above 256 can be two different objects in memory.",
            pitfall="documents",
        )
        check(
            call(NGramModel(3, 9, end_id=0).count, [5, 0, 1]),
            {(0, 0): {5: 1, 1: 1}, (0, 5): {0: 1}},
            idea="0 is an ID like any other, and ends a document here.",
            pitfall="documents",
        )

    def test_nothing_is_counted_in_an_empty_corpus(self):
        check(call(NGramModel(2, 9).count, []), {}, idea="No token, no count.", pitfall="context")

    def test_a_long_corpus(self):
        check(
            call(NGramModel(2, 3).count, [0, 1, 2] * 60_000).seen_as(lambda counts: counts[0,], "counts[(0,)]"),
            {1: 60_000},
            idea="One pass over the corpus: each token is looked at once.",
            pitfall="slow",
        )

    @examples
    @given(ids=corpora, n=st.integers(1, 4))
    def test_every_token_is_counted_once_after_its_context(self, ids, n):
        model = NGramModel(n, 5, end_id=4)
        expected = {}
        for position, token_id in enumerate(ids):
            following = expected.setdefault(model.context_of(ids[:position]), {})
            following.setdefault(token_id, 0)
            following[token_id] += 1
        check(call(model.count, ids), expected, idea="Each token has one context.", pitfall="documents")

    def test_calls_are_independent(self):
        with independent_calls("count", with_counts(2, {(): {1: 1}}), with_counts(2, {(): {1: 1}}, end_id=2)) as count:
            count([1, 2, 1], gives={(-1,): {1: 1}, (1,): {2: 1}, (2,): {1: 1}}, then={(2,): {1: 2}, (1,): {2: 1}})
            count([1, 1, 2], gives={(-1,): {1: 1}, (1,): {1: 1, 2: 1}}, then={(2,): {1: 1}, (1,): {1: 1, 2: 1}})


class TestCountContinuations:
    """`count_continuations`: how many different tokens came before."""

    @pytest.mark.core
    def test_different_tokens_count_and_not_occurrences(self):
        check(
            call(NGramModel(3, 9).count_continuations, {(1,): {5: 1}, (2,): {5: 1, 6: 40}, (3,): {5: 1}}),
            {(): {5: 3, 6: 1}},
            idea="5 came after 1, 2 and 3; 6 came only after 2, no matter how often.",
            pitfall="continuations",
        )

    @pytest.mark.core
    def test_the_first_token_of_a_context_is_dropped(self):
        check(
            call(NGramModel(3, 9).count_continuations, {(1, 2): {3: 7}, (2, 1): {3: 1}, (5, 2): {3: 2, 4: 1}}),
            {(2,): {3: 2, 4: 1}, (1,): {3: 1}},
            idea="(1, 2) and (5, 2) both end in (2,): the tokens next to the predicted one stay.",
            pitfall="continuations",
        )

    def test_the_start_of_a_document_is_a_context_like_any_other(self):
        check(
            call(NGramModel(3, 10, end_id=9).count_continuations, {(9, 9): {1: 2}, (9, 1): {2: 1}, (1, 2): {9: 1}}),
            {(9,): {1: 1}, (1,): {2: 1}, (2,): {9: 1}},
            idea="1 was seen at the start of a document: that is one context, (9, 9), and it ends in (9,).",
            pitfall="continuations",
        )

    def test_longer_contexts(self):
        check(
            call(NGramModel(4, 9).count_continuations, {(0, 1, 2): {3: 1}, (4, 1, 2): {3: 1}}),
            {(1, 2): {3: 2}},
            idea="Drop exactly one token.",
            pitfall="continuations",
        )

    def test_no_counts(self):
        check(call(NGramModel(2, 9).count_continuations, {}), {}, idea="Nothing was seen.", pitfall="continuations")

    def test_many_contexts(self):
        counts = {(first, second): {0: 1} for first in range(3) for second in range(10_000)}
        check(
            call(NGramModel(3, 10_000).count_continuations, counts).seen_as(lambda counts: counts[7,], "counts[(7,)]"),
            {0: 3},
            idea="One pass over the counts: each context is looked at once.",
            pitfall="slow",
        )

    @examples
    @given(ids=corpora, n=st.integers(2, 4))
    def test_of_any_corpus(self, ids, n):
        counts = {}
        for gram in zip(*(ids[place:] for place in range(n))):
            counts.setdefault(gram[:-1], {})[gram[-1]] = 3
        expected = {}
        for context, following in counts.items():
            for token_id in following:
                shorter = expected.setdefault(context[1:], {})
                shorter[token_id] = len(
                    [other for other in counts if other[1:] == context[1:] and token_id in counts[other]]
                )
        check(
            call(NGramModel(n, 5).count_continuations, counts),
            expected,
            idea="Count the different tokens that came before the shorter context and this token.",
            pitfall="continuations",
        )

    def test_calls_are_independent(self):
        with independent_calls("count_continuations", two_kinds()) as shorter:
            shorter({(1,): {5: 1}, (2,): {5: 1, 6: 40}}, gives={(): {5: 2, 6: 1}})
            shorter({(1,): {5: 1}, (2,): {6: 1, 7: 3}}, gives={(): {5: 1, 6: 1, 7: 1}})


class TestProbability:
    """`probability`: counts, and what the shorter contexts add."""

    @pytest.mark.core
    def test_after_a_context(self):
        shorter = (1 - 0.5) / 4 + 0.5 * 3 / 4 * 0.1
        check(
            call(two_kinds(vocab_size=10).probability, 2, (1,)),
            (5 - 0.5) / 6 + 0.5 * 2 / 6 * shorter,
            idea="2 followed 1 five times out of six; two different tokens followed, so 0.5 was subtracted twice.",
            pitfall="interpolation",
        )

    @pytest.mark.core
    def test_a_token_that_never_followed(self):
        shorter = (2 - 0.5) / 4 + 0.5 * 3 / 4 * 0.25
        check(
            call(two_kinds().probability, 1, (1,)),
            0.5 * 2 / 6 * shorter,
            idea="Its own share is 0, not negative; the shorter context gives it a share.",
            pitfall="discount",
        )

    def test_three_contexts(self):
        counts = {(): {0: 2, 1: 2}, (1,): {0: 1, 1: 1}, (2, 1): {0: 3}}
        first = (2 - 0.5) / 4 + 0.5 * 2 / 4 * 0.25
        second = (1 - 0.5) / 2 + 0.5 * 2 / 2 * first
        check(
            call(with_counts(3, counts).probability, 0, (2, 1)),
            (3 - 0.5) / 3 + 0.5 * 1 / 3 * second,
            idea="Go from the empty context to the longest; each step uses the previous result.",
            pitfall="interpolation",
        )
        check(
            call(with_counts(3, counts).probability, 0, (1, 1)),
            second,
            idea="(1, 1) was never seen, so (1,) is the longest context that counts.",
            pitfall="interpolation",
        )

    @pytest.mark.core
    def test_after_nothing(self):
        check(
            call(two_kinds().probability, 1, (0,)),
            (2 - 0.5) / 4 + 0.5 * 3 / 4 * 0.25,
            idea="Nothing was seen after 0, so the empty context decides: 1 occurred 2 times out of 4.",
            pitfall="interpolation",
        )

    def test_without_counts_all_tokens_are_equal(self):
        check(call(uniform(8).probability, 3, ()), 0.125, idea="1 / vocab_size.", pitfall="uniform")

    @examples
    @given(ids=corpora, n=st.integers(1, 4), discount=st.sampled_from([0.25, 0.5, 0.75, 1]), data=st.data())
    def test_the_plain_formula(self, ids, n, discount, data):
        context = tuple(data.draw(st.lists(st.integers(0, 4), min_size=n - 1, max_size=n - 1)))
        token_id = data.draw(st.integers(0, 4))
        model = NGramModel(n, 5, end_id=4, discount=discount)
        model.train(ids)
        check(
            call(model.probability, token_id, context),
            plain_probability(ids, n, 5, 4, discount, token_id, context),
            idea="The same from lists of n-grams, as the formula has it.",
            pitfall="interpolation",
        )

    def test_calls_are_independent(self):
        with independent_calls("probability", after_nothing(1, 2, 5), after_nothing(1, 2, 1)) as probability:
            probability(0, (), gives=1 / 8, then=1 / 4)
            probability(2, (), gives=5 / 8, then=1 / 4)
        deep = with_counts(4, {(): {1: 1}, (1,): {1: 1}, (1, 1): {1: 1}, (1, 1, 1): {3: 1}}, discount=0)
        with independent_calls("probability", deep) as probability:
            probability(3, (1, 1, 1), gives=1.0)
            probability(3, (2, 1, 1), gives=0.0)


class TestBitsPerByte:
    """`bits_per_byte`: how well a text is predicted."""

    @pytest.mark.core
    def test_bits_are_logarithms(self):
        check(
            call(uniform(16).bits_per_byte, [3, 1, 2], 3),
            4.0,
            idea="1/16 costs 4 bits, for each of three tokens: 12 bits for three bytes.",
            pitfall="logarithms",
        )

    @pytest.mark.core
    def test_bytes_divide_and_not_tokens(self):
        check(
            call(uniform(4).bits_per_byte, [3, 1, 2], 12),
            0.5,
            idea="Three tokens of 2 bits each: 6 bits for 12 bytes.",
            pitfall="bytes",
        )

    def test_tokens_of_different_probability(self):
        check(
            call(after_nothing(8, 4, 2, 2).bits_per_byte, [0, 1, 2, 0], 7),
            (1 + 2 + 3 + 1) / 7,
            idea="1/2 costs 1 bit, 1/4 costs 2, 1/8 costs 3.",
            pitfall="logarithms",
        )

    def test_each_token_after_its_context(self):
        model = two_kinds()
        ids = [1, 2, 3, 1, 3, 1]
        bits = [-log2(model.probability(token_id, model.context_of(ids[:i]))) for i, token_id in enumerate(ids)]
        check(
            call(model.bits_per_byte, ids, 6),
            sum(bits) / 6,
            idea="token_probabilities has moved the context along; only the logarithms are left.",
            pitfall="logarithms",
        )

    def test_a_new_document_begins_without_a_context(self):
        check(
            call(short_documents({1: 3, 2: 1}).bits_per_byte, [1, 3, 1], 4),
            2 * -log2(3 / 4) / 4,
            idea="3 ends a document, so the second 1 costs as much as the first; token_probabilities knows that.",
            pitfall="documents",
        )

    @pytest.mark.core
    def test_an_impossible_text(self):
        check(
            call(after_nothing(1, 1, 0).bits_per_byte, [0, 2, 1], 3),
            inf,
            idea="Without a discount, a token that was never seen has the probability 0, which has no logarithm.",
            pitfall="zero",
        )

    def test_an_improbable_text(self):
        model = with_counts(1, {(): {0: 2**40}}, 2, discount=2**-20)
        check(
            call(model.bits_per_byte, [1], 1),
            61.0,
            idea="A probability of 2 ** -61 is small, but not 0.",
            pitfall="zero",
        )

    def test_no_token(self):
        check(call(uniform().bits_per_byte, [], 1), 0.0, idea="Nothing costs nothing.", pitfall="logarithms")

    def test_a_long_text(self):
        check(
            call(uniform(16).bits_per_byte, [5] * 2000, 4000),
            2.0,
            idea="Add up logarithms: the product of so many probabilities is 0 as a float.",
            pitfall="logarithms",
        )
        check(
            call(after_nothing(2**50 - 1, 1).bits_per_byte, [1] * 30, 1500),
            1.0,
            idea="Even the product of 30 small probabilities is 0 as a float.",
            pitfall="logarithms",
        )

    def test_calls_are_independent(self):
        with independent_calls("bits_per_byte", after_nothing(1, 1, 2), after_nothing(2, 1, 1)) as bits:
            bits([1, 0], 2, gives=2.0, then=1.5)
            bits([2, 2], 2, gives=1.0, then=2.0)


class TestSample:
    """`sample`: drawing token after token."""

    @staticmethod
    def drawn(ids, length, seed, probabilities, temperature=1.0):
        """Draw the right tokens if every context has these probabilities."""
        rng, weights = Random(seed), [(one / max(probabilities)) ** (1 / temperature) for one in probabilities]
        return [rng.choices(range(len(weights)), weights)[0] for _ in range(length)]

    @pytest.mark.core
    @pytest.mark.parametrize("seed", [1, 2])
    def test_tokens_are_drawn_with_their_probabilities(self, seed):
        expected = self.drawn([], 8, seed, [0.125, 0.25, 0.125, 0.5])
        again = call(after_nothing(1, 2, 1, 4).sample, [], 8, seed).value
        check(
            call(after_nothing(1, 2, 1, 4).sample, [], 8, seed),
            again if isinstance(again, list) else expected,
            idea="The same seed gives the same tokens: rng = Random(seed).",
            pitfall="sampling",
        )
        check(
            call(after_nothing(1, 2, 1, 4).sample, [], 8, seed),
            expected,
            idea="Draw each token with rng.choices, in the order of the IDs, from one generator.",
            pitfall="sampling",
        )

    @pytest.mark.core
    def test_each_token_depends_on_the_ones_before_it(self):
        model = with_counts(2, {(): {0: 1, 1: 1, 2: 1}, (0,): {1: 5}, (1,): {2: 5}, (2,): {0: 5}}, 3, discount=0)
        check(
            call(model.sample, [2, 1], 4, 0),
            [2, 0, 1, 2],
            idea="After 1 always comes 2, then 0, then 1: a new token belongs to the context of the next.",
            pitfall="growing-context",
        )

    def test_the_new_tokens_alone_are_returned(self):
        outcome = call(with_counts(2, {(): {0: 1}, (0,): {0: 1}}, 1).sample, [0, 0], 1, 0)
        check(outcome, [0], idea="The given text is not part of the result.", pitfall="growing-context")
        check(outcome.argument(0), [0, 0], idea="The list belongs to the caller.", pitfall="mutated-argument")
        check(
            call(with_counts(2, {(): {0: 1}, (0,): {0: 1}}, 1).sample, (0, 0), 2, 0),
            [0, 0],
            idea="The given IDs may be any sequence, such as a tuple; the new ones are a list.",
            pitfall="growing-context",
        )

    def test_a_new_document_begins_without_a_context(self):
        check(
            call(short_documents({1: 1}).sample, [1, 3], 3, 0),
            [1, 3, 1],
            idea="3 ends a document, so 1 comes next, as at the start; context_of knows that.",
            pitfall="documents",
        )

    def test_a_text_may_begin_empty(self):
        model = with_counts(3, {(): {1: 1}, (-1,): {1: 1}, (-1, -1): {1: 1}}, 2, discount=0)
        check(call(model.sample, [], 1, 0), [1], idea="context_of([]) is the start.", pitfall="growing-context")

    def test_no_token(self):
        check(call(uniform().sample, [1], 0, 0), [], idea="length is 0.", pitfall="sampling")

    @pytest.mark.core
    @pytest.mark.parametrize("temperature", [0.5, 2.0])
    def test_a_temperature_is_an_exponent(self, temperature):
        expected = self.drawn([], 12, 3, [0.5, 0.25, 0.125, 0.125], temperature)
        check(
            call(after_nothing(4, 2, 1, 1).sample, [], 12, 3, temperature=temperature),
            expected,
            idea="p ** (1 / temperature): 0.5 squares the probabilities, 2 takes their roots.",
            pitfall="temperature",
        )

    def test_a_very_low_temperature_takes_the_most_probable_token(self):
        check(
            call(after_nothing(3, 5, 2).sample, [], 5, 0, temperature=0.0001),
            [1] * 5,
            idea="0.5 ** 10000 is 0 as a float. Divide by the highest first; its weight is then 1 at any temperature.",
            pitfall="temperature",
        )
        check(
            call(uniform(4).sample, [], 8, 1, temperature=0.0001),
            self.drawn([], 8, 1, [1, 1, 1, 1]),
            idea="If all tokens are equally probable, they stay so at any temperature.",
            pitfall="temperature",
        )

    @pytest.mark.core
    def test_only_the_most_probable_tokens_are_drawn(self):
        rng = Random(5)
        expected = [rng.choices(range(4), [0, 2, 0, 6])[0] for _ in range(10)]
        check(
            call(after_nothing(1, 2, 1, 6).sample, [], 10, 5, top_k=2),
            expected,
            idea="1 and 3 are the two most probable; the weights of 0 and 2 become 0.",
            pitfall="top-k",
        )

    def test_temperature_and_top_k_work_together(self):
        rng = Random(3)
        expected = [rng.choices(range(4), [0, 0.25, 0, 1])[0] for _ in range(12)]
        check(
            call(after_nothing(1, 2, 1, 4).sample, [], 12, 3, temperature=0.5, top_k=2),
            expected,
            idea="The squares of 1 and 1/2 are the weights that stay.",
            pitfall="top-k",
        )

    def test_of_equal_tokens_the_lowest_ids_stay(self):
        check(
            call(after_nothing(1, 1, 1, 1).sample, [], 6, 0, top_k=2),
            self.drawn([], 6, 0, [0.5, 0.5, 0, 0]),
            idea="Exactly top_k tokens stay, even if others are just as probable: here 0 and 1.",
            pitfall="top-k",
        )

    def test_more_than_there_are(self):
        check(
            call(after_nothing(3, 1).sample, [], 6, 4, top_k=99),
            self.drawn([], 6, 4, [0.75, 0.25]),
            idea="top_k may be larger than the vocabulary.",
            pitfall="top-k",
        )

    @pytest.mark.core
    def test_the_most_probable_tokens_are_drawn_until_their_sum_reaches_top_p(self):
        check(
            call(after_nothing(3, 0, 5, 1, 4, 3).sample, [], 16, 5, top_p=0.79),
            self.drawn([], 16, 5, [3, 0, 5, 0, 4, 3]),
            idea="2, 4 and 0 have 12 of 16 counts, 0.75; with 5, it is 0.94, at least 0.79. The others become 0.",
            pitfall="top-p",
        )
        check(
            call(after_nothing(1, 2, 1, 4, 0, 0).sample, [], 16, 5, top_p=0.75),
            self.drawn([], 16, 5, [0, 2, 0, 4, 0, 0]),
            idea="3 and 1 have 6 of 8 counts. A sum of exactly top_p has reached it, and no further token stays.",
            pitfall="top-p",
        )

    def test_one_token_always_stays(self):
        check(
            call(after_nothing(1, 2, 1, 4).sample, [], 6, 0, top_p=0.01),
            [3] * 6,
            idea="The token with which the sum reaches top_p stays, even if it alone is far above.",
            pitfall="top-p",
        )

    def test_temperature_comes_before_top_p(self):
        check(
            call(after_nothing(4, 2, 1, 1).sample, [], 9, 3, temperature=0.5, top_p=0.7),
            [0] * 9,
            idea="The squares are 16, 4, 1 and 1 of 22: the first alone is 0.73.",
            pitfall="top-p",
        )
        check(
            call(after_nothing(4, 2, 1, 1).sample, [], 12, 3, temperature=2, top_p=0.5),
            self.drawn([], 12, 3, [4, 2, 0, 0], 2),
            idea="The roots are 2, 1.41, 1 and 1 of 5.41: the first is 0.37, two are 0.63.",
            pitfall="top-p",
        )

    def test_top_p_is_a_share_of_what_top_k_leaves(self):
        check(
            call(after_nothing(1, 2, 4, 8, 1).sample, [], 20, 3, top_k=4, top_p=0.79),
            self.drawn([], 20, 3, [0, 0, 4, 8, 0]),
            idea="top_k leaves 15 of 16 counts, and 12 of them are 0.8.",
            pitfall="top-p",
            mistake="sample_top_p_of_all",
        )
        check(
            call(after_nothing(1, 1, 1, 5).sample, [], 12, 5, top_k=2, top_p=0.99),
            self.drawn([], 12, 5, [1, 0, 0, 5]),
            idea="Each of the two may set a weight to 0; here top_k has left two.",
            pitfall="top-p",
        )

    def test_of_equal_tokens_the_lowest_ids_reach_top_p(self):
        check(
            call(after_nothing(1, 1, 1, 1).sample, [], 8, 0, top_p=0.6),
            self.drawn([], 8, 0, [1, 1, 1, 0]),
            idea="Three quarters are the first sum of at least 0.6, and the lowest IDs come first.",
            pitfall="top-p",
        )
        check(
            call(after_nothing(1, 1, 1, 1).sample, [], 8, 1, top_p=1),
            self.drawn([], 8, 1, [1, 1, 1, 1]),
            idea="A share of 1 is all tokens.",
            pitfall="top-p",
        )

    @pytest.mark.core
    def test_the_stop_token_ends_the_text(self):
        model = with_counts(2, {(): {0: 1, 1: 1, 2: 1}, (0,): {1: 5}, (1,): {2: 5}, (2,): {0: 5}}, 3, discount=0)
        check(
            call(model.sample, [0], 9, 0, stop_id=2),
            [1, 2],
            idea="The stop token is drawn, appended, and the last.",
            pitfall="stop",
        )
        check(
            call(model.sample, [2], 4, 0, stop_id=2),
            [0, 1, 2],
            idea="A stop token in the given text ends nothing.",
            pitfall="stop",
        )

    def test_the_token_0_can_stop_a_text(self):
        check(call(uniform(1).sample, [], 5, 0, stop_id=0), [0], idea="0 is an ID like any other.", pitfall="stop")

    def test_calls_are_independent(self):
        with independent_calls("sample", after_nothing(1, 2, 5), after_nothing(0, 5, 0)) as sample:
            sample([0, 1, 2], 4, 0, temperature=9, gives=[2, 2, 1, 0], then=[1, 1, 1, 1])
            sample([0, 1, 2], 4, 1, top_k=1, gives=[2, 2, 2, 2], then=[1, 1, 1, 1])
            sample([0, 1, 2], 4, 1, top_p=0.5, gives=[2, 2, 2, 2], then=[1, 1, 1, 1])
            sample([0, 1, 2], 4, 1, stop_id=2, gives=[1, 2], then=[1, 1, 1, 1])
            sample([0, 1, 2], 4, 1, gives=[1, 2, 2, 1], then=[1, 1, 1, 1])
            sample([0, 1, 2], 4, 0, gives=[2, 2, 2, 1], then=[1, 1, 1, 1])


class TestHeal:
    """`heal`: a prompt that ends within a token."""

    @staticmethod
    def drawn(model, kept, allowed, seed):
        """Draw the right token after the IDs that stay, among those allowed."""
        weights = [model.probability(token_id, model.context_of(kept)) for token_id in allowed]
        return [*kept, *Random(seed).choices(allowed, weights)]

    @pytest.mark.core
    def test_a_token_that_begins_with_the_prompt_takes_its_place(self):
        check(
            call(links().heal, [3], dict(HTTP), 0),
            [9],
            idea="The colon is taken back. At the start, :8 is almost certain among those that begin with a colon.",
            pitfall="healing",
        )

    @pytest.mark.core
    def test_a_token_that_begins_with_the_last_one_takes_its_place(self):
        check(
            call(links().heal, [5, 3], dict(HTTP), 7),
            [5, 6],
            idea="The colon is taken back. After http, :// is almost certain among the tokens that begin with a colon.",
            pitfall="healing",
        )

    def test_a_token_may_stay_as_it_is(self):
        check(
            call(links().heal, [8, 5], dict(HTTP), 3),
            [8, 5],
            idea="http begins with http itself, so it may be drawn again; after a blank, https is improbable.",
            pitfall="healing",
        )

    @pytest.mark.core
    @pytest.mark.parametrize("seed", [18, 24])
    def test_the_token_is_drawn(self, seed):
        check(
            call(links().heal, [8, 3], dict(HTTP), seed),
            self.drawn(links(), [8], [3, 6, 7, 9], seed),
            idea="Each token that begins with a colon is drawn with its probability after the blank.",
            pitfall="healing",
        )

    @pytest.mark.core
    def test_as_many_tokens_as_possible_are_taken_back(self):
        check(
            call(links().heal, [8, 0, 1], dict(HTTP), 0),
            [8, 5],
            idea="http begins with h and t, so it takes their place after the blank, where it is almost certain.",
            pitfall="healing",
        )
        check(
            call(links().heal, [8, 0, 1, 1, 2], dict(HTTP), 0),
            [8, 5],
            idea="No token begins with tp, and none with ttp; but http begins with all four.",
            pitfall="healing",
        )
        letters = {token_id: bytes([token_id]) for token_id in b"wherfo"}
        check(
            call(uniform(128).heal, [*b"wherefore"], {**letters, 0: b"wherefore "}, 0),
            [0],
            idea="A single token begins with all nine letters.",
            pitfall="healing",
        )

    def test_the_whole_prompt_may_be_taken_back(self):
        check(
            call(links().heal, [1], dict(HTTP), 0),
            [1],
            idea="Only the token t begins with t. The context is that of an empty text.",
            pitfall="healing",
        )
        check(
            call(links().heal, [0, 1, 1], dict(HTTP), 0),
            self.drawn(links(), [], [5, 10], 0),
            idea="http and https begin with all of the prompt, and no ID is left before them.",
            pitfall="healing",
        )

    def test_two_tokens_may_be_one(self):
        check(
            call(uniform(4).heal, [0, 1], {0: b"h", 1: b"t", 2: b"ht", 3: b"tp"}, 0),
            [2],
            idea="A token begins with its own bytes too: ht takes the place of h and t.",
            pitfall="healing",
        )

    def test_bytes_are_compared_and_not_text(self):
        vocab = {0: b"\xc3", 1: b"\xa9", 2: "é".encode(), 3: b"caf", 4: "ém".encode()}
        model = with_counts(2, {(): {0: 1, 1: 2, 2: 900, 3: 1, 4: 5}, (3,): {1: 9, 2: 90, 3: 900}}, 5)
        check(
            call(model.heal, [3, 0], vocab, 1),
            [3, 2],
            idea="A token may end within a character: é begins with the byte 0xc3, which is no text.",
            pitfall="healing",
        )
        check(
            call(model.heal, [3, 0, 1], vocab, 1),
            [3, 2],
            idea="é is two bytes: each token alone is no text, but the bytes of a token begin with both.",
            pitfall="healing",
        )

    @pytest.mark.core
    def test_a_special_token_stays(self):
        check(
            call(links().heal, [5, 12], dict(HTTP), 0),
            [5, 12],
            idea="12 is a special token. It is a whole one, so nothing is taken back.",
            pitfall="special-tokens",
        )
        check(
            call(links().heal, [8, 0, 12, 1, 1], dict(HTTP), 0),
            [8, 0, 12, 1, 1],
            idea="Only t is taken back, and drawn again: h stands before the special token.",
            pitfall="special-tokens",
        )
        check(
            call(links().heal, [8, 13, 1], dict(HTTP), 0),
            [8, 13, 1],
            idea="13, another ID that is not in vocab, is a special token as well.",
            pitfall="special-tokens",
        )
        check(
            call(links().heal, [8, 12, 0, 1, 1], dict(HTTP), 2),
            self.drawn(links(), [8, 12], [5, 10], 2),
            idea="After the special token, the prompt is healed as always.",
            pitfall="special-tokens",
        )

    def test_a_new_document_begins_without_a_context(self):
        check(
            call(short_documents({1: 1}).heal, [1, 3, 1], {1: b"a", 2: b"ab"}, 0),
            [1, 3, 1],
            idea="3 ends a document, so 1 is the only token that follows, as at the start; context_of knows that.",
            pitfall="documents",
        )
        check_raises(
            call(short_documents({1: 1}).heal, [1, 3, 2], {1: b"a", 2: b"b"}, 0),
            ValueError,
            idea="Only 2 begins with b, and its probability here is 0. choices raises this error for such weights.",
            pitfall="healing",
        )

    def test_an_empty_prompt(self):
        check(call(links().heal, [], dict(HTTP), 0), [], idea="Nothing can be taken back.", pitfall="healing")

    def test_the_prompt_belongs_to_the_caller(self):
        outcome = call(links().heal, [8, 0, 1], dict(HTTP), 4)
        check(outcome, [8, 5], idea="http takes the place of h and t.", pitfall="healing")
        check(outcome.argument(0), [8, 0, 1], idea="The list belongs to the caller.", pitfall="mutated-argument")
        check(
            call(links().heal, (5, 3), dict(HTTP), 7),
            [5, 6],
            idea="The prompt may be any sequence, such as a tuple; the result is a list.",
            pitfall="healing",
        )
        check(
            call(links().heal, (5, 12), dict(HTTP), 0),
            [5, 12],
            idea="The result is a new list, even if nothing is taken back.",
            pitfall="mutated-argument",
        )

    @examples
    @given(ids=st.lists(st.integers(0, 7), max_size=6), n=st.integers(1, 3), seed=st.integers(0, 3))
    def test_any_prompt(self, ids, n, seed):
        vocab = dict(enumerate([b"a", b"b", b"ab", b"aba", b"bb", b"abbab", b"ba"]))
        model = NGramModel(n, 8, end_id=7)
        model.train([0, 1, 5, 3, 7, 2, 4, 6, 5, 1, 2, 7, 3, 0, 6])
        # All ways to take tokens back, the one with the most first; the last one is to take back none.
        ways = [(ids[:place], ids[place:]) for place in range(len(ids)) if 7 not in ids[place:]]
        expected = ids
        for kept, taken in ways[::-1]:
            end = b"".join(vocab[token_id] for token_id in taken)
            allowed = [token_id for token_id in vocab if vocab[token_id].startswith(end)]
            expected = self.drawn(model, kept, allowed, seed) if allowed else expected
        check(
            call(model.heal, ids, vocab, seed),
            expected,
            idea="Take back as many tokens as one can replace, and draw among all that can replace them.",
            pitfall="healing",
        )

    def test_calls_are_independent(self):
        often = with_counts(2, {(): {3: 1}, (5,): {3: 900}, (8,): {10: 900}}, 13, end_id=12)
        with independent_calls("heal", links(), often) as heal:
            heal([5, 3], HTTP, 1, gives=[5, 6], then=[5, 3])
            heal([8, 0], {0: b"h", 8: b" "}, 1, gives=[8, 0], then=[8, 0])
            heal([8, 0], HTTP, 1, gives=[8, 5], then=[8, 10])


class TestTogether:
    """A model that was trained, measured and asked to write."""

    def test_a_model_writes_what_it_has_read(self):
        model = NGramModel(3, 5, end_id=4)
        model.train([0, 1, 2, 3, 4] * 200)
        check(
            call(model.sample, [], 20, 3, top_k=1, stop_id=4),
            [0, 1, 2, 3, 4],
            idea="From the start of a document to its end.",
            pitfall="stop",
        )

    def test_a_model_of_an_artifact(self, tmp_path):
        tokenizer = BPETokenizer.with_course_special_tokens()
        ids = list(b"sea shells, sea shells, she sells")
        tokenizer.save_artifact(tmp_path / "Mine", ids)
        model, loaded = NGramModel.from_artifact(tmp_path / "Mine", 3)
        written = call(model.sample, list(b"sea s"), 5, 1, top_k=1)
        check(written, list(b"hells"), idea="After 'a s' came h, after ' s' and h came e.", pitfall="growing-context")
        assert loaded.vocab == tokenizer.vocab
