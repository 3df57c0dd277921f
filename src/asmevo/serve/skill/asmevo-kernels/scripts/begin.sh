#!/bin/sh
# usage: begin.sh K0.hsaco launch.yaml run.db
set -eu
[ "$#" -ge 3 ] || { echo "usage: begin.sh K0.hsaco launch.yaml run.db" >&2; exit 2; }
exec asmevo ask --store "$3" "$1" --launch "$2" --tool profile -f json -q
