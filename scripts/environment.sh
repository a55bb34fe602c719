# shellcheck shell=bash
# Sourced by noteboosh.sh, datasets.sh and check.sh. Works with bash 3.2, which macOS has.
#
# Sets ROOT to the repository.

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." >/dev/null && pwd) || exit 1

# Where Python's variables are set, another Python's library, or anybody's modules, take the place of those that the course
# needs, or Python runs in another way, or not at all.
for variable in $(compgen -v PYTHON); do unset "$variable"; done

# Sets PYTHON to the name of a Python that can run the course, and RUN to the command that runs a module of the course with
# it, before anything is installed. If there is none, prints what to install and exits. The versions that the course is
# tested with come first.
find_python() {
  local candidate version too_old=""
  for candidate in python3 python3.13 python3.12 python3.11 python3.14 python python3.15; do
    version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case $version in
      2.* | 3.[0-9] | 3.10) too_old=${too_old:-"$candidate is $version"} ;;
      *)
        # shellcheck disable=SC2034 # For the script that sources this file.
        PYTHON=$candidate RUN=("$candidate" -S -P "$ROOT/scripts/run.py")
        return
        ;;
    esac
  done
  echo "The course needs Python 3.11 or later, and none was found${too_old:+ ($too_old)}: install one from" \
    "https://www.python.org or with your system's package manager, then run this again." >&2
  exit 1
}

# print_help SCRIPT: prints the comment that the script begins with, without its marks. A machine may have no sed.
print_help() {
  local line
  while read -r line && [[ $line == "#"* ]]; do
    line=${line#"#"}
    [[ $line == "!"* ]] || echo "${line# }"
  done <"$1"
}
