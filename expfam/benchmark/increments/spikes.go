package increments

import (
	"math"
	"math/rand/v2"
)

// spikes is the chain for [BernoulliLaplace]. Increment j is N(0, τⱼ) with exponential τⱼ if its indicator is on, and 0 if
// its indicator is off. Indicators and τ move with the increments integrated out. Let
//
//	M = (σ²I + Σ_on τⱼ BⱼBⱼᵀ)⁻¹,  G = BᵀMB,  g = BᵀMy.
//
// If the variance of an increment changes from τ to τ + δ, the log evidence changes by −½ log(1 + δGⱼⱼ) + ½ c gⱼ² with
// c = δ/(1 + δGⱼⱼ). G changes by −c GⱼGⱼᵀ, and g by −c Gⱼgⱼ. A proposal therefore costs a few operations, and a change
// costs a rank-one update.
//
// Drawing indicators one by one would hardly ever move a jump to a neighbouring place. This takes two changes, and the
// state after the first is improbable. A sweep therefore draws the indicators of two cells jointly, for all pairs at
// distances of one and two. It also proposes to move every jump by up to four places.
type spikes struct {
	law               BernoulliLaplace
	problem           *Problem
	information, pull []float64 // G and g where no indicator is on
	big, small        []float64 // G and g for the present indicators and variances
	on                []bool
	tau               []float64
	u, mean           []float64
	age               int // sweeps since G and g were last computed anew
}

func newSpikes(law BernoulliLaplace, p *Problem) *spikes {
	_, n := p.jumps.Dims()
	return &spikes{law: law, problem: p, information: p.information(), big: make([]float64, n*n), small: make([]float64, n),
		on: make([]bool, n), tau: make([]float64, n), u: make([]float64, n), mean: make([]float64, n)}
}

func (s *spikes) observe(y []float64) error {
	s.pull = s.problem.pull(y)
	s.renew()
	return nil
}

func (*spikes) settle() {}

// variance draws τ from its prior.
func (s *spikes) variance(rng *rand.Rand) float64 { return s.typical() * rng.ExpFloat64() }

// typical returns the prior mean of τ.
func (s *spikes) typical() float64 { b := s.law.slab().scale(); return 2 * b * b }

// renew computes G and g anew, which removes the rounding errors of many updates.
func (s *spikes) renew() {
	copy(s.big, s.information)
	copy(s.small, s.pull)
	for j, on := range s.on {
		if on {
			s.add(j, s.tau[j])
		}
	}
	s.age = 0
}

// add adds δ to the variance of increment j.
func (s *spikes) add(j int, delta float64) {
	n := len(s.on)
	row := s.big[j*n : (j+1)*n]
	c := delta / (1 + delta*row[j])
	pull, column := s.small[j], append([]float64(nil), row...)
	for i, v := range column {
		f := c * v
		if f == 0 {
			continue
		}
		to := s.big[i*n : (i+1)*n]
		for k, w := range column {
			to[k] -= f * w
		}
		s.small[i] -= f * pull
	}
}

// gain returns the change of the log evidence if the variance of an increment changes by δ. g is Gⱼⱼ and pull is gⱼ.
func gain(g, pull, delta float64) float64 {
	d := 1 + delta*g
	return (delta/d*pull*pull - math.Log(d)) / 2
}

// pair holds the entries of G (a, b, ab) and of g (pa, pb) that belong to two increments.
type pair struct{ a, b, ab, pa, pb float64 }

func (s *spikes) pair(i, j int) pair {
	n := len(s.on)
	return pair{s.big[i*n+i], s.big[j*n+j], s.big[i*n+j], s.small[i], s.small[j]}
}

// first returns the pair after δ is added to the variance of its first increment, and the change of the log evidence.
func (p pair) first(delta float64) (pair, float64) {
	c := delta / (1 + delta*p.a)
	return pair{p.a - c*p.a*p.a, p.b - c*p.ab*p.ab, p.ab - c*p.a*p.ab, p.pa - c*p.a*p.pa, p.pb - c*p.ab*p.pa}, gain(p.a, p.pa, delta)
}

