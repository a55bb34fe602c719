#!/usr/bin/env bash
# Opens and runs the course's notebooks: ./noteboosh.sh 04, or --help. Makes the environment .venv if it is
# missing or out of date.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "$0")/scripts/environment.sh"
find_python
exec "${RUN[@]}" coach.setup.noteboosh "$@"
