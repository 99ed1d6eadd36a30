package benchmarks

import (
	"flag"
	"testing"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if !*full {
		truthDraws = 1500 // an error that is a third of that of 500 draws
	}
	benchtest.Main(m)
}
