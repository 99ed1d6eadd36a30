// Package fulltest gives the tests of a package the flag -full. It asks for tests that
// take too long to run at every commit. .ci/nightly runs the packages that have the flag.
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

// Full asks for all cases of a test. Without it a test does enough cases to find a
// fault in the same code. Flags are parsed before a test runs.
var Full = flag.Bool("full", false, "do what takes many minutes as well")

// N returns many with -full, else few.
func N(few, many int) int {
	if *Full {
		return many
	}
	return few
}
