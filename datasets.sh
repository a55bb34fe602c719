#!/usr/bin/env bash
# Fetches the course's corpora into data/: ./datasets.sh --tiny, or --help. Needs Python and curl, no environment.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/scripts/environment.sh"
find_python
exec "${RUN[@]}" g2c.course.setup.datasets "$@"
