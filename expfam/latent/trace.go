package latent

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// trace has some coordinates of all chains at all measured transitions.
type trace struct {
	effort  effort
	watched []int       // numbers of the coordinates
	u       [][]float64 // of transition i and chain c at index i·chains + c
	logp    []float64
	accepts []float64
	steep   []float64   // largest entries of the gradients
	sums    [][]float64 // of all coordinates of each chain
	points  [][]float64 // of all coordinates, at the last transitions
}

func (t *trace) add(chains []*Chain) {
	if t.sums == nil {
		t.sums = many(len(chains), len(chains[0].U))
	}
	for k, c := range chains {
		floats.Add(t.sums[k], c.U)
		some := make([]float64, len(t.watched))
		for i, k := range t.watched {
			some[i] = c.U[k]
		}
		t.u = append(t.u, some)
		t.points = append(t.points, slices.Clone(c.U))
		t.logp = append(t.logp, c.LogP)
		t.accepts = append(t.accepts, c.Accept)
		t.steep = append(t.steep, c.steepness())
	}
	t.points = t.points[max(0, len(t.points)-8*t.effort.chains):]
}

func (t *trace) accept() (mean float64) {
	for _, a := range t.accepts {
		mean += a / float64(len(t.accepts))
	}
	return mean
}

// low returns the log density below which a point of the posterior practically never lies: as far below the median as
// farEnergies times the distance of the 10% point.
func (t *trace) low() float64 {
	sorted := slices.Sorted(slices.Values(t.logp))
	median, tenth := sorted[len(sorted)/2], sorted[len(sorted)/10]
	return median - farEnergies*(median-tenth) - 1
}

// moves returns the number of transitions after which no coordinate, no square of one and no log density is correlated
// with its start by more than that, within the error of the estimate. It is false if the run is too short for it.
func (t *trace) moves() (n int, mixed bool) {
	total := len(t.u) / t.effort.chains
	for lag := leastMoves; ; lag = max(lag+1, lag*4/3) {
		if lag > total/3 {
			return total / 3, false
		}
		limit := t.effort.remembered + t.noise(lag)
		forgotten := t.correlation(lag, func(i int) float64 { return t.logp[i] }) < limit
		for k := 0; k < len(t.watched) && forgotten; k++ {
			mean := 0.0
			for _, u := range t.u {
				mean += u[k] / float64(len(t.u))
			}
			forgotten = t.correlation(lag, func(i int) float64 { return t.u[i][k] }) < limit &&
				t.correlation(lag, func(i int) float64 { d := t.u[i][k] - mean; return d * d }) < limit
		}
		if forgotten {
			return lag, true
		}
	}
}

// residual returns the standard deviation of log p(u) + |u|²/2 over the square root of the number of coordinates. It is
// 0 if the posterior is normal. It needs far fewer points than a tail that few of them meet. All coordinates have to be
// watched.
func (t *trace) residual() float64 {
	values := make([]float64, len(t.u))
	for i, u := range t.u {
		values[i] = t.logp[i] + floats.Dot(u, u)/2
	}
	return stat.StdDev(values, nil) / math.Sqrt(float64(len(t.watched)))
}

// distance returns how far the mean of u is from a point, from products of the means of different chains, which are
// independent, plus twice the standard error.
func (t *trace) distance(from []float64) float64 {
	var products float64
	n, each := float64(len(t.sums)), float64(len(t.u)/len(t.sums))
	total := make([]float64, len(from))
	for _, sum := range t.sums {
		mean := slices.Clone(from)
		floats.AddScaledTo(mean, mean, -1/each, sum)
		floats.Add(total, mean)
		products -= floats.Dot(mean, mean)
	}
	products += floats.Dot(total, total)
	pairs := n * (n - 1)
	noise := math.Sqrt(2*float64(len(from))/pairs) / each
	return math.Sqrt(max(0, products/pairs) + 2*noise)
}

// slow reports whether a coordinate remembers its last transition, which it does not under a posterior that is near the
// normal one. Then a part of it, such as a tail on one side, may be forgotten more slowly than a short run shows.
func (t *trace) slow() bool {
	const lag = 1
	limit := t.noise(lag)
	if t.effort.rejections {
		limit += 1 - t.accept()
	}
	for k := range t.watched {
		if t.correlation(lag, func(i int) float64 { return t.u[i][k] }) > limit {
			return true
		}
	}
	return false
}

// noise returns the standard error of a correlation times the worst of as many normal numbers as moves looks at.
func (t *trace) noise(lag int) float64 {
	return math.Sqrt(2*math.Log(float64(2*len(t.watched)+1))) / math.Sqrt(float64(len(t.u)-lag*t.effort.chains))
}

// correlation returns the correlation of a scalar with itself a number of transitions later, about the mean of all
// chains, so that chains that disagree count as correlated.
func (t *trace) correlation(lag int, of func(i int) float64) float64 {
	n := len(t.u)
	var mean, variance, product float64
	for i := range n {
		mean += of(i) / float64(n)
	}
	for i := range n {
		d := of(i) - mean
		variance += d * d / float64(n)
		if j := i + lag*t.effort.chains; j < n {
			product += d * (of(j) - mean) / float64(n-lag*t.effort.chains)
		}
	}
	if variance == 0 {
		return 0
	}
	return product / variance
}
