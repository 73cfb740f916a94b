#!/bin/sh
#SBATCH --job-name=lockstep
#SBATCH --array=0-15
#SBATCH --cpus-per-task=4
#SBATCH --requeue
# An exploration over the tasks of an array: sbatch deploy/slurm-array.sh [SCENARIO...]
#
# Each task takes its part of the seeds from SLURM_ARRAY_TASK_ID. One that is requeued goes on where
# it stopped. When all are done: lockstep merge "$OUT".
OUT=${OUT:-lockstep-results}
SEEDS=${SEEDS:-100000}
"${LOCKSTEP:-lockstep}" explore "$@" --seeds "$SEEDS" --jobs "${SLURM_CPUS_PER_TASK:-1}" --out "$OUT"
code=$?
# 1 means that a property was violated: a result, and no reason to fail the task.
[ "$code" -eq 1 ] && exit 0
exit "$code"
