package joint

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// freedom is the number of degrees of freedom of Student's t distribution with two standard deviations, from which
	// a design proposes along each axis.
	freedom = 8. // a float: half of one more is no whole number
	// tempered is the power of the weights of nodes by which a lattice proposes. Its tails are heavier than those of
	// the evidence, so that no value of the parameters has far more weight than others.
	tempered = 0.7
)

// proposal is a density of the scores of the parameters, near their posterior. Its value at a point z of a lattice is
// interpolated from the powers of the weights of the nodes around it, linearly along each axis.
type proposal struct {
	*lattice
	weights, powers map[[8]int]float64 // of the nodes, each with the sum 1
}

func newProposal(l *lattice) *proposal {
	p := &proposal{lattice: l}
	share := func(power float64) map[[8]int]float64 {
		logs, out := make([]float64, len(l.order)), map[[8]int]float64{}
		for i, z := range l.order {
			logs[i] = power * l.logs[z]
		}
		total := floats.LogSumExp(logs)
		for i, z := range l.order {
			out[z] = math.Exp(logs[i] - total)
		}
		return out
	}
	p.weights, p.powers = share(1), share(tempered)
	return p
}

// place returns the point below which the proposal has the probability u[k] along axis k given the axes before
// (Rosenblatt 1952, Annals of Mathematical Statistics 23). Of even points it makes such that lie as under the proposal.
func (p *proposal) place(u []float64) []float64 {
	z := make([]float64, len(u))
	if p.split != nil {
		student := distuv.StudentsT{Sigma: 1, Nu: freedom}
		for k, s := range p.split {
			if side := s[0] / (s[0] + s[1]); u[k] < side {
				z[k] = -s[0] * student.Quantile(1-u[k]/side/2)
			} else {
				z[k] = s[1] * student.Quantile(1-(1-u[k])/(1-side)/2)
			}
		}
		return z
	}
	shares := make([]float64, len(p.order))
	for i, node := range p.order {
		shares[i] = p.powers[node]
	}
	for k := range z {
		z[k] = p.along(k, shares, u[k])
		for i, node := range p.order {
			shares[i] *= math.Max(0, 1-math.Abs(z[k]-float64(node[k])))
		}
	}
	return z
}

// along returns the point of axis k below which the interpolated density has the probability u, for shares of the
// nodes. The density is linear between the whole numbers.
func (p *proposal) along(k int, shares []float64, u float64) float64 {
	density, low, high := map[int]float64{}, math.MaxInt, math.MinInt
	for i, node := range p.order {
		if shares[i] > 0 {
			density[node[k]] += shares[i]
			low, high = min(low, node[k]), max(high, node[k])
		}
	}
	left := u * floats.Sum(shares)
	for at := low - 1; ; at++ {
		from, to := density[at], density[at+1]
		if area := (from + to) / 2; left > area && at < high {
			left -= area
			continue
		}
		root := from + math.Sqrt(math.Max(0, from*from+2*(to-from)*left))
		return float64(at) + math.Min(1, 2*left/math.Max(root, 1e-300))
	}
}

// log returns the log density at a point of the lattice, per volume of a node.
func (p *proposal) log(z []float64) float64 {
	if p.split == nil {
		return math.Log(interpolate(p.powers, z))
	}
	var sum float64
	for k, s := range p.split {
		scale := side(s, z[k])
		sum -= math.Log(s[0]+s[1]) + (freedom+1)/2*math.Log1p(z[k]*z[k]/(freedom*scale*scale))
	}
	return sum
}

// side returns the standard deviation on the side of z.
func side(s [2]float64, z float64) float64 {
	if z > 0 {
		return s[1]
	}
	return s[0]
}

// interpolate returns the density at z that the weights of the nodes around it have, linearly along each axis.
func interpolate(weights map[[8]int]float64, z []float64) (sum float64) {
	for corner := range 1 << len(z) {
		var node [8]int
		share := 1.0
		for k, v := range z {
			low := math.Floor(v)
			node[k] = int(low)
			if corner>>k&1 == 1 {
				node[k]++
				share *= v - low
			} else {
				share *= 1 - (v - low)
			}
		}
		sum += share * weights[node]
	}
	return sum
}

// expected returns the log density of the evidence as the nodes have it, up to a constant: interpolated, or normal with
// two standard deviations.
func (p *proposal) expected(z []float64) (log float64) {
	if p.split == nil {
		return math.Log(interpolate(p.weights, z))
	}
	for k, s := range p.split {
		off := z[k] / side(s, z[k])
		log -= off * off / 2
	}
	return log
}

// moments returns the mean and the covariance of that density.
func (p *proposal) moments() (mean []float64, cov *mat.SymDense) {
	n := len(p.centre)
	mean, cov = make([]float64, n), mat.NewSymDense(n, nil)
	for k, s := range p.split {
		mean[k] = math.Sqrt(2/math.Pi) * (s[1] - s[0])
		cov.SetSym(k, k, (1-2/math.Pi)*(s[1]-s[0])*(s[1]-s[0])+s[0]*s[1])
	}
	if p.split != nil {
		return mean, cov
	}
	points := make([][]float64, len(p.order))
	weights := make([]float64, len(p.order))
	for i, node := range p.order {
		points[i], weights[i] = make([]float64, n), p.weights[node]
		for k := range n {
			points[i][k] = float64(node[k])
		}
	}
	mean, cov = weighted(points, weights)
	for k := range n {
		cov.SetSym(k, k, cov.At(k, k)+1./6) // of the interpolation
	}
	return mean, cov
}

// weighted returns the mean and the covariance of points with weights.
func weighted(points [][]float64, weights []float64) (mean []float64, cov *mat.SymDense) {
	n, total := len(points[0]), floats.Sum(weights)
	mean, cov = make([]float64, n), mat.NewSymDense(n, nil)
	for i, z := range points {
		floats.AddScaled(mean, weights[i]/total, z)
	}
	for i, z := range points {
		off := slices.Clone(z)
		floats.Sub(off, mean)
		cov.SymRankOne(cov, weights[i]/total, mat.NewVecDense(n, off))
	}
	return mean, cov
}

// match moves points of the proposal so that, weighed by the expected density, they have its mean and its covariance: a
// few points have none of the error of their number in these. It leaves them where they are too few for it.
func (p *proposal) match(points [][]float64) {
	mean, cov := p.moments()
	var to mat.Cholesky
	if len(mean) == 0 || !to.Factorize(cov) {
		return
	}
	for range 10 {
		weights := make([]float64, len(points))
		for i, z := range points {
			weights[i] = math.Exp(p.expected(z) - p.log(z))
			if !finite(weights[i]) { // outside of the nodes
				weights[i] = 0
			}
		}
		have, spread := weighted(points, weights)
		var from mat.Cholesky
		if !from.Factorize(spread) {
			return
		}
		var lower, back mat.TriDense
		to.LTo(&lower)
		from.LTo(&back)
		for _, z := range points {
			off := mat.NewVecDense(len(z), nil)
			for k, v := range z {
				off.SetVec(k, v-have[k])
			}
			if err := off.SolveVec(&back, off); err != nil {
				return
			}
			off.MulVec(&lower, off)
			floats.AddTo(z, mean, off.RawVector().Data)
		}
	}
}
