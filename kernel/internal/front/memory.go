package front

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MemoryEnv is the environment variable that limits what a cell's program may allocate, in MiB. The default is four
// fifths of the machine's memory or, if that is less, of the container's.
const MemoryEnv = "EXPFAM_CELL_MEMORY"

// limitMemory sets limits on this process that the programs of cells inherit. A cell that wants too much memory then
// ends by itself, and Go says where. limitMemory returns additions to the programs' environment.
//
//   - RLIMIT_DATA counts the writable private memory of one process. It does not count reserved addresses, as RLIMIT_AS
//     would: GPU drivers reserve more addresses than there is memory.
//   - GOMEMLIMIT lets the garbage collector work harder near the limit, before garbage crosses it.
//   - oom_score_adj makes these programs the victims when several together use up the machine's memory, not the
//     notebook server.
//
// Where the system has no /proc, the size of memory is unknown and only MemoryEnv sets a limit.
func limitMemory() (env map[string]string) {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	mib, err := strconv.ParseUint(os.Getenv(MemoryEnv), 10, 64)
	if err != nil {
		mib = machineMemory() / 5 * 4 >> 20
	}
	if mib == 0 {
		return nil
	}
	if !limitData(mib << 20) {
		return nil
	}
	return map[string]string{"GOMEMLIMIT": fmt.Sprintf("%dMiB", mib*9/10)}
}

// machineMemory returns the memory of the machine or, if that is less, of the container, in bytes; 0 if it is unknown.
func machineMemory() uint64 {
	var bytes uint64
	info, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(info)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
			kib, _ := strconv.ParseUint(fields[1], 10, 64)
			bytes = kib << 10
		}
	}
	for _, name := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(filepath.Join("/sys/fs/cgroup", name))
		if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 && n < bytes {
			bytes = n
		}
	}
	return bytes
}
