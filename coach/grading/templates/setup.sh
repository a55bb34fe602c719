#!/usr/bin/env bash
# Gradescope runs this once, when the autograder is built. It makes an environment with the packages that grading needs.
set -euo pipefail

autograder=${G2C_AUTOGRADER:-/autograder}
source_folder=$autograder/source

find_python() {
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        if command -v "$name" >/dev/null && "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

if ! python=$(find_python); then
    apt-get update
    apt-get install -y python3.11 python3.11-venv
    python=$(find_python)
fi

[ -x "$autograder/venv/bin/python" ] || "$python" -m venv "$autograder/venv"
"$autograder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint "$source_folder/course/constraints.txt" @PACKAGES@
