#!/bin/sh
#SBATCH --requeue
#SBATCH --open-mode=append
# The merge: executes NOTEBOOK when all shares are there. `expfam submit` writes this file into the folder of a job and submits it;
# by hand, behind the array ID:
#
#     sbatch --dependency=afterok:ID --output=FOLDER/log/merge.log merge.sh KERNEL FOLDER NOTEBOOK [flags of expfam run]
#
# The file merge.done or merge.failed then says on which node it ended, with which status and after how many milliseconds.
kernel=$1 folder=$2 notebook=$3
shift 3
mark=$folder/log/merge
rm -f "$mark.failed"
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-${NCPUS:-${NSLOTS:-${GOMAXPROCS:-1}}}}}"

trap : TERM
# The dates of macOS and BSD have no milliseconds: they print 3N.
now() { case $(date +%s%3N) in *[!0-9]*) date +%s000 ;; *) date +%s%3N ;; esac; }
begin=$(now)
echo "== merge on ${SLURMD_NODENAME:-$(hostname)}, $(date -u +%FT%TZ)"
"$kernel" run "$@" -out "$folder/merge.ipynb" "$notebook"
status=$?
word=failed
[ "$status" != 0 ] || word=done
echo "${SLURMD_NODENAME:-$(hostname)} $status $(($(now) - begin))" >"$mark.part" && mv "$mark.part" "$mark.$word"
exit "$status"
