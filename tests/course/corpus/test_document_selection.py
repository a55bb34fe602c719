"""Selecting documents: the same ones in every run, in the shares asked for, and never a document in both parts."""

import pytest

from g2c.corpus.document_selection import select_documents

DOCUMENTS = [f"Document {number}, with some text." for number in range(5000)]


def test_everything_by_default_in_order():
    assert list(select_documents(DOCUMENTS)) == DOCUMENTS


def test_a_sample_has_about_its_share_and_keeps_the_order():
    chosen = list(select_documents(DOCUMENTS, sample=0.3))
    assert 0.27 < len(chosen) / len(DOCUMENTS) < 0.33
    assert chosen == [document for document in DOCUMENTS if document in set(chosen)]
    assert chosen == list(select_documents(DOCUMENTS, sample=0.3)), "not the same in the next run"


def test_another_seed_gives_another_sample():
    first, second = (set(select_documents(DOCUMENTS, sample=0.5, seed=seed)) for seed in (1, 2))
    assert 0.2 < len(first & second) / len(DOCUMENTS) < 0.3


def test_the_two_parts_are_the_whole_and_the_seed_does_not_move_documents():
    parts = [list(select_documents(DOCUMENTS, split=part, validation=0.1)) for part in ("train", "validation")]
    assert sorted(parts[0] + parts[1]) == sorted(DOCUMENTS)
    assert 0.08 < len(parts[1]) / len(DOCUMENTS) < 0.12
    assert parts[1] == list(select_documents(DOCUMENTS, split="validation", validation=0.1, seed=9))


def test_copies_of_a_document_are_in_one_part():
    for part in ("train", "validation"):
        chosen = list(select_documents(DOCUMENTS[:50] * 2, split=part, validation=0.5))
        assert chosen[: len(chosen) // 2] == chosen[len(chosen) // 2 :]


def test_max_bytes_counts_utf8_and_takes_whole_documents():
    stories = ["é" * 5, "b" * 5, "c" * 10, "d"]
    for max_bytes, count in ((0, 0), (9, 0), (10, 1), (14, 1), (15, 2), (24, 2), (25, 3), (26, 4), (1000, 4)):
        assert list(select_documents(stories, max_bytes=max_bytes)) == stories[:count], max_bytes


def test_no_more_is_read_than_needed():
    def endless():
        while True:
            yield "again and "

    assert sum(map(len, select_documents(endless(), max_bytes=1000))) == 1000


@pytest.mark.parametrize(
    "options, message",
    [
        ({"sample": 1.5}, "sample is a share from 0 to 1"),
        ({"validation": -0.1}, "validation is a share"),
        ({"max_bytes": -1}, "max_bytes=-1 is negative"),
        ({"split": "test"}, "'train', 'validation' or None"),
    ],
)
def test_wrong_arguments_are_told_at_once(options, message):
    with pytest.raises(ValueError, match=message):
        select_documents(DOCUMENTS, **options)
