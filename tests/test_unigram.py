"""Tests of module 04g, Unigram. Work through them from top to bottom:

    1. TestGiven              passes already: the parts that are given
    2. TestSegmentationLoss   write segmentation_loss
    3. TestBestPath           write best_path
    4. TestExpectedCounts     write expected_counts
    5. TestEmStep             write em_step
    6. TestRemovalLosses      write removal_losses
    7. TestSamplePath         write sample_path
    8. TestTogether           needs all six

One group at a time, stopping at the first failure:

    pytest tests/test_unigram.py -x -k TestBestPath
"""

from collections import Counter
from math import exp, inf, log, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, check_that, examples
from coach.testing.again import independent_calls
from g2c.tokenizer import UnigramTokenizer

pytestmark = pytest.mark.student("04g")

HUG = {"<unk>": 0, "h": -3, "u": -3, "g": -3, "s": -2, "hu": -4, "ug": -2, "hug": -4}
"""The vocabulary of the handout. With "s" the scores of hugs are -6, -7, -9 and -11."""


def hug(**changes: float) -> UnigramTokenizer:
    """Make a tokenizer whose scores are whole numbers, easy to add up."""
    return UnigramTokenizer(HUG | changes)


def tokens_with(probabilities: dict[str, float]) -> UnigramTokenizer:
    """A tokenizer with these probabilities."""
    return UnigramTokenizer({"<unk>": 0} | {token: log(p) for token, p in probabilities.items()})


def sampled(tokenizer: UnigramTokenizer, text: str, rng: Random, alpha: float) -> list[str]:
    """Draw what sample_path has to draw, computed with plain probabilities, which is right for short texts."""
    edges = [edge._replace(score=alpha * edge.score) for edge in tokenizer.lattice(text)]
    forward = {0: 1.0}
    for end in range(1, len(text) + 1):
        forward[end] = sum(forward[edge.start] * exp(edge.score) for edge in edges if edge.end == end)
    tokens, end = [], len(text)
    while end:
        last = [edge for edge in edges if edge.end == end]
        weights = [exp(log(forward[edge.start]) + edge.score - log(forward[end])) for edge in last]
        edge = rng.choices(last, weights)[0]
        tokens, end = [edge.token, *tokens], edge.start
    return tokens


def all_segmentations(tokenizer: UnigramTokenizer, text: str) -> list[list]:
    """List every path through the lattice, one by one: slow, but certainly right."""
    edges = tokenizer.lattice(text)

    def paths(start):
        if start == len(text):
            return [[]]
        return [[edge, *rest] for edge in edges if edge.start == start for rest in paths(edge.end)]

    return paths(0)


class TestGiven:
    """The given part. These tests pass before anything is written."""

    def test_the_lattice_has_each_token_at_each_place(self):
        edges = [(edge.start, edge.end, edge.token) for edge in hug().lattice("hug")]
        assert edges == [(0, 1, "h"), (0, 2, "hu"), (0, 3, "hug"), (1, 2, "u"), (1, 3, "ug"), (2, 3, "g")]

    def test_an_unknown_character_has_an_edge(self):
        assert [tuple(edge) for edge in hug().lattice("z")] == [(0, 1, "<unk>", -14.0)]

    def test_a_token_can_be_left_out_of_the_lattice(self):
        assert "hug" not in {edge.token for edge in hug().lattice("hug", without="hug")}

    def test_a_text_is_split_before_spaces(self):
        assert UnigramTokenizer()._words("to be,  or") == ["▁to", "▁be,", "▁", "▁or"]

    def test_ids_follow_the_order_of_the_scores(self):
        assert hug().token_to_id["h"] == 1
        assert hug().decode([7, 4]) == "hugs"

    @pytest.mark.parametrize("scores", [{}, {"a": -1}], ids=["none", "others"])
    def test_a_vocabulary_without_the_unknown_token_is_refused(self, scores):
        with pytest.raises(ValueError, match="no unknown token '<unk>'"):
            UnigramTokenizer(scores)

    @pytest.mark.parametrize("score", [nan, inf, -inf])
    def test_a_score_that_is_not_finite_is_refused(self, score):
        with pytest.raises(ValueError, match="score of the token 'a' is .*, but it must be finite"):
            UnigramTokenizer({"<unk>": 0, "a": score})

    def test_a_lone_surrogate_is_refused(self):
        with pytest.raises(ValueError, match="lone surrogate"):
            UnigramTokenizer({"<unk>": 0, "\ud800": -1})
        with pytest.raises(ValueError, match="lone surrogate"):
            hug().lattice("hug\ud800")

    def test_decode_names_an_id_that_is_not_in_the_vocabulary(self):
        with pytest.raises(ValueError, match="no token with ID 99"):
            hug().decode([99])


