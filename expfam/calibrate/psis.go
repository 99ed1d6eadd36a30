package calibrate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// smooth replaces the largest importance weights by quantiles of a generalised Pareto distribution that is fitted to
// them, and returns the shape k of this distribution: Pareto smoothed importance sampling, Vehtari, Simpson, Gelman,
// Yao & Gabry (2024), JMLR 25(72). The argument logs has the logarithms of the weights. They are changed in place, and
// the weights sum to 1 afterwards. The argument tail is the number of weights that count as large. If these are all
// equal they are not smoothed, and k is −Inf. If their distribution cannot be told, because a weight is infinite or a
// quarter of the largest weights are equal, they are not smoothed either, and k is +Inf.
func smooth(logs []float64, tail int) (k float64) {
	largest := floats.Max(logs)
	if math.IsInf(largest, 1) {
		return largest
	}
	floats.AddConst(-largest, logs)
	defer func() { floats.AddConst(-floats.LogSumExp(logs), logs) }()
	order := ordered(logs)
	rest := len(logs) - tail
	if tail < 5 || rest < 1 {
		return math.Inf(1) // too few draws to tell
	}
	largest = logs[order[len(order)-1]]
	if largest-logs[order[rest]] < 1e-300 {
		return math.Inf(-1)
	}
	cutoff := math.Exp(logs[order[rest-1]])
	excess := make([]float64, tail)
	for i := range excess {
		excess[i] = math.Exp(logs[order[rest+i]]) - cutoff
	}
	k, scale := fitPareto(excess)
	if math.IsNaN(k) || math.IsInf(k, 0) || !(scale > 0) {
		return k
	}
	for i := range excess {
		p := (float64(i) + 0.5) / float64(tail)
		q := -scale * math.Log1p(-p)
		if k != 0 {
			q = scale * math.Expm1(-k*math.Log1p(-p)) / k
		}
		logs[order[rest+i]] = math.Min(math.Log(cutoff+q), largest)
	}
	return k
}

// ordered returns the numbers of x in ascending order of x.
func ordered(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	return order
}

// tailOf returns how many of n weights count as large: 3√(n/r), at most a fifth of them, where r
// is the effective number of draws divided by n.
func tailOf(n int, r float64) int {
	if float64(n)*r > 225 {
		return int(3 * math.Sqrt(float64(n)/r))
	}
	return n / 5
}

// fitPareto fits a generalised Pareto distribution to ascending x > 0, and returns its shape k
// and its scale. The estimate is the posterior mean of Zhang & Stephens (2009), Technometrics 51,
// with a weak prior of ten observations at k = ½ as in Vehtari et al. (2024), appendix G.
func fitPareto(x []float64) (k, scale float64) {
	const priorScale, priorSize = 3, 10
	n := float64(len(x))
	quartile := x[int(n/4+0.5)-1]
	if quartile <= x[0] {
		return math.Inf(1), math.NaN() // ties: no such distribution
	}
	m := 30 + int(math.Sqrt(n))
	b, logs := make([]float64, m), make([]float64, m)
	shape := func(b float64) float64 {
		var sum float64
		for _, v := range x {
			sum += math.Log1p(-b * v)
		}
		return sum / n
	}
	for i := range b {
		b[i] = (1-math.Sqrt(float64(m)/(float64(i)+0.5)))/(priorScale*quartile) + 1/x[len(x)-1]
		s := shape(b[i])
		logs[i] = n * (math.Log(-b[i]/s) - s - 1)
	}
	total := floats.LogSumExp(logs)
	var mean, mass float64
	for i := range b {
		if w := math.Exp(logs[i] - total); w >= 10*0x1p-52 {
			mean, mass = mean+w*b[i], mass+w
		}
	}
	mean /= mass
	k = shape(mean)
	scale = -k / mean
	k = (n*k + priorSize*0.5) / (n + priorSize)
	if math.IsNaN(k) {
		return math.Inf(1), math.NaN()
	}
	return k, scale
}
