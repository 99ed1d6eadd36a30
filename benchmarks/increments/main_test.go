package increments

import (
	"testing"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
)

func TestMain(m *testing.M) { benchtest.Main(m) }
