#!/bin/sh
# Choose a Python for the virtual environment and hand over to prepare.py. PYTHON=... overrides the choice.
cd "$(dirname "$0")/.." || exit 1

usable() {
    # Prints the version as one number (3.11 -> 311) if this Python can be used at all.
    "$1" -c 'import ctypes, ssl, sys; print(sys.version_info[0] * 100 + sys.version_info[1])' 2>/dev/null
}

if [ -n "$PYTHON" ]; then
    version=$(usable "$PYTHON") || version=0
    if [ "$version" -lt 311 ]; then
        echo "PYTHON=$PYTHON is not a working Python 3.11 or newer." >&2
        exit 1
    fi
else
    newest=0
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        version=$(usable "$candidate") || continue
        if [ "$version" -ge 311 ] && [ "$version" -le 314 ] && [ "$version" -gt "$newest" ]; then
            newest=$version
            PYTHON=$candidate
        fi
    done
    if [ -z "$PYTHON" ]; then
        echo "limbik needs Python 3.11 to 3.14 and found none. On Debian or Ubuntu: apt-get install python3" >&2
        echo "If it has another name: make PYTHON=/path/to/python3" >&2
        exit 1
    fi
fi
exec "$PYTHON" tools/prepare.py "$@"
