#!/bin/sh
# Prints the name of the Python to make the virtual environment with, or says in one line why there is none.
#
#   find_python.sh [PYTHON]    PYTHON: use this one and no other
#
# The versions that the project is tested with come first. Each is run, not just looked for: a version manager's
# stand-in exists for every version it knows, whether or not it is switched on.
set -u

if [ -n "${1:-}" ]; then
    set -- "$1"
else
    set -- python3.13 python3.12 python3.11 python3 python3.14
fi

lacking=
for python do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue
    if "$python" -c 'import ensurepip, sqlite3, ssl, venv' >/dev/null 2>&1; then
        echo "$python"
        exit 0
    fi
    lacking=${lacking:-$python}
done

if [ -n "$lacking" ]; then
    echo "$lacking lacks one of the modules venv, ensurepip, sqlite3, ssl: install them" \
        "(Debian and Ubuntu: apt install python3-venv), or name another with 'make PYTHON=...'" >&2
else
    echo "no Python 3.11 or newer among: $*. Install one, or name it with 'make PYTHON=...'" >&2
fi
exit 1
