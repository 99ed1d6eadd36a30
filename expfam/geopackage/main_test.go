package geopackage

import (
	"testing"

	"github.com/expfam/lab/expfam/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
