#!/usr/bin/env bash
# Tries the course's first steps on many kinds of machines, each simulated on this one (Linux; most need root): in a
# fresh clone, the solution notebook and a part of the check. Prints a line for each: its name, the seconds it took, how
# many tests passed and were skipped, and the first line that tells what went wrong. Exits with 1 if anything did.
#
#     scripts/machines.sh              all machines
#     scripts/machines.sh NAME ...     those whose name contains one of these words
#
# Run it in the foreground: what a shell starts in the background ignores Ctrl-C, which one of the machines tries.

# shellcheck disable=SC2317,SC2329 # Most functions are called by `machine`, by the name that it is given.
set -uo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/programs.sh
source "$ROOT/scripts/programs.sh"
JOB="./noteboosh.sh --run 04 --solution"
PART="./check.sh tests/test_tokenizer.py tests/course/course/test_cli_doctor.py tests/course/grading/test_isolation.py"
USER_ID=12345
USERS_HOME=$HOME
NAMES=("$@")

case ${1:-} in
  -*)
    print_help "$ROOT/scripts/machines.sh"
    exit
    ;;
esac

# Nothing of this shell's is passed on but the settings of pip and of the network.
for name in $(compgen -e); do
  case $name in PATH | HOME | PIP_* | SSL_* | http*_proxy | no_proxy | G2C_DATASETS_MIRROR) ;; *) unset "$name" ;; esac
done
WORK=$(mktemp -d "${TMPDIR:-/tmp}/machines.XXXXXX")
chmod 755 "$WORK"
cleanup() {
  umount "$WORK"/*/noexec "$WORK"/*/course 2>/dev/null
  rm -rf "$WORK"
}
trap cleanup EXIT
# Packages are downloaded once.
export UV_CACHE_DIR=$WORK/uv-cache
failed=0

# --- what is on a machine ---------------------------------------------------------------------------------------------

# The programs that README names, and the Python that is named first: programs PYTHON [WITHOUT ...]. Sets PROGRAMS.
programs() {
  PROGRAMS=$(mktemp -d "$WORK/programs.XXXXXX")
  chmod 755 "$PROGRAMS"
  link_programs "$PROGRAMS" "$@"
}

# A Python that every user may use: the system's, or a copy.
public_python() {
  local python=$WORK/public-python/bin/python3 prefix
  if [ "$(/usr/bin/python3 -c 'import ensurepip, sys, venv; print(sys.version_info >= (3, 11))' 2>/dev/null)" = True ]; then
    python=/usr/bin/python3
  elif ! [ -e "$python" ]; then
    prefix=$(python3 -c 'import sys; print(sys.base_prefix)')
    cp -r "$prefix" "$WORK/public-python"
  fi
  echo "$python"
}

# --- trying a machine -------------------------------------------------------------------------------------------------

