"""A dictionary that tells whether it has changed: every way to change it makes another version, nothing else does."""

import copy
import operator
import pickle

import pytest

from g2c.common.versioned import VersionedDict

CHANGES = {
    "set": lambda merges: operator.setitem(merges, 1, 5),
    "delete": lambda merges: operator.delitem(merges, 1),
    "or": lambda merges: operator.ior(merges, {3: 4}),
    "pop": lambda merges: merges.pop(1),
    "popitem": lambda merges: merges.popitem(),
    "setdefault": lambda merges: merges.setdefault(3, 4),
    "update": lambda merges: merges.update({3: 4}),
    "clear": lambda merges: merges.clear(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_makes_another_version(name):
    merges, plain = VersionedDict({1: 2}), {1: 2}
    before = merges.version
    assert CHANGES[name](merges) == CHANGES[name](plain)
    assert merges == plain and merges.version is not before


def test_reading_changes_nothing_and_a_copy_has_a_version_of_its_own():
    merges = VersionedDict({1: 2})
    before = merges.version
    assert (merges.get(3), [*merges.items()], merges | {3: 4}, repr(merges)) == (None, [(1, 2)], {1: 2, 3: 4}, "{1: 2}")
    assert merges.version is before
    for other in (copy.copy(merges), copy.deepcopy(merges), pickle.loads(pickle.dumps(merges))):
        assert type(other) is VersionedDict and other == merges and other.version is not merges.version
