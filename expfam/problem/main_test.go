package problem

import (
	"testing"

	"github.com/expfam/lab/expfam/internal/storetest"
)

// TestMain gives the tests a store of their own, so that nothing an earlier run stored stands in for what they compute.
func TestMain(m *testing.M) { storetest.Main(m) }