// swapped returns the pair with its increments in the other order.
func (p pair) swapped() pair { return pair{p.b, p.a, p.ab, p.pb, p.pa} }

func (s *spikes) sweep(rng *rand.Rand) (u, mean []float64) {
	n := len(s.on)
	if s.age++; s.age > 100 {
		s.renew()
	}
	for distance := 1; distance <= 2; distance++ {
		for i := range n - distance {
			s.both(i, i+distance, rng)
		}
	}
	for j := range n {
		if n == 1 {
			s.single(j, rng)
		}
		if s.on[j] {
			s.rescale(j, rng)
			s.move(j, rng)
		}
	}
	s.increments(rng)
	return s.u, s.mean
}

// both draws the indicators of two increments given all other indicators and all τ. If an indicator is off, its τ is
// drawn from the prior.
func (s *spikes) both(i, j int, rng *rand.Rand) {
	var tau [2]float64
	base := s.pair(i, j)
	was := 0
	for k, at := range [2]int{i, j} {
		tau[k] = s.variance(rng)
		if s.on[at] {
			tau[k] = s.tau[at]
			was |= 1 << k
		}
	}
	if was&1 != 0 {
		base, _ = base.first(-tau[0])
	}
	if was&2 != 0 {
		base, _ = base.swapped().first(-tau[1])
		base = base.swapped()
	}
	odds := math.Log(s.law.p() / (1 - s.law.p()))
	one, gainOne := base.first(tau[0])
	logs := [4]float64{0, odds + gainOne, odds + gain(base.b, base.pb, tau[1]), 2*odds + gainOne + gain(one.b, one.pb, tau[1])}
	is := draw(logs[:], rng)
	for k, at := range [2]int{i, j} {
		now, before := is>>k&1 != 0, was>>k&1 != 0
		if now == before {
			continue
		}
		if s.on[at] = now; now {
			s.tau[at] = tau[k]
			s.add(at, tau[k])
		} else {
			s.add(at, -tau[k])
		}
	}
}

// draw draws an index with probability ∝ exp(logs).
func draw(logs []float64, rng *rand.Rand) int {
	high := logs[0]
	for _, v := range logs {
		high = math.Max(high, v)
	}
	var sum float64
	for _, v := range logs {
		sum += math.Exp(v - high)
	}
	u := rng.Float64() * sum
	for i, v := range logs {
		if u -= math.Exp(v - high); u < 0 {
			return i
		}
	}
	return len(logs) - 1
}

// single draws the indicator of a signal of one cell.
func (s *spikes) single(j int, rng *rand.Rand) {
	tau := s.variance(rng)
	if s.on[j] {
		tau = s.tau[j]
		s.add(j, -tau)
	}
	s.on[j] = draw([]float64{math.Log(1 - s.law.p()), math.Log(s.law.p()) + gain(s.big[j*len(s.on)+j], s.small[j], tau)}, rng) == 1
	if s.on[j] {
		s.tau[j] = tau
		s.add(j, tau)
	}
}

// rescale proposes another variance of an increment, which is mostly within a few times the present one.
func (s *spikes) rescale(j int, rng *rand.Rand) {
	tau := s.tau[j]
	next := tau * math.Exp(1.5*rng.NormFloat64())
	ratio := gain(s.big[j*len(s.on)+j], s.small[j], next-tau) - (next-tau)/s.typical() + math.Log(next/tau)
	if math.Log(rng.Float64()) < ratio {
		s.tau[j] = next
		s.add(j, next-tau)
	}
}

// move proposes another place of a jump, up to four cells away.
func (s *spikes) move(j int, rng *rand.Rand) {
	to := j + 1 + rng.IntN(4)
	if rng.Uint64()&1 == 0 {
		to = 2*j - to
	}
	if to < 0 || to >= len(s.on) || s.on[to] {
		return
	}
	p, lost := s.pair(j, to).first(-s.tau[j])
	if math.Log(rng.Float64()) >= lost+gain(p.b, p.pb, s.tau[j]) {
		return
	}
	s.add(j, -s.tau[j])
	s.add(to, s.tau[j])
	s.on[j], s.on[to], s.tau[to] = false, true, s.tau[j]
}
