package hmc

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// congruential makes the chains of testdata/diagnostics.py.
func congruential(phi, shift, scale float64, count, draws int) [][]float64 {
	state := uint64(12345)
	out := make([][]float64, count)
	for c := range out {
		x := 0.0
		for range draws {
			noise := -6.0
			for range 12 {
				state = (1103515245*state + 12345) % (1 << 31)
				noise += float64(state) / (1 << 31)
			}
			x = phi*x + noise
			out[c] = append(out[c], x)
		}
	}
	for i, x := range out[count-1] {
		out[count-1][i] = shift + scale*x
	}
	return out
}

func TestDiagnosticsAgreeWithArviZ(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/diagnostics.json"))(t)
	var rows []struct {
		Name              string
		Phi, Shift, Scale float64
		Chains, Draws     int
		Last, BFMI        float64
		RHat              *float64
		Bulk              float64 `json:"ess_bulk"`
		Tail              float64 `json:"ess_tail"`
	}
	must.Do(t, json.Unmarshal(raw, &rows))
	for _, r := range rows {
		t.Run(r.Name, func(t *testing.T) {
			x := congruential(r.Phi, r.Shift, r.Scale, r.Chains, r.Draws)
			// Sums of 12 numbers in another order, and the quantile function of another library: rounding only.
			near := func(what string, got, want float64) {
				t.Helper()
				must.Absolute(t, what, got, want, 1e-8*math.Abs(want))
			}
			near("last draw", x[r.Chains-1][r.Draws-1], r.Last)
			if r.RHat != nil {
				near("R-hat", RHat(x), *r.RHat)
			}
			near("bulk ESS", ESSBulk(x), r.Bulk)
			near("tail ESS", ESSTail(x), r.Tail)
			near("E-BFMI", EBFMI(x[0]), r.BFMI)
		})
	}
}

func TestDiagnosticsOfConstants(t *testing.T) {
	same := [][]float64{{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}}
	r := RHat(same)
	must.Be(t, math.IsNaN(r), "R-hat of equal draws is %v, want NaN", r)
	must.Equal(t, ESSBulk(same), 16, "ESS of equal draws")
	stuck := [][]float64{{1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2, 2}}
	r = RHat(stuck)
	must.Be(t, math.IsInf(r, 1), "R-hat of stuck chains is %v, want +Inf", r)
}

func BenchmarkDiagnostics(b *testing.B) {
	rng := expfam.Stream(1, "benchmark")
	x := make([][]float64, 4)
	for c := range x {
		for range 1000 {
			x[c] = append(x[c], rng.NormFloat64())
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		RHat(x)
		ESSBulk(x)
		ESSTail(x)
	}
}

// A NaN has no rank among the draws.
func TestDiagnosticsOfNaN(t *testing.T) {
	chains := [][]float64{{1, 2, math.NaN(), 4, 3, 5, 2, 7}, {2, 3, 1, 6, 5, 4, 3, 2}}
	for name, f := range map[string]func([][]float64) float64{"RHat": RHat, "ESSBulk": ESSBulk, "ESSTail": ESSTail,
		"ESSMean": ESSMean} {
		v := f(chains)
		must.Be(t, math.IsNaN(v), "%s of a draw that is NaN is %g, want NaN", name, v)
	}
}
