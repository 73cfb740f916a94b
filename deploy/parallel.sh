#!/bin/sh
# An exploration over processes, or over hosts that share a file system, by GNU parallel:
#
#     deploy/parallel.sh [SCENARIO...]
#     HOSTS=a,b,c SHARDS=12 SEEDS=100000 OUT=results deploy/parallel.sh chaos
#
# Then the shards are merged, and the exit code is that of the whole. Said again, it goes on where it
# was stopped.
set -eu
SHARDS=${SHARDS:-4}
SEEDS=${SEEDS:-1000}
OUT=${OUT:-lockstep-results}
LOCKSTEP=${LOCKSTEP:-lockstep}
command -v parallel >/dev/null || { echo "parallel.sh: GNU parallel is not installed" >&2; exit 2; }
# 1 means that a property was violated: a result, and no reason to stop the others.
seq "$SHARDS" | parallel ${HOSTS:+--sshlogin "$HOSTS" --workdir .} --halt soon,fail=1 --quote \
    sh -c '"$@" || [ $? -eq 1 ]' shard \
    "$LOCKSTEP" explore "$@" --seeds "$SEEDS" --jobs 1 --shard "{}/$SHARDS" --out "$OUT"
exec "$LOCKSTEP" merge "$OUT"
