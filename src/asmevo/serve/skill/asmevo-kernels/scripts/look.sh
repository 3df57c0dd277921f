#!/bin/sh
# usage: look.sh run.db TOOL [ARGUMENTS]
set -eu
[ "$#" -ge 2 ] || { echo "usage: look.sh run.db TOOL [ARGUMENTS]" >&2; exit 2; }
[ "$#" -ge 3 ] || set -- "$1" "$2" '{}'
exec asmevo ask --store "$1" --tool "$2" --arguments "$3" -f json -q
