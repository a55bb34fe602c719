# shellcheck shell=bash
# Sourced by .ci/run and scripts/machines.sh: a machine that has the programs that README names, and no others.

# The interpreter behind a command, which may be a link or a script; nothing when it does not run.
real_python() { "$1" -c 'import sys; print(sys._base_executable)' 2>/dev/null; }

# link_programs FOLDER PYTHON [WITHOUT ...]: puts them into the folder, as a value of PATH, with this Python as python3.
# Python may be a script that needs more programs, as pyenv's is, and finds its library beside its own file: not a link.
link_programs() {
  local folder=$1 python=$2 name path
  shift 2
  for name in sh bash curl git basename cat chmod cp cut date dirname echo env expr false head id ln ls mkdir mkfifo \
    mktemp mv nproc printf pwd readlink rm rmdir seq sleep sort stat tail tee test timeout touch tr true uname wc; do
    path=$(type -P "$name") && [[ " $* " != *" $name "* ]] && ln -s "$path" "$folder/$name"
  done
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$(real_python "$python")" >"$folder/python3"
  chmod 755 "$folder/python3"
}
