package increments

import (
	"flag"
	"os"
	"testing"

	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/fulltest"
)

// TestMain gives the tests a store of their own. With -full they take hours, and go on where they stopped.
func TestMain(m *testing.M) {
	flag.Parse()
	if *fulltest.Full {
		os.Exit(m.Run())
	}
	storetest.Main(m)
}
