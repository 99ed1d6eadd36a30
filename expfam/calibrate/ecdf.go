package calibrate

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// ECDF is the empirical distribution of values that should be independent and uniform on [0, 1), such as PIT values of
// simulations. It has a simultaneous band (Säilynoja, Bürkner & Vehtari 2022): uniform values stay within the band at
// all points Z together with a probability of at least Level.
//
// The band holds the counts for which both tails of the binomial distribution are above γ/2. The value of γ is exact:
// given the count at Z[i−1], the count at Z[i] is binomial, so the probability of staying inside follows from a
// recursion along Z, without random numbers.
type ECDF struct {
	Z         []float64 // points, from 1/K to 1 − 1/K; K is N, at most 100
	F         []float64 // share of values ≤ Z
	Low, High []float64 // ends of the band for F
	N         int       // number of values
	Level     float64
	// P is a p value: the probability that uniform values come at least as close to leaving a band as these values do.
	// It is accurate to about 1e-12. F is inside the band if P is above 1 − Level.
	P float64
}

// NewECDF compares the values u with the uniform distribution. A level of 0 means 0.95.
func NewECDF(u []float64, level float64) (ECDF, error) {
	level = cmp.Or(level, 0.95)
	if err := unit("ecdf", u, level); err != nil {
		return ECDF{}, err
	}
	n := len(u)
	points := max(2, min(n, 100))
	e := ECDF{N: n, Level: level}
	sorted := slices.Clone(u)
	slices.Sort(sorted)
	tail := 1.0 // twice the smallest binomial tail over all points
	for i := 1; i < points; i++ {
		z := float64(i) / float64(points)
		count := sort.Search(n, func(i int) bool { return sorted[i] > z })
		e.Z, e.F = append(e.Z, z), append(e.F, float64(count)/float64(n))
		below := distuv.Binomial{N: float64(n), P: z}.CDF(float64(count))
		above := distuv.Binomial{N: float64(n), P: 1 - z}.CDF(float64(n - count))
		tail = math.Min(tail, 2*math.Min(below, above))
	}
	w := newWalk(n, e.Z)
	// The probability that uniform values have a smallest tail at or below tail. The factor
	// makes the band narrower by a rounding error, so that it excludes these values.
	e.P = math.Max(1-w.stays(tail*(1+1e-9)), 0)
	key := [2]float64{float64(n), level}
	known, ok := gammas.Load(key)
	if !ok {
		known = w.gamma(level)
		gammas.Store(key, known)
	}
	gamma := known.(float64)
	for _, z := range e.Z {
		low, high := bounds(n, z, gamma)
		e.Low, e.High = append(e.Low, float64(low)/float64(n)), append(e.High, float64(high)/float64(n))
	}
	return e, nil
}

// gammas has the γ found so far, by number of values and level. Finding a γ costs
// twenty times as much as everything else in [NewECDF].
var gammas sync.Map

// Inside reports whether F is within the band everywhere.
func (e ECDF) Inside() bool {
	for i, f := range e.F {
		if f < e.Low[i] || f > e.High[i] {
			return false
		}
	}
	return true
}

// Difference returns the ECDF with Z subtracted from F, Low and High. A plot of the difference
// shows the band, which is too narrow to see in a plot of F.
func (e ECDF) Difference() ECDF {
	minus := func(y []float64) []float64 {
		out := slices.Clone(y)
		floats.Sub(out, e.Z)
		return out
	}
	e.F, e.Low, e.High = minus(e.F), minus(e.Low), minus(e.High)
	return e
}

// walk is the random walk of the number of n uniform values below z, where z goes through points.
type walk struct {
	n      int
	z      []float64
	logFac []float64 // log k!
}

// newWalk tabulates log k! for k up to n.
func newWalk(n int, z []float64) *walk {
	w := &walk{n: n, z: z, logFac: make([]float64, n+1)}
	for k := 2; k <= n; k++ {
		w.logFac[k] = w.logFac[k-1] + math.Log(float64(k))
	}
	return w
}

// gamma returns the largest γ whose band the count leaves with probability 1 − level or less.
func (w *walk) gamma(level float64) float64 {
	// The probability of leaving the band at any point is at most the sum over the points.
	low, high := math.Log((1-level)/float64(len(w.z))/2), 0.0
	for high-low > 1e-5 { // the ends of bands are whole counts, which do not change for a finer γ
		if mid := (low + high) / 2; w.stays(math.Exp(mid)) >= level {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Exp(low)
}

// stays returns the probability that the count is inside the band of γ at all points.
func (w *walk) stays(gamma float64) float64 {
	at, first := []float64{1}, 0 // probabilities of the counts first, first+1 …
	var z float64
	for _, next := range w.z {
		low, high := bounds(w.n, next, gamma)
		if low > high {
			return 0
		}
		to := make([]float64, high-low+1)
		p := (next - z) / (1 - z)
		for k, mass := range at {
			if mass > 0 {
				w.spread(to, low, high, first+k, p, mass)
			}
		}
		at, first, z = to, low, next
	}
	var sum float64
	for _, mass := range at {
		sum += mass
	}
	return math.Min(sum, 1)
}

// spread distributes the mass of count r over the counts low … high at the next point. The count r + d gets mass times
// the binomial probability that d of the n − r values left are below that point.
func (w *walk) spread(to []float64, low, high, r int, p, mass float64) {
	left := w.n - r
	// Beyond 12 standard deviations the probabilities are negligible and may underflow.
	mean, reach := float64(left)*p, 12*math.Sqrt(float64(left)*p*(1-p))+20
	d := max(0, low-r, int(mean-reach))
	last := min(left, high-r, int(mean+reach))
	if d > last {
		return
	}
	q := mass * math.Exp(w.logFac[left]-w.logFac[d]-w.logFac[left-d]+
		float64(d)*math.Log(p)+float64(left-d)*math.Log1p(-p))
	odds := p / (1 - p)
	for ; d <= last; d++ {
		to[r+d-low] += q
		q *= odds * float64(left-d) / float64(d+1)
	}
}