class TestSegmentationLoss:
    """`segmentation_loss`: what a segmentation costs."""

    @pytest.mark.core
    def test_the_scores_add_up(self):
        check(
            call(hug().segmentation_loss, ["h", "ug", "s"]),
            7.0,
            idea="-3, -2 and -2 add up to -7; the loss is the negative of that.",
            pitfall="loss",
        )

    @pytest.mark.core
    def test_a_token_that_occurs_twice(self):
        check(
            call(hug().segmentation_loss, ["s", "s", "h"]),
            7.0,
            idea="Each occurrence has its factor in the product, so s counts twice.",
            pitfall="loss",
        )

    def test_a_long_segmentation(self):
        check(
            call(hug().segmentation_loss, iter(["h"] * 1000)).shown_as("tokenizer.segmentation_loss(iter(...))"),
            3000.0,
            idea="Add the scores, which are logarithms: exp(-3000) is 0 as a float. An iterator can be read once.",
            pitfall="logarithms",
        )

    def test_no_token(self):
        check(call(hug().segmentation_loss, []), 0.0, idea="An empty product is 1, and log 1 is 0.", pitfall="loss")

    def test_a_score_of_0(self):
        check(
            call(UnigramTokenizer({"<unk>": 0, "a": 0, "b": -1}).segmentation_loss, ["a", "b"]),
            1.0,
            idea="0 is the score of a token whose probability is 1, as em_step returns it.",
            pitfall="loss",
        )

    def test_an_unknown_character(self):
        check(
            call(hug().segmentation_loss, ["s", "<unk>"]),
            16.0,
            idea="The lowest score is -4, so unk_score is -14.",
            pitfall="unknown",
        )

    def test_another_unknown_token(self):
        tokenizer = UnigramTokenizer({"a": -1, "?": -5}, unk_token="?")
        check(
            call(tokenizer.segmentation_loss, ["?", "a"]),
            12.0,
            idea="The token is self.unk_token, whatever it is called; the -5 in scores is not used.",
            pitfall="unknown",
        )

    def test_a_token_that_is_not_in_the_vocabulary(self):
        check_raises(
            call(hug().segmentation_loss, ["hug", "gs"]),
            ValueError,
            saying="gs",
            idea="gs is not a token, so this is not a segmentation: a ValueError that names it.",
            pitfall="unknown",
        )

    def test_calls_are_independent(self):
        with independent_calls("segmentation_loss", hug(), hug(hug=3)) as loss:
            loss(["hug", "s"], gives=6.0, then=-1.0)
            loss(["s", "s"], gives=4.0, then=4.0)


