package main

// memoryEnv limits what a cell's program may allocate, in MiB. By default that is four fifths of the machine's memory, or
// of the container's.
const memoryEnv = "EXPFAM_CELL_MEMORY"

// limitMemory is the shell script that starts GoNB, whose path and arguments are its own $0 and $@. What it sets is
// inherited by the programs of cells, so that the cell that wants too much is what ends, with Go's own account of where:
//
//   - ulimit -d (RLIMIT_DATA) counts the writable private memory of one process. Reserved addresses don't count, of which
//     GPU drivers have more than there is memory; ulimit -v would count them.
//   - GOMEMLIMIT lets the collector work harder near the limit, before garbage crosses it.
//   - oom_score_adj names the victim when several programs together use up the machine: not the notebook server.
//
// Where the system has no /proc no limit is known and only memoryEnv sets one.
const limitMemory = `mib=$` + memoryEnv + `
if [ -z "$mib" ]; then
  kib=0
  while read -r name n unit; do
    if [ "$name" = MemTotal: ]; then kib=$n; fi
  done </proc/meminfo
  for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
    if read -r n <$file && [ "$n" -gt 0 ] && [ $((n / 1024)) -lt $kib ]; then kib=$((n / 1024)); fi
  done
  mib=$((kib / 1280))
fi 2>/dev/null
if [ "$mib" -gt 0 ]; then
  ulimit -d $((mib * 1024)) && export GOMEMLIMIT=$((mib * 9 / 10))MiB
fi 2>/dev/null
echo 500 2>/dev/null >/proc/self/oom_score_adj
exec "$0" "$@"`
