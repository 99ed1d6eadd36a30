// Package machine tells how much memory is free, and refuses work that needs more.
package machine

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Available returns the free memory of the machine in bytes, or the limit of the process's control group if
// that is less. The memory is read once, so that all that depends on it stays the same in a process. Where it
// is not known, the result is +Inf.
var Available = sync.OnceValue(func() float64 {
	free := math.Inf(1)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if m := memAvailable.FindSubmatch(text); m != nil {
			free = number(m[1]) * 1024
		}
	}
	// A control group mostly uses its memory for cached files that it would give up, so only its limit counts.
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(limit); err == nil {
			free = min(free, number(text))
		}
	}
	return free
})

var memAvailable = regexp.MustCompile(`MemAvailable:\s+(\d+) kB`)

// number returns the number that is the whole text, or +Inf for a word such as max, which sets no bound.
func number(text []byte) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return math.Inf(1)
	}
	return v
}

// Fits refuses work whose arrays take more bytes than are free. What names the work, and advice says what to do
// instead.
func Fits(what string, bytes float64, advice string) error {
	if free := Available(); bytes > free {
		return fmt.Errorf("%s takes about %.3g GB, and %.3g GB are free; %s", what, bytes/1e9, free/1e9, advice)
	}
	return nil
}
