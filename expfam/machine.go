package expfam

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// available is the memory in bytes that is free on this machine, or that the
// control group of this process may have if that is less. It is read once, so
// that what depends on it stays the same in a process. Where it is not known it
// is beyond all bounds.
var available = sync.OnceValue(func() float64 {
	free := math.Inf(1)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if m := memAvailable.FindSubmatch(text); m != nil {
			free = number(m[1]) * 1024
		}
	}
	// What a control group uses is mostly cached files that it would give up, so
	// only its limit counts.
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(limit); err == nil {
			free = min(free, number(text))
		}
	}
	return free
})

var memAvailable = regexp.MustCompile(`MemAvailable:\s+(\d+) kB`)

// number reads a file of one; a word, such as max, is no bound.
func number(text []byte) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return math.Inf(1)
	}
	return v
}
