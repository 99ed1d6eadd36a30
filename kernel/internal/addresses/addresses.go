// Package addresses refuses a limit of addresses, ulimit -v, in which programs in Go end with a trace. Below some
// 700 MB the runtime ends before the first line of Go, so that a program linked with Flag compares the limit before the
// runtime starts.
package addresses

import "fmt"

// Least is the number of bytes of addresses that programs in Go need for their start, their threads and what they
// reserve; a cell of few lines runs in twice as many.
const Least = 1500 << 20

// remedy ends the sentence about a limit.
const remedy = ", and programs in Go need at least 1500, most of which they never use: raise it, as by `ulimit -v " +
	"unlimited`, and limit the memory in use, as by `systemd-run --user --scope -p MemoryMax=2G`"

// refusal is what a program says that is linked with Flag.
var refusal = "expfam: the limit of addresses, ulimit -v, is below 1500 MB" + remedy + "\n"

// Fit refuses a limit of so many bytes.
func Fit(limit int64) error {
	if limit < Least {
		return fmt.Errorf("the limit of addresses, ulimit -v, is %d MB%s", limit>>20, remedy)
	}
	return nil
}

// Flag returns the flag of Go's linker by which a program for a system begins at start, "" for systems without it.
func Flag(system string) string {
	if system == "linux/amd64" || system == "linux/arm64" {
		return "-E=github.com/expfam/lab/kernel/internal/addresses.start"
	}
	return ""
}
