package increments

import (
	"math"
	"math/rand/v2"
)

// spikes is the chain for [BernoulliLaplace]. Increment j is N(0, τⱼ) with exponential τⱼ if its indicator is on, and 0
// if its indicator is off. Indicators and τ move with the increments integrated out ([collapsed]).
//
// Drawing indicators one by one would hardly ever move a jump to a neighbouring place. This takes two changes, and the
// state after the first is improbable. A sweep therefore draws the indicators of two cells jointly, for all pairs at
// distances of one and two. It also proposes to move jumps by up to four places.
type spikes struct {
	*collapsed // τ is 0 where the indicator is off
	law        BernoulliLaplace
	problem    *Problem
	on         []bool
}

func newSpikes(law BernoulliLaplace, p *Problem) *spikes {
	_, n := p.jumps.Dims()
	return &spikes{collapsed: newCollapsed(n, p.information()), law: law, problem: p, on: make([]bool, n)}
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

func (s *spikes) sweep(rng *rand.Rand) (u, mean []float64) {
	n := len(s.on)
	s.grow()
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
		}
	}
	for distance := 1; distance <= reach; distance++ {
		for i := range n - distance {
			s.move(i, i+distance, rng)
		}
	}
	if err := s.increments(rng); err != nil {
		panic(err)
	}
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
	logs := [4]float64{0, odds + gainOne, odds + gain(base.b, base.pb, tau[1]),
		2*odds + gainOne + gain(one.b, one.pb, tau[1])}
	is := draw(logs[:], rng)
	for k, at := range [2]int{i, j} {
		now, before := is>>k&1 != 0, was>>k&1 != 0
		if now == before {
			continue
		}
		if s.on[at] = now; now {
			s.set(at, tau[k])
		} else {
			s.set(at, 0)
		}
	}
}

// single draws the indicator of a signal of one cell.
func (s *spikes) single(j int, rng *rand.Rand) {
	tau := s.variance(rng)
	if s.on[j] {
		tau = s.tau[j]
		s.set(j, 0)
	}
	s.on[j] = draw([]float64{math.Log(1 - s.law.p()), math.Log(s.law.p()) + s.gain(j, tau)}, rng) == 1
	if s.on[j] {
		s.set(j, tau)
	}
}

// rescale proposes another variance of an increment, which is mostly within a few times the present one.
func (s *spikes) rescale(j int, rng *rand.Rand) {
	tau := s.tau[j]
	next := tau * math.Exp(1.5*rng.NormFloat64())
	ratio := s.gain(j, next-tau) - (next-tau)/s.typical() + math.Log(next/tau)
	if math.Log(rng.Float64()) < ratio {
		s.set(j, next)
	}
}

// move proposes to move a jump from one of two cells to the other, if one of them has a jump and the other has none.
// The cells are chosen without regard to the jumps. If only the jumps were chosen, in the order of cells, a move and
// the move back would not be equally likely to be proposed.
func (s *spikes) move(i, j int, rng *rand.Rand) {
	if s.on[i] == s.on[j] {
		return
	}
	if s.on[j] {
		i, j = j, i
	}
	tau := s.tau[i]
	p, change := s.pair(i, j).first(-tau)
	if math.Log(rng.Float64()) >= change+gain(p.b, p.pb, tau) {
		return
	}
	s.set(i, 0)
	s.set(j, tau)
	s.on[i], s.on[j] = false, true
}
