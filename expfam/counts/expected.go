package counts

import (
	"fmt"
	"math"
)

// Expected returns the cases that each district would have at the rate of all districts together,
//
//	Eᵢ = nᵢ Σⱼ yⱼ / Σⱼ nⱼ
//
// (indirect standardisation), for cases y and people, births or years at risk n. A Poisson likelihood of y with the
// known exposures E has relative risks for its rates. Districts whose y is NaN do not count in the sums.
func Expected(y, n []float64) ([]float64, error) {
	if len(y) != len(n) || len(y) == 0 {
		return nil, fmt.Errorf("counts: expected: %d cases and %d numbers of people; give one of each for a district",
			len(y), len(n))
	}
	cases, people := 0.0, 0.0
	for i := range y {
		if !(n[i] > 0) || math.IsInf(n[i], 0) || y[i] < 0 || math.IsInf(y[i], 0) {
			return nil, fmt.Errorf("counts: expected: district %d has %g cases among %g; cases are at least 0, and "+
				"people more than 0", i, y[i], n[i])
		}
		if !math.IsNaN(y[i]) {
			cases, people = cases+y[i], people+n[i]
		}
	}
	if !(cases > 0) {
		return nil, fmt.Errorf("counts: expected: %g cases in all %d districts; a risk relative to none is not defined",
			cases, len(y))
	}
	out := make([]float64, len(n))
	for i := range n {
		out[i] = n[i] * cases / people
	}
	return out, nil
}
