#!/usr/bin/env bash
# Tries the course's first steps on several kinds of machines, each simulated on this one (Linux; most need root): in a
# fresh clone, the solution notebook and a part of the check. Prints a line for each: its name, the seconds it took, how
# many tests passed and were skipped, and the first line that tells what went wrong. Exits with 1 if anything did.
#
#     scripts/machines.sh              all machines
#     scripts/machines.sh NAME ...     those whose name contains one of these words
#
# Interruptions, two runs at once, a moved clone, and a .venv that the course did not create are tested in test_scripts.py.

# shellcheck disable=SC2317,SC2329 # Most functions are called by `machine`, by the name that it is given.
set -uo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/programs.sh
source "$ROOT/scripts/programs.sh"
JOB="./noteboosh.sh --run 04 --solution"
PART="./check.sh tests/test_tokenizer.py tests/course/course/commands/test_cli_doctor.py tests/course/grading/test_isolation.py"
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
trap 'umount "$WORK/noexec" 2>/dev/null; rm -rf "$WORK"' EXIT
# Packages are downloaded once.
export UV_CACHE_DIR=$WORK/uv-cache
failed=0

# --- trying a machine -------------------------------------------------------------------------------------------------

# programs PYTHON [WITHOUT ...]: the programs that README names, with this Python. Sets PROGRAMS.
programs() {
  PROGRAMS=$(mktemp -d "$WORK/programs.XXXXXX")
  chmod 755 "$PROGRAMS"
  link_programs "$PROGRAMS" "$@"
}

row() { printf '%-34s %7s %7s %7s   %s\n' "$@"; }

is_wanted() {
  local word
  [ ${#NAMES[@]} = 0 ] && return
  for word in "${NAMES[@]}"; do [[ $1 == *"$word"* ]] && return; done
  return 1
}

# machine NAME [PREFIX ...]: runs the job and the part of the check in a fresh clone, each by the command PREFIX. They see
# no other programs than those in $PROGRAMS. The clone's folder has the name of the machine.
machine() {
  local name=$1 place started=$SECONDS counts bad="" command
  shift
  is_wanted "$name" || return 0
  place=$(mktemp -d "$WORK/machine.XXXXXX")
  chmod 755 "$place"
  CLONE="$place/$name" LOG=$place/log
  export HOME=$place/home
  mkdir "$HOME"
  git clone -q --no-hardlinks "$ROOT" "$CLONE"
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
  # shellcheck disable=SC2086 # The sentence's words are the numbers.
  set -- ${counts:-- passed, - failed, - skipped}
  row "$name" $((SECONDS - started)) "$1" "$5" "${bad:0:150}"
  rm -rf "$place"
}

not_here() { is_wanted "$1" && row "$1" - - - "not here: $2"; }

# --- kinds of machines ------------------------------------------------------------------------------------------------

with_umask() { (umask "$1" && shift && "$@"); }

# No package index has numba.
without_numba() {
  grep -v '^numba==' "$ROOT/constraints.txt" >constraints.txt
  echo 'numba==0.0.1' >>constraints.txt
  git -c user.name=x -c user.email=x commit -qam "No numba"
  "$@"
}

# Settings that would put packages elsewhere, or forbid that they are installed.
with_settings() {
  mkdir -p "$HOME/.pip"
  printf '[install]\ntarget = %s\nrequire-virtualenv = 1\nno-deps = 1\n' "$WORK/elsewhere" >"$HOME/.pip/pip.conf"
  PIP_PREFIX=$WORK/elsewhere PIP_USER=1 PIP_DRY_RUN=1 UV_TARGET=$WORK/elsewhere UV_OFFLINE=0 PYTHONUSERBASE=$WORK/elsewhere \
    PYTHONPATH=$WORK "$@"
  [ ! -e "$WORK/elsewhere" ]
}

# Files of the student's that have the names of libraries, in the clone and where the scripts run.
with_hiding_files() {
  local name
  for name in tokenizers numpy json random code; do echo 'raise RuntimeError("hidden")' >$name.py; done
  "$@"
}

# A script in the folder above.
from_above() {
  "$@" && (cd .. && "$CLONE/.venv/bin/python" -c 'from g2c.tokenizer import load_artifact')
}

# Once more when the course needs something new, and there is no network.
and_offline() {
  "$@" && echo "# New." >>constraints.txt &&
    env -u PIP_FIND_LINKS PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=http://127.0.0.1:9 "$@"
}

as_user() {
  chown -R "$USER_ID:$USER_ID" "${CLONE%/*}" &&
    setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups env "UV_CACHE_DIR=$HOME/uv-cache" "$@"
}

with_read_only_home() { as_user env "HOME=$WORK/home-of-root" "$@"; }

# A Python that every user may use: the system's, or a copy.
public_python() {
  local prefix
  if [ "$(/usr/bin/python3 -c 'import ensurepip, sys, venv; print(sys.version_info >= (3, 11))' 2>/dev/null)" = True ]; then
    echo /usr/bin/python3
  else
    prefix=$(python3 -c 'import sys; print(sys.base_prefix)')
    cp -r "$prefix" "$WORK/public-python"
    echo "$WORK/public-python/bin/python3"
  fi
}

# --- the machines -----------------------------------------------------------------------------------------------------

row machine seconds passed skipped "first bad line"
python=$(type -P python3)
for version in 3.11 3.12 3.13 3.14; do
  found=""
  for candidate in "$(type -P "python$version")" "$USERS_HOME"/.pyenv/versions/"$version".*/bin/python3; do
    [ -n "$(real_python "$candidate")" ] && found=$candidate
  done
  if [ -n "$found" ]; then
    programs "$found"
    machine "Python $version"
  else
    not_here "Python $version" "it is not installed"
  fi
done

programs "$python" git && machine "no git"
programs "$python" curl && machine "no curl"
programs "$python"
machine "no numba" without_numba
machine "pip and uv set up otherwise" with_settings
machine "files that hide libraries" with_hiding_files
machine "g2c" from_above
machine "an update offline" and_offline
machine "HOME unset" env -u HOME
machine "LC_ALL=POSIX" env LC_ALL=POSIX
machine "umask 077" with_umask 077
machine "blanks und Töne in the path"
type -P taskset >/dev/null && machine "one CPU" "$(type -P taskset)" -c 0
if mkdir "$WORK/noexec" && mount -t tmpfs -o noexec tmpfs "$WORK/noexec" 2>/dev/null; then
  machine "noexec TMPDIR" env "TMPDIR=$WORK/noexec"
else
  not_here "noexec TMPDIR" "only root can mount a file system"
fi
if [ "$(id -u)" = 0 ] && type -P setpriv >/dev/null; then
  programs "$(public_python)"
  mkdir "$WORK/home-of-root"
  machine "an ordinary user" as_user
  machine "HOME read-only" with_read_only_home
else
  not_here "an ordinary user" "only root can become another user"
fi
exit "$failed"
