package benchmark

import (
	"flag"
	"os"
	"testing"

	"github.com/expfam/lab/expfam/internal/storetest"
)

// TestMain gives the tests a store of their own, so that nothing an earlier run
// stored stands in for what they compute. With -full they take hours, and go on
// where they stopped.
func TestMain(m *testing.M) {
	flag.Parse()
	if *full {
		os.Exit(m.Run())
	}
	truthDraws = 1500 // an error that is a third of that of 500 draws
	storetest.Main(m)
}
