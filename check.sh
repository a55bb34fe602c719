#!/usr/bin/env bash
# Proves the course: with the answer key every test passes; on the stubs the tests fail exactly as README and docs say;
# the notebooks run; the examples in README, docs and docstrings are true. For the course as it is handed out: a student
# whose exercise file is half done runs pytest instead.
#
#     ./check.sh          in two to three minutes
#     ./check.sh --all    with everything that takes long too: the whole mistake bank, a graded class, every notebook
#
# Further arguments are passed on to pytest.

[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "$0")/scripts/environment.sh"

selection="not whole"
groups=(interop corpora check)
case "${1:-}" in
  --all)
    selection=""
    groups+=(site machines)
    export G2C_EXAMPLES=${G2C_EXAMPLES:-150}
    shift
    ;;
  --help)
    print_help "$ROOT/check.sh"
    exit
    ;;
esac

find_python
"${RUN[@]}" coach.setup "${groups[@]}"
"${RUN[@]}" g2c.commands.datasets --tiny || echo "Continuing without TinyShakespeare."
"${RUN[@]}" g2c.commands.datasets gpt2 cl100k bert || echo "Continuing without published tokenizers."

cd "$ROOT"
.venv/bin/python -P -c 'import pytest, xdist' || {
  echo "Python in .venv ended with exit code $? when it imported pytest. Delete the folder .venv, then run this again."
  exit 1
}
# Once for all: copies of the course, in which tests start programs, take over what is compiled.
.venv/bin/python -P -m g2c.engine || true
# The processes share the processors, so a thread of numpy for each processor in every one would only wait.
export OPENBLAS_NUM_THREADS=1
report=.g2c/check.xml
rm -f "$report"
status=0
# One process more than there are processors, but at most four: many tests wait for programs that they have started.
workers=$(.venv/bin/python -P -c 'import os; print(min(4, os.cpu_count() + 1))')
# The files are handed out in their order, the longest first. By default those with the fewest tests come last, and
# these are long, too.
distribution=(-n "$workers" --dist loadfile --no-loadscope-reorder)
# By default pytest runs the student suites alone. No file in the clone takes the place of a library.
everything=(-o "testpaths=tests/test_*.py tests/course")
PYTHONSAFEPATH=1 .venv/bin/python -m pytest --solutions "${everything[@]}" -m "$selection" "${distribution[@]}" --junit-xml="$report" "$@" ||
  status=$?

.venv/bin/python -P - "$report" "$status" "$SECONDS" <<'END'
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

report, status, seconds = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
suite = ElementTree.parse(report).getroot().find("testsuite") if report.exists() else None
counts = suite.attrib if suite is not None else {}
skipped = int(counts.get("skipped", 0))
reasons = Counter(one.get("message") for one in suite.iter("skipped")) if suite is not None else {}
for reason, count in sorted(reasons.items()):
    print(f"{count:>5} skipped  {reason}")
failed = int(counts.get("failures", 0)) + int(counts.get("errors", 0))
passed = int(counts.get("tests", 0)) - skipped - failed
if status == 0 and passed:
    print(f"All checks passed in {seconds} s.")
else:
    print(f"Some checks failed; see above ({seconds} s).")
    if not counts:
        print(f"pytest ended with exit code {status} before it had any result.")
    failed = max(failed, 1)
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
END
