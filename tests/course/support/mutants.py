"""Mutation testing of the answer key, a tool for those who write tests: which changes of the key does a suite not see?

    pip install cosmic-ray
    python tests/course/support/mutants.py [MODULE...]

Makes every small change to g2c/solutions/ that cosmic-ray knows, one at a time, and runs the module's suite on each. A
change that no test sees must be listed in mutants.toml with the reason why it makes no difference; any other is
printed, and so is an entry that no change needs any more. The exit code is 0 when there is neither.
"""

import difflib
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from g2c.course.exercises import Module, modules
from support.submissions import run

EQUIVALENT = Path(__file__).with_suffix(".toml")


def mutants(source: str) -> Iterator[str]:
    """Every different text that one change makes of `source`, as long as it is still Python."""
    seen = {source}
    for name in sorted(operator_names()):
        operator = get_operator(name)
        if operator.arguments():
            continue
        place = 0
        while (mutant := mutate_code(source, operator(), place)) is not None:
            place += 1
            if mutant not in seen and _compiles(mutant):
                seen.add(mutant)
                yield mutant


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def survivors(module: Module, folder: Path) -> tuple[int, list[str]]:
    """How many changes there are, and the changed lines of those that the whole suite passes on."""
    source = module.key_file.read_text(encoding="utf-8")
    (folder / module.id).mkdir()
    changes = {}
    for number, mutant in enumerate(mutants(source)):
        path = folder / module.id / f"mutant_{number}.py"
        path.write_text(mutant, encoding="utf-8")
        changes[path] = changed_lines(source, mutant)
    results = run(list(changes), "--first")
    return len(changes), [
        changes[path]
        for path, tests in results.items()
        if isinstance(tests, list) and all(test["outcome"] == "passed" for test in tests)
    ]


def changed_lines(source: str, mutant: str) -> str:
    difference = difflib.ndiff(source.splitlines(), mutant.splitlines())
    return " / ".join(line[2:].strip() for line in difference if line.startswith("+ "))


def main(wanted: list[str]) -> int:
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    problems = 0
    for module in modules().values():
        if wanted and module.id not in wanted:
            continue
        reasons = {entry["line"] for entry in listed if entry["module"] == module.id}
        with tempfile.TemporaryDirectory() as folder:
            count, alive = survivors(module, Path(folder))
        unexplained = [line for line in alive if not any(re.search(pattern, line) for pattern in reasons)]
        unneeded = [pattern for pattern in reasons if not any(re.search(pattern, line) for line in alive)]
        print(f"{module.id}: {count} changes, {len(alive)} make no difference, {len(unexplained)} of them unexplained")
        for line in unexplained:
            print(f"  no test sees: {line}")
        for pattern in unneeded:
            print(f"  no change needs the entry: {pattern}")
        problems += len(unexplained) + len(unneeded)
    return min(problems, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