class TestBestPath:
    """`best_path`: the segmentation with the lowest loss."""

    def test_one_token(self):
        check(call(hug().best_path, "s"), ["s"], idea="There is one path.", pitfall="viterbi")

    @pytest.mark.core
    def test_the_best_of_several(self):
        check(
            call(hug().best_path, "hug"),
            ["hug"],
            idea="hug costs 4, h + ug 5, hu + g 7, h + u + g 9.",
            pitfall="viterbi",
        )

    @pytest.mark.core
    def test_tokens_come_from_left_to_right(self):
        check(
            call(hug().best_path, "hugs"),
            ["hug", "s"],
            idea="You walk back from the end, so reverse the tokens.",
            pitfall="walk-back",
        )

    def test_the_scores_are_compared_as_they_are(self):
        first = {"a": -5, "b": -9, "c": -1, "ab": -6, "bc": -1.5}
        second = {"x": -1, "y": -9, "z": -6, "xy": -1, "yz": -7}
        third = {"p": -1, "q": -8, "r": -1, "pq": -9, "qr": -6}
        check(
            call(UnigramTokenizer({"<unk>": 0, **first, **second, **third}).best_path, "abcxyzpqr"),
            ["a", "bc", "xy", "z", "p", "qr"],
            idea="a + bc costs 6.5, ab + c 7; xy + z 7, x + yz 8; p + qr 7, pq + r 10. Only the sums of scores count.",
            pitfall="viterbi",
        )

    @pytest.mark.core
    def test_the_longest_beginning_is_not_always_on_the_best_path(self):
        check(
            call(hug(hug=-9, hu=-3.5, ug=-1).best_path, "hug"),
            ["h", "ug"],
            idea="hu is cheaper than h + u, but then g must be covered, too: that costs 6.5. h + ug costs 4.",
            pitfall="viterbi",
        )

    def test_in_a_tie_the_longest_last_token_wins(self):
        tokenizer = UnigramTokenizer({"<unk>": 0, "a": -1, "b": -1, "c": -1, "ab": -2, "bc": -2})
        check(
            call(tokenizer.best_path, "abc"),
            ["a", "bc"],
            idea="Every segmentation costs 3. bc was seen before c, so it stays: replace only by a higher score.",
            pitfall="ties",
        )
        fewer = UnigramTokenizer({"<unk>": 0, "a": -1, "b": -1, "c": -9, "d": -2, "cd": -2, "abc": -2})
        check(
            call(fewer.best_path, "abcd"),
            ["a", "b", "cd"],
            idea="abc + d costs 4 as well, with fewer tokens, but its last token is shorter.",
            pitfall="ties",
        )

    def test_a_text_without_characters(self):
        check(call(hug().best_path, ""), [], idea="No character, no token.", pitfall="walk-back")

    def test_an_unknown_character(self):
        check(
            call(hug().best_path, "hugz"),
            ["hug", "<unk>"],
            idea="The lattice has an edge with the unknown token for z.",
            pitfall="unknown",
        )

    def test_without_a_token(self):
        check(
            call(hug().best_path, "shughug", "hug"),
            ["s", "h", "ug", "h", "ug"],
            idea="self.lattice(text, without) leaves the token out, wherever it fits.",
            pitfall="without",
        )
        check(
            call(hug().best_path, "hugh", without="h"),
            ["hug", "<unk>"],
            idea="Only the token h is left out: hug stays, and the last h gets an edge with the unknown token.",
            pitfall="without",
        )

    def test_a_score_of_0(self):
        check(
            call(UnigramTokenizer({"<unk>": 0, "a": -1, "aa": 0}).best_path, "aa"),
            ["aa"],
            idea="0 is a score like any other, and the highest here.",
            pitfall="viterbi",
        )

    def test_a_long_text(self):
        check(
            call(hug(hug=-8).best_path, "hugs" * 600),
            ["h", "ug", "s"] * 600,
            idea="1,800 tokens; the number of segmentations has hundreds of digits: they cannot be tried one by one, "
            "and the probability of each is 0 as a float.",
            pitfall="viterbi",
        )
        check(
            call(UnigramTokenizer({"<unk>": 0, "a": -1000, "b": -2000}).best_path, "aba" * 600),
            ["a", "b", "a"] * 600,
            idea="A score can be below any number that you choose: before any path is known, it is -inf.",
            pitfall="viterbi",
        )

    @examples
    @given(
        text=st.text(alphabet="abc", max_size=6),
        scores=st.dictionaries(st.text(alphabet="abc", min_size=1, max_size=3), st.integers(-64, -1), max_size=12),
    )
    def test_no_segmentation_is_better(self, text, scores):
        tokenizer = UnigramTokenizer({"<unk>": 0} | scores)
        least = min(-sum(edge.score for edge in path) for path in all_segmentations(tokenizer, text))
        table = tokenizer.scores | {"<unk>": tokenizer.unk_score}
        outcome = call(tokenizer.best_path, text)
        check(
            outcome.seen_as(lambda tokens: -sum(table[token] for token in tokens), "the loss of the path"),
            least,
            idea="All segmentations of this short text were tried one by one.",
            pitfall="viterbi",
        )

    def test_calls_are_independent(self):
        long = "s" * 20
        with independent_calls("best_path", hug(**{long: -9}), hug(**{long: -9, "hug": -9})) as best:
            best(long, gives=[long], then=[long])
            best("hugs", without="hug", gives=["h", "ug", "s"], then=["h", "ug", "s"])
            best("hugs", gives=["hug", "s"], then=["h", "ug", "s"])
            best("sugh", gives=["s", "ug", "h"], then=["s", "ug", "h"])