is_wanted() {
  local word
  [ ${#NAMES[@]} = 0 ] && return
  for word in "${NAMES[@]}"; do [[ $1 == *"$word"* ]] && return; done
  return 1
}

row() { printf '%-34s %7s %7s %7s   %s\n' "$@"; }

not_here() { is_wanted "$1" && row "$1" - - - "not here: $2"; }

# A fresh clone. Sets CLONE, LOG and HOME.
new_clone() {
  local place
  place=$(mktemp -d "$WORK/machine.XXXXXX")
  chmod 755 "$place"
  CLONE=$place/${1:-course} LOG=$place/log
  export HOME=$place/home
  mkdir "$HOME"
  git clone -q --no-hardlinks "$ROOT" "$CLONE"
}

# machine NAME [PREFIX ...]: runs the job and the part of the check in $CLONE, each by the command PREFIX. They see no
# other programs than those in $PROGRAMS.
machine() {
  local name=$1 started=$SECONDS counts bad="" command
  shift
  is_wanted "$name" || return 0
  [ -n "${CLONE:-}" ] || new_clone
  for command in "$JOB" "$PART"; do
    # shellcheck disable=SC2086 # The commands' words.
    (cd "$CLONE" && "$@" env "PATH=$PROGRAMS" $command) >>"$LOG" 2>&1 </dev/null || bad=${bad:-$command}
  done
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$LOG" | tail -1)
  if [ -n "$bad" ]; then
    bad=$(grep -m 1 -E '^(FAILED|ERROR)|Error|could not|cannot|not found' "$LOG" || echo "$bad failed")
    failed=1
    cp "$LOG" "${TMPDIR:-/tmp}/machine-${name// /-}.log"
  fi
  [ -n "$counts" ] || counts="- passed, - failed, - skipped"
  # shellcheck disable=SC2086 # The sentence's words are the numbers.
  set -- $counts
  row "$name" $((SECONDS - started)) "$1" "$5" "${bad:0:150}"
  cleanup_clone
}

cleanup_clone() {
  umount "${CLONE%/*}"/noexec "$CLONE" 2>/dev/null
  rm -rf "${CLONE%/*}"
  CLONE=""
}

as_user() {
  chown -R "$USER_ID:$USER_ID" "${CLONE%/*}" &&
    setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups env "UV_CACHE_DIR=$HOME/uv-cache" "$@"
}

# --- kinds of machines ------------------------------------------------------------------------------------------------

with_umask() { (umask "$1" && shift && "$@"); }

with_read_only_home() { as_user env "HOME=$WORK/home-of-root" "$@"; }

with_noexec_tmpdir() {
  local folder=${CLONE%/*}/noexec
  mkdir -p "$folder" && { mountpoint -q "$folder" || mount -t tmpfs -o noexec tmpfs "$folder"; } && TMPDIR=$folder "$@"
}

# No package index has numba.
without_numba() {
  echo 'numba==0.0.1' >"${CLONE%/*}/no-numba.txt"
  UV_CONSTRAINT=${CLONE%/*}/no-numba.txt PIP_CONSTRAINT=${CLONE%/*}/no-numba.txt "$@"
}

# The first command says what is missing. Once there is an environment, everything runs.
without_network() {
  if ! [ -d .venv ]; then
    https_proxy=http://127.0.0.1:9 PIP_NO_INDEX=1 PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS="" "$@" && return 1
    grep -q 'Check that this computer is online' "$LOG" || return 1
    : >"$LOG"
    "$PROGRAMS/python3" -m g2c.course.environment interop corpora check || return 1
  fi
  https_proxy=http://127.0.0.1:9 PIP_NO_INDEX=1 PIP_FIND_LINKS="" "$@"
}

# The first command refuses an environment that the course did not make, and names a remedy that works.
with_foreign_environment() {
  if ! [ -d .venv ]; then
    "$PROGRAMS/python3" -m venv .venv || return 1
    "$@" && return 1
    grep -q 'with: mv .venv .venv-old' "$LOG" && mv .venv .venv-old || return 1
    : >"$LOG"
  fi
  "$@"
}

two_at_once() {
  local first
  if [ -d .venv ]; then
    "$@"
  else
    "$@" &
    first=$!
    "$@" && wait "$first"
  fi
}

# Ctrl-C while packages are installed, then while the engine is compiled; no process stays.
interrupted() {
  local pattern process
  if ! [ -d .venv ]; then
    for pattern in "install" "g2c.engine"; do
      # A separate job, which a terminal's Ctrl-C would reach.
      set -m
      "$@" &
      process=$!
      set +m
      until is_running "$pattern" || ! kill -0 "$process"; do sleep 0.1; done
      kill -INT "-$process"
      wait "$process" && return 1
      sleep 1
      is_running "$CLONE" && echo "Error: processes were left running" && return 1
    done
  fi
  "$@"
}

# Whether a process of this clone runs whose command contains the text.
is_running() {
  local command
  while read -r command; do
    [[ $command == *"$CLONE/.venv"* && $command == *"$1"* ]] && return
  done < <(ps -eo args=)
  return 1
}

# Refused before the notebook runs, and works as a copy.
in_read_only_checkout() {
  if ! mountpoint -q "$CLONE"; then
    "$PROGRAMS/python3" -m g2c.course.environment interop corpora check || return 1
    mount --bind "$CLONE" "$CLONE" && mount -o remount,ro,bind "$CLONE" || return 1
    (cd "$CLONE" && "$@") && return 1
    grep -q '\[1/' "$LOG" && echo "Error: the notebook ran" && return 1
    umount "$CLONE" && mount --bind "$CLONE" "$CLONE"
    : >"$LOG"
  fi
  "$@"
}

# --- the machines -----------------------------------------------------------------------------------------------------

row machine seconds passed skipped "first bad line"
python=$(type -P python3)
[ "$(id -u)" = 0 ] && kind=root || kind="an ordinary user"
CLONE=""

for version in 3.11 3.12 3.13 3.14; do
  found=""
  for candidate in "$(type -P "python$version")" "$USERS_HOME"/.pyenv/versions/"$version".*/bin/python3; do
    [ -n "$(real_python "$candidate")" ] && found=$candidate
  done
  if [ -n "$found" ]; then
    programs "$found"
    machine "$kind, Python $version"
  else
    not_here "$kind, Python $version" "this Python is not installed"
  fi
done

programs "$python" git && machine "no git"
programs "$python" curl && machine "no curl"
programs "$python"
machine "HOME unset" env -u HOME
machine "LC_ALL=POSIX" env LC_ALL=POSIX
machine "umask 077" with_umask 077
is_wanted "a path with blanks and umlauts" && new_clone "mein Kurs für Töne" && machine "a path with blanks and umlauts"
machine "no numba" without_numba
machine "no network" without_network
machine "two first commands at once" two_at_once
machine "Ctrl-C and again" interrupted
machine "a foreign venv" with_foreign_environment

if type -P taskset >/dev/null; then
  machine "one CPU" "$(type -P taskset)" -c 0
else
  not_here "one CPU" "taskset is not installed"
fi
if [ "$(id -u)" = 0 ] && mkdir "$WORK/mount" && mount -t tmpfs -o noexec tmpfs "$WORK/mount" 2>/dev/null; then
  umount "$WORK/mount"
  machine "noexec TMPDIR" with_noexec_tmpdir
  machine "a read-only checkout" in_read_only_checkout
else
  not_here "noexec TMPDIR" "only root can mount a file system"
  not_here "a read-only checkout" "only root can mount a file system"
fi
if [ "$(id -u)" = 0 ] && type -P setpriv >/dev/null; then
  programs "$(public_python)"
  mkdir "$WORK/home-of-root"
  machine "an ordinary user" as_user
  machine "HOME read-only" with_read_only_home
  if is_wanted "Python in a private folder"; then
    new_clone
    cp -r "$("$python" -c 'import sys; print(sys.base_prefix)')" "$HOME/python"
    chmod 700 "$HOME"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$HOME/python/bin/python3" >"$PROGRAMS/python3"
    show='import sys; print(sys.version)'
    if [ "$(as_user "$HOME/python/bin/python3" -c "$show" 2>&1)" = "$("$python" -c "$show")" ]; then
      machine "Python in a private folder" as_user
    else
      not_here "Python in a private folder" "this Python cannot be copied; as root, it may be in root's home"
      cleanup_clone
    fi
  fi
else
  not_here "another user" "only root can become another user"
fi
not_here "macOS" "simulated by nothing here; the workflow check.yml runs on it"
exit "$failed"
