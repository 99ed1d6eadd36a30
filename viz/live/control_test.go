package live

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The texts are those of JavaScript's String(Number(v.toPrecision(4))).
func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3: "3", 30000: "30000", 123456: "123500", -0.25: "-0.25",
		1.0 / 3: "0.3333", 0.00002: "0.00002", 1.5e-7: "1.5e-07", 6.02e23: "6.02e+23"} {
		must.Equal(t, number(v), want, v)
	}
}