class TestExpectedCounts:
    """`expected_counts`: how often tokens are used in all segmentations."""

    def test_one_segmentation(self):
        check(
            call(tokens_with({"a": 0.5, "b": 0.5}).expected_counts, "ab"),
            {"a": 1.0, "b": 1.0},
            idea="There is one path, so it has the probability 1 among all paths, whatever its tokens cost.",
            pitfall="expected",
        )

    @pytest.mark.core
    def test_two_segmentations(self):
        check(
            call(tokens_with({"a": 1 / 2, "aa": 1 / 4}).expected_counts, "aa"),
            {"a": 1.0, "aa": 0.5},
            idea="a + a has 1/4, aa has 1/4: half each. The first one uses a twice.",
            pitfall="expected",
        )

    def test_segmentations_of_a_text_that_reads_otherwise_from_its_end(self):
        check(
            call(tokens_with({"a": 1 / 4, "b": 1 / 4, "ab": 1 / 8}).expected_counts, "ab"),
            {"a": 1 / 3, "ab": 2 / 3, "b": 1 / 3},
            idea="a + b has 1/16, ab has 1/8. Backward sums follow the same edges, from the end of the text.",
            pitfall="expected",
        )

    @pytest.mark.core
    def test_a_token_at_two_places(self):
        check(
            call(tokens_with({"a": 1 / 4, "aa": 1 / 4}).expected_counts, "aaa"),
            {"a": 11 / 9, "aa": 8 / 9},
            idea="a + a + a has 1/64; a + aa and aa + a have 1/16 each.",
            pitfall="expected",
        )

    def test_the_order_is_that_of_the_lattice(self):
        outcome = call(tokens_with({"a": 1 / 4, "b": 1 / 2, "c": 1 / 4, "bac": 1 / 16}).expected_counts, "bac")
        check(
            outcome.seen_as(list, "the order of the keys"),
            ["b", "bac", "a", "c"],
            idea="At the first position b and bac begin, at the second a, at the third c.",
            pitfall="expected",
        )

    def test_no_character(self):
        check(call(hug().expected_counts, ""), {}, idea="Nothing is used.", pitfall="expected")

    def test_an_unknown_character_is_used_as_well(self):
        check(
            call(tokens_with({"a": 0.5}).expected_counts, "az"),
            {"a": 1.0, "<unk>": 1.0},
            idea="The only path uses a and the unknown token.",
            pitfall="unknown",
        )

    def test_a_small_probability_does_not_become_zero(self):
        # Of a + b and ab, the first is twice as probable.
        tokenizer = UnigramTokenizer({"<unk>": 0, "a": -60, "b": -60, "ab": -120 - log(2)})
        check(
            call(tokenizer.expected_counts, "ab" * 9),
            {"a": 6.0, "ab": 3.0, "b": 6.0},
            idea="The probability of the text is about exp(-1080), which is 0 as a float. Add logarithms.",
            pitfall="logarithms",
        )

    def test_a_long_text(self):
        one = call(hug().expected_counts, "hugs").value
        check(
            call(hug().expected_counts, "hugs" * 300),
            {token: 300 * count for token, count in one.items()},
            idea="300 times the counts of hugs. The number of segmentations, 4**300, has 181 digits: they cannot be "
            "added up one by one.",
            pitfall="expected",
        )

    @examples
    @given(
        text=st.text(alphabet="ab", min_size=1, max_size=6),
        scores=st.dictionaries(st.text(alphabet="ab", min_size=1, max_size=3), st.integers(-8, -1), max_size=8),
    )
    def test_the_same_as_adding_up_all_segmentations(self, text, scores):
        tokenizer = UnigramTokenizer({"<unk>": 0} | scores)
        counts, total = Counter(), 0.0
        for path in all_segmentations(tokenizer, text):
            probability = exp(sum(edge.score for edge in path))
            total += probability
            for edge in path:
                counts[edge.token] += probability
        check(
            call(tokenizer.expected_counts, text),
            {token: count / total for token, count in counts.items()},
            idea="All segmentations of this short text were tried one by one.",
            pitfall="expected",
        )

    def test_calls_are_independent(self):
        both = [tokens_with({"a": a, "b": 1 / 4, "aa": aa}) for a, aa in ((1 / 2, 1 / 4), (1 / 4, 3 / 16))]
        with independent_calls("expected_counts", *both) as counts:
            counts("aa", gives={"a": 1.0, "aa": 0.5}, then={"a": 0.5, "aa": 0.75})
            counts("ab", gives={"a": 1.0, "b": 1.0}, then={"a": 1.0, "b": 1.0})


