"""Selecting documents: the same ones in every run, in the shares asked for, and never a document in both parts."""

import pytest

from g2c.corpus.documents import select_documents

DOCUMENTS = [f"Document {number}, with some text." for number in range(5000)]


def test_everything_by_default_in_order():
    assert list(select_documents(DOCUMENTS)) == DOCUMENTS


def test_the_two_parts_are_the_whole_and_have_about_their_shares():
    parts = [list(select_documents(DOCUMENTS, split=part, validation=0.1)) for part in ("train", "validation")]
    assert sorted(parts[0] + parts[1]) == sorted(DOCUMENTS)
    assert 0.08 < len(parts[1]) / len(DOCUMENTS) < 0.12
    for part in parts:
        assert part == sorted(part, key=DOCUMENTS.index), "not in the order of the corpus"


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
        ({"validation": -0.1}, "validation is a share from 0 to 1"),
        ({"max_bytes": -1}, "max_bytes=-1 is negative"),
        ({"split": "test"}, "'train', 'validation' or None"),
    ],
)
def test_wrong_arguments_are_told_at_once(options, message):
    with pytest.raises(ValueError, match=message):
        select_documents(DOCUMENTS, **options)
