#!/bin/sh
# usage: propose.sh run.db proposal.json
set -eu
[ "$#" -ge 2 ] || { echo "usage: propose.sh run.db proposal.json" >&2; exit 2; }
exec asmevo tell --store "$1" "$2" -f json -q