class TestEmStep:
    """`em_step`: new scores from expected counts."""

    @pytest.mark.core
    def test_probabilities_are_shares_of_the_counts(self):
        check(
            call(tokens_with({"a": 1 / 2, "b": 1 / 2}).em_step, {"ab": 1, "bb": 1}),
            {"<unk>": 0.0, "a": log(1 / 4), "b": log(3 / 4)},
            idea="a is used once and b three times.",
            pitfall="em",
        )

    @pytest.mark.core
    def test_words_count_as_often_as_they_occur(self):
        check(
            call(tokens_with({"a": 1 / 2, "b": 1 / 2}).em_step, {"a": 6, "b": 2}),
            {"<unk>": 0.0, "a": log(6 / 8), "b": log(2 / 8)},
            idea="Each word's counts are multiplied by its frequency.",
            pitfall="em",
        )

    @pytest.mark.core
    def test_all_segmentations_count(self):
        check(
            call(tokens_with({"a": 1 / 2, "aa": 1 / 4}).em_step, {"aa": 6, "a": 1}),
            {"<unk>": 0.0, "a": log(7 / 10), "aa": log(3 / 10)},
            idea="Half of aa is written as a + a: six times a, three times aa, and one a from the other word.",
            pitfall="em",
        )

    def test_a_token_that_is_hardly_used_is_left_out(self):
        check(
            call(tokens_with({"a": 1 / 2, "aa": 1 / 8}).em_step, {"aa": 1}),
            {"<unk>": 0.0, "a": 0.0},
            idea="aa has the count 1/3, below 1/2: a is left alone and has the probability 1.",
            pitfall="left-out",
        )

    def test_the_count_in_all_words_decides(self):
        check(
            call(tokens_with({"a": 1 / 2, "aa": 1 / 8, "b": 1 / 4}).em_step, {"aa": 1, "aab": 1}),
            {"<unk>": 0.0, "a": log(8 / 13), "aa": log(2 / 13), "b": log(3 / 13)},
            idea="aa is used 1/3 times in each word: 2/3 in all, which is not below 1/2. a is used 8/3 times.",
            pitfall="left-out",
        )

    def test_a_token_with_exactly_the_least_count_stays(self):
        check(
            call(tokens_with({"a": 1 / 2, "aa": 1 / 4}).em_step, {"aa": 1}),
            {"<unk>": 0.0, "a": log(1 / 1.5), "aa": log(0.5 / 1.5)},
            idea="aa has the count 0.5, which is not below MIN_COUNT.",
            pitfall="left-out",
        )

    def test_a_single_character_always_stays(self):
        check(
            call(tokens_with({"a": 1 / 4, "é": 1 / 4}).em_step, {"a": 2}),
            {"<unk>": 0.0, "a": log(2 / 2.5), "é": log(0.5 / 2.5)},
            idea="é is not used, and gets the count 0.5: every character must still be segmentable.",
            pitfall="left-out",
        )
        check(
            call(tokens_with({"a": 1 / 8, "aa": 1 / 2, "▁b": 1 / 4}).em_step, {"aa": 1}),
            {"<unk>": 0.0, "a": log(0.5 / (0.5 + 32 / 33)), "aa": log(32 / 33 / (0.5 + 32 / 33))},
            idea="a has the count 2 / 33 and is raised to 0.5. ▁b has two characters, so it is left out.",
            pitfall="left-out",
        )

    def test_the_unknown_token_keeps_its_score(self):
        tokenizer = UnigramTokenizer({"a": -1, "?": -3.5}, unk_token="?")
        check(
            call(tokenizer.em_step, {"az": 4}),
            {"a": 0.0, "?": -3.5},
            idea="The unknown token does not count: its four uses are not in the sum.",
            pitfall="unknown",
        )
        check(
            call(UnigramTokenizer({"<unk>": -3.5}).em_step, {"a": 1}),
            {"<unk>": -3.5},
            idea="If no other token is left, nothing is divided.",
            pitfall="unknown",
        )

    def test_the_order_of_the_scores_stays(self):
        outcome = call(UnigramTokenizer({"b": -1, "<unk>": 0, "a": -1}).em_step, {"ab": 1})
        check(
            outcome.seen_as(list, "the order of the tokens"),
            ["b", "<unk>", "a"],
            idea="The tokens are in the order of their IDs.",
            pitfall="em",
        )

    def test_the_tokenizer_does_not_change(self):
        outcome = call(tokens_with({"a": 1 / 2, "b": 1 / 2}).em_step, {"a": 6, "b": 2})
        check(
            outcome.attribute("scores"),
            {"<unk>": 0.0, "a": log(1 / 2), "b": log(1 / 2)},
            idea="em_step returns new scores; train decides whether to use them.",
            pitfall="em",
        )
        check(outcome.argument(), {"a": 6, "b": 2}, idea="The words belong to the caller.")

    def test_calls_are_independent(self):
        def learned(a, aa):
            return {"<unk>": 0.0, "a": log(a / (a + aa)), "aa": log(aa / (a + aa))}

        both = tokens_with({"a": 1 / 2, "aa": 1 / 4}), tokens_with({"a": 1 / 4, "aa": 3 / 16})
        with independent_calls("em_step", *both) as step:
            step({"aa": 6, "a": 1}, gives=learned(7, 3), then=learned(4, 4.5))
            step({"aa": 2, "a": 5}, gives=learned(7, 1), then=learned(6, 1.5))
            step({"a": 5}, gives={"<unk>": 0.0, "a": 0.0}, then={"<unk>": 0.0, "a": 0.0})


