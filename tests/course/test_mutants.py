"""Semantic mutants: faults that a test must find, in mutants/ROOM.toml. A test goes only if they are all still found.

Each is a change of one file: state that is kept between calls, the caller's list changed, an order reversed, an option
ignored, a length limited, another alphabet, a check skipped, a result that is stale. `caught_by` contains pytest's
arguments. At least one of the tests that they name must fail.
"""

import shlex
from collections.abc import Callable, Iterator

import pytest

from support import key_mutants
from support.mutants import Mutant, Outcome, all_mutants, runner

MUTANTS = dict(all_mutants()) | {name: Mutant(**fields) for name, fields in key_mutants.mutants()}
caught: dict[str, str] = {}
"""File of tests -> the first of its tests that caught a mutant."""


@pytest.mark.parametrize("room", sorted({name.rpartition("-")[0] for name in MUTANTS}))
def test_every_mutant_reaches_its_target(room):
    times = {name: mutant.times() for name, mutant in MUTANTS.items() if name.startswith(f"{room}-")}
    stale = {name: f"{MUTANTS[name].file} has its `old` {count} times" for name, count in times.items() if count != 1}
    assert stale == {}
    assert [name for name in times if MUTANTS[name].old == MUTANTS[name].new] == []


@pytest.fixture(scope="module")
def try_out(tmp_path_factory) -> Iterator[Callable[[Mutant], Outcome]]:
    with runner(tmp_path_factory.mktemp("mutants") / "g2c") as ask:
        yield ask


@pytest.mark.whole
@pytest.mark.parametrize("name", MUTANTS)
def test_a_test_finds(name, try_out):
    mutant = MUTANTS[name]
    outcome = try_out(mutant)
    said = f"{name} ({mutant.kind}) in {mutant.file}: {mutant.caught_by}"
    assert outcome.exit_code != 0, f"nothing finds {said} passes"
    assert outcome.exit_code == 1 and outcome.failed, f"pytest could not run with {said}\n{outcome.output}"
    caught.setdefault(outcome.failed[0].partition("::")[0], outcome.failed[0])


@pytest.mark.whole
def test_what_failed_passes_without_a_mutant(try_out):
    """One test of each file: what a copy of the course lacks, the whole file lacks."""
    wanted = shlex.join(sorted(test for test in caught.values() if "::" in test))
    outcome = try_out(Mutant(caught_by=wanted)) if wanted else Outcome()
    assert outcome.exit_code == 0, f"{outcome.failed} fails in a copy of the course anyway\n{outcome.output}"
