#!/usr/bin/env bash
# Fetches the course's corpora into data/: ./datasets.sh --tiny, or --help. Needs Python and curl, no environment.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "$0")/scripts/environment.sh"
find_python
exec "${RUN[@]}" g2c.commands.datasets "$@"