class TestRemovalLosses:
    """`removal_losses`: how much a token is worth."""

    @pytest.mark.core
    def test_count_times_difference(self):
        check(
            call(hug().removal_losses, {"hug": 5, "ug": 2}),
            {"hu": 0.0, "ug": 8.0, "hug": 5.0},
            idea="hug: 5 times h + ug, which costs 5 instead of 4. ug: twice u + g, which costs 6 instead of 2.",
            pitfall="removal",
        )

    def test_a_token_twice_in_a_word(self):
        check(
            call(hug().removal_losses, {"ugug": 2}),
            {"hu": 0.0, "ug": 16.0, "hug": 0.0},
            idea="Two times in a word that occurs twice: 4 uses, 4 more each.",
            pitfall="removal",
        )

    def test_the_text_of_the_token_is_split_and_not_the_word(self):
        tokenizer = UnigramTokenizer({"<unk>": 0, "a": -3, "b": -3, "c": -3, "ab": -2, "bc": -2.5})
        check(
            call(tokenizer.removal_losses, {"abc": 2}),
            {"ab": 8.0, "bc": 0.0},
            idea="ab occurs twice, and a + b costs 4 more than ab. That abc could be written as a + bc does not count.",
            pitfall="removal",
        )
        check(
            call(UnigramTokenizer({"<unk>": 0, "a": -3, "b": -3, "ba": -1}).removal_losses, {"ab": 2}),
            {"ba": 0.0},
            idea="The best path of ab is a + b. ba fits only across two words, but each word is split by itself.",
            pitfall="removal",
        )

    def test_a_token_without_which_nothing_is_known(self):
        tokenizer = UnigramTokenizer({"<unk>": 0, "a": -1, "ab": -3})
        check(
            call(tokenizer.removal_losses, {"ab": 2}),
            {"ab": 22.0},
            idea="Without ab, b is unknown: 1 + 13 instead of 3.",
            pitfall="unknown",
        )

    def test_a_token_that_is_not_on_the_best_path_of_its_own_text(self):
        tokenizer = UnigramTokenizer({"<unk>": 0, "a": -1, "aa": -3, "aaa": -2})
        check(
            call(tokenizer.removal_losses, {"aaa": 1, "aa": 1}),
            {"aa": 0.0, "aaa": 1.0},
            idea="aa is written as a + a, so aa is not used.",
            pitfall="removal",
        )

    def test_single_characters_and_the_unknown_token_are_not_in_it(self):
        tokenizer = UnigramTokenizer({"h": -3, "ug": -2, "[UNK]": 0, "é": -2, "hu": -4}, unk_token="[UNK]")
        outcome = call(tokenizer.removal_losses, {"hug": 1, "z": 1, "é": 1})
        check(
            outcome.seen_as(list, "the tokens"),
            ["ug", "hu"],
            idea="They are never removed; the others are in the order of the scores.",
            pitfall="removal",
        )
        check(outcome.argument(), {"hug": 1, "z": 1, "é": 1}, idea="The words belong to the caller.")
        check(
            outcome.attribute("scores").seen_as(list, "the tokens, in their order"),
            ["h", "ug", "[UNK]", "é", "hu"],
            idea="train removes tokens, and their order is that of the IDs.",
        )

    def test_calls_are_independent(self):
        with independent_calls("removal_losses", hug(), hug(hug=3)) as losses:
            gives, then = {"hu": 0.0, "ug": 8.0, "hug": 5.0}, {"hu": 0.0, "ug": 8.0, "hug": 40.0}
            losses({"hug": 5, "ug": 2}, gives=gives, then=then)
            gives, then = {"hu": 4.0, "ug": 0.0, "hug": 1.0}, {"hu": 4.0, "ug": 0.0, "hug": 8.0}
            losses({"hug": 1, "hu": 2}, gives=gives, then=then)


