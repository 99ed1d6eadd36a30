// Package fulltest gives the tests of a package the flag -full, which asks for what
// takes too long for every commit. .ci/nightly runs the packages that have it.
package fulltest

import (
	"flag"
	"os"
	"runtime/debug"
)

// Tests allocate much and keep little. Collecting a quarter as often saves 5 to 15% of their processor time.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Full asks for all that a test can do; without it a test does enough to find a
// fault in the same code. Flags are parsed by the time that a test runs.
var Full = flag.Bool("full", false, "do what takes many minutes as well")

// N is many with -full, else few.
func N(few, many int) int {
	if *Full {
		return many
	}
	return few
}
