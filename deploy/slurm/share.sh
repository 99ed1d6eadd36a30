#!/bin/sh
#SBATCH --requeue
#SBATCH --open-mode=append
# A share: task i of an array executes NOTEBOOK with its parameter NAME set to i. `expfam submit` writes this file into the folder of
# a job and submits it; by hand:
#
#     mkdir -p FOLDER/log
#     sbatch --array=0-3 --output=FOLDER/log/share-%a.log share.sh KERNEL FOLDER NAME NOTEBOOK [flags of expfam run]
#
# A task whose node fails is started again by Slurm, and goes on from the batches of draws that the store has. The file share-i.done
# or share-i.failed then says on which node the share ended, with which status and after how many milliseconds.
kernel=$1 folder=$2 name=$3 notebook=$4
shift 4
i=${EXPFAM_SHARE:-$SLURM_ARRAY_TASK_ID}
mark=$folder/log/share-$i
rm -f "$mark.failed"

# As many threads as the task has processors, and four fifths of its memory, where the scheduler knows them.
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-${NCPUS:-${NSLOTS:-${GOMAXPROCS:-1}}}}}"
if [ -n "${SLURM_MEM_PER_NODE:-}" ]; then
	export EXPFAM_CELL_MEMORY="${EXPFAM_CELL_MEMORY:-$((SLURM_MEM_PER_NODE / 5 * 4))}"
fi

# Slurm sends the signal to all processes of a task whose time is up: the cell keeps its draws, and this script lives to say so.
trap : TERM
# The dates of macOS and BSD have no milliseconds: they print 3N.
now() { case $(date +%s%3N) in *[!0-9]*) date +%s000 ;; *) date +%s%3N ;; esac; }
begin=$(now)
echo "== share $i on ${SLURMD_NODENAME:-$(hostname)}, $(date -u +%FT%TZ)"
"$kernel" run -html=false -set "$name=$i" "$@" -out "$folder/share-$i.ipynb" "$notebook"
status=$?
word=failed
[ "$status" != 0 ] || word=done
echo "${SLURMD_NODENAME:-$(hostname)} $status $(($(now) - begin))" >"$mark.part" && mv "$mark.part" "$mark.$word"
exit "$status"