class TestSamplePath:
    """`sample_path`: a random segmentation."""

    @pytest.mark.core
    def test_one_segmentation(self):
        check(
            call(tokens_with({"a": 0.5, "b": 0.5}).sample_path, "abba", 0),
            ["a", "b", "b", "a"],
            idea="There is one path. You walk back from the end, so reverse the tokens.",
            pitfall="walk-back",
        )

    def test_no_character(self):
        check(call(hug().sample_path, "", 0), [], idea="No character, no token.", pitfall="walk-back")

    @pytest.mark.parametrize("seed", range(6))
    def test_the_seed_decides(self, seed):
        tokenizer = tokens_with({"a": 1 / 4, "aa": 1 / 8, "aaa": 1 / 16, "b": 1 / 8, "ab": 1 / 16})
        text = "aaabaabbaaaab"
        check(
            call(tokenizer.sample_path, text, seed),
            sampled(tokenizer, text, Random(seed), 1.0),
            idea="From the end, one rng.choices for each token, with the edges in the order of the lattice.",
            pitfall="sampling",
        )

    @pytest.mark.parametrize(("seed", "alpha"), [(2, 0.3), (6, 0.0), (11, 0.0), (4, 1.7), (123_456_789, 0.3)])
    def test_alpha_multiplies_the_scores(self, seed, alpha):
        tokenizer = tokens_with({"a": 1 / 4, "aa": 1 / 80, "aaa": 1 / 800, "b": 1 / 8, "ab": 1 / 100})
        text = "aaabaabbaaaab"
        check(
            call(tokenizer.sample_path, text, seed, alpha),
            sampled(tokenizer, text, Random(seed), alpha),
            idea="Each score is multiplied by alpha, in forward and in the weights.",
            pitfall="sampling",
        )

    @pytest.mark.core
    def test_segmentations_come_with_their_probability(self):
        tokenizer = tokens_with({"a": 1 / 4, "aa": 1 / 4})
        outcome = call(tokenizer.sample_path, "aaaa", 5)
        drawn = Counter(" ".join(tokenizer.sample_path("aaaa", seed)) for seed in range(1000 if outcome.value else 0))
        # a a a a 1/256, three with one aa 1/64 each, aa aa 1/16: of 29 parts 1, 4 + 4 + 4 and 16.
        check_that(
            500 <= drawn["aa aa"] <= 604 and 90 <= drawn["aa a a"] <= 186 and 90 <= drawn["a a aa"] <= 186,
            outcome,
            "of 1,000 drawn, aa aa about 552 times and aa a a about 138 times",
            idea="Together the five segmentations have the probability 29/256; aa aa has 16 of the 29 parts.",
            pitfall="sampling",
        )

    def test_a_high_alpha_draws_the_best(self):
        check(
            call(hug().sample_path, "hugs" * 5, 0, 50.0),
            ["hug", "s"] * 5,
            idea="50 times each score: all but the best path are next to impossible.",
            pitfall="sampling",
        )

    def test_a_long_text_does_not_become_zero(self):
        outcome = call(hug().sample_path, "hugs" * 300, 0)
        check(
            outcome.seen_as("".join, "the tokens put together"),
            "hugs" * 300,
            idea="The probability of the whole text is 0 as a float: keep logarithms until you compute the weights.",
            pitfall="logarithms",
        )

    def test_calls_are_independent(self):
        with independent_calls("sample_path", hug(), hug(hug=3)) as path:
            path("hugs", 1, 0.0, gives=["h", "u", "g", "s"], then=["h", "u", "g", "s"])
            path("hugs", 1, gives=["h", "ug", "s"], then=["hug", "s"])
            path("hugu", 1, gives=["h", "ug", "u"], then=["hug", "u"])


@pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
class TestTogether:
    """All six exercises at work."""

    TEXT = "the hugs and the bugs, the mugs and the jugs; she hugs the bug and the bug hugs the mug " * 3

    def test_training_reaches_the_size(self):
        outcome = call(UnigramTokenizer().train, self.TEXT, 30)
        check(
            outcome.attribute("scores").seen_as(len, "the number of tokens"),
            30,
            idea="Tokens are removed until 30 are left.",
            pitfall="removal",
        )

    def test_a_text_of_the_corpus_comes_back(self):
        tokenizer = UnigramTokenizer()
        call(tokenizer.train, self.TEXT, 40).value
        ids = call(tokenizer.encode, "the bugs hug").value
        check(call(tokenizer.decode, ids), "the bugs hug", idea="None of it is unknown.", pitfall="unknown")

    def test_a_sampled_text_comes_back(self):
        tokenizer = UnigramTokenizer()
        call(tokenizer.train, self.TEXT, 40).value
        ids = call(tokenizer.encode, "the bugs hug", 0, 0.1).value
        check(
            call(tokenizer.decode, ids),
            "the bugs hug",
            idea="Every segmentation has the same text.",
            pitfall="sampling",
        )
