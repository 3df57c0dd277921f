#!/bin/sh
# usage: finish.sh K0.hsaco launch.yaml run.db K1.hsaco
set -eu
[ "$#" -ge 4 ] || { echo "usage: finish.sh K0.hsaco launch.yaml run.db K1.hsaco" >&2; exit 2; }
exec asmevo finish "$1" --launch "$2" --store "$3" -o "$4" -f json -q
