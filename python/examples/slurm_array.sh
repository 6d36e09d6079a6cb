#!/bin/sh
#SBATCH --job-name=bunraku
#SBATCH --array=0-14
#SBATCH --cpus-per-task=1
# 15 runs, 1 to a task. Runs that have ended are not run again: submit the script once more after a failure.
first=$((SLURM_ARRAY_TASK_ID * 1))
exec /shared/bin/bunraku sweep /shared/out/rover_sweep --rows "$first-$((first + 0))" --jobs 1
