package formula

import (
	"fmt"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Derivatives of the most nested formulas that are accepted stay small enough to print.
func TestHostileSize(t *testing.T) {
	const n = 24 // two characters for one at every level would be 16 million
	for _, open := range []string{"exp(", "sigmoid(", "softplus(", "logit(", "mills(", "normcdf(", "x^("} {
		t.Run(open, func(t *testing.T) {
			e := MustParse(strings.Repeat(open, n) + "x" + strings.Repeat(")", n))
			size := len(e.Derivative().Derivative().String())
			must.Be(t, size <= 2e6, "the second derivative has %d characters", size)
		})
	}
	must.Refuse(Parse(strings.Repeat("-", maxDepth+2)+"x", "x"))(t)
}

func BenchmarkEval(b *testing.B) {
	for _, text := range []string{"exp(5+x)", "softplus(5*x)", "lognormcdf(x)-x^2/2"} {
		e := MustParse(text)
		b.Run(fmt.Sprint(e), func(b *testing.B) {
			for b.Loop() {
				_ = e.Eval(0.3)
			}
		})
	}
}
