package increments

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
)

// moves is a Markov chain whose invariant distribution is the exact posterior of normal data under a [Mixture]. The
// normal distribution N(0, τ_k) of the mixture that increment j comes from is its component kⱼ. With the increments
// integrated out ([collapsed]),
//
//	p(k | y) ∝ N(y; 0, σ²I + Σ τ_{kⱼ} BⱼBⱼᵀ) Π w_{kⱼ}.
//
// A sweep draws every component given all others, and proposes to exchange the components of all pairs of increments
// that are one to four cells apart. An exchange moves a jump to another place, which single components can do only
// through states that are improbable: two places of one jump exclude each other. At the end the increments are drawn
// given the components.
//
// Moves use the weights and variances of the prior, that is, its density in closed form. A network has none, so moves
// are for priors of independent increments alone.
type moves struct {
	*collapsed
	prior *Mixture
	logs  []float64 // log w
	is    []int     // component of each increment
	odds  []float64 // of an increment's components, overwritten again and again
}

func newMoves(prior *Mixture, e *evidence) *moves {
	m := &moves{collapsed: newCollapsed(len(e.pull), e.information), prior: prior, is: make([]int, len(e.pull)),
		logs: make([]float64, len(prior.Weights)), odds: make([]float64, len(prior.Weights))}
	m.pull = e.pull
	for k, w := range prior.Weights {
		m.logs[k] = math.Log(w)
	}
	return m
}

// start draws the components given increments u in noise of standard deviation noise. The noise lets a u that is nearly
// 0 belong to an atom.
func (m *moves) start(u []float64, noise float64, rng *rand.Rand) {
	for j, v := range u {
		for k, tau := range m.prior.Variances {
			total := tau + noise*noise
			m.odds[k] = m.logs[k] - (math.Log(total)+v*v/total)/2
		}
		m.is[j] = draw(m.odds, rng)
		m.tau[j] = m.prior.Variances[m.is[j]]
	}
	m.renew()
}

// sweep moves all components.
func (m *moves) sweep(rng *rand.Rand) {
	m.grow()
	for j := range m.is {
		m.redraw(j, rng)
	}
	for distance := 1; distance <= reach; distance++ {
		for i := range len(m.is) - distance {
			m.exchange(i, i+distance, rng)
		}
	}
}

// redraw draws the component of increment j given all others.
func (m *moves) redraw(j int, rng *rand.Rand) {
	if k := draw(m.logOdds(j), rng); k != m.is[j] {
		m.is[j] = k
		m.set(j, m.prior.Variances[k])
	}
}

// logOdds returns log p(k | y) for every component of increment j, up to a constant. The next call overwrites it.
func (m *moves) logOdds(j int) []float64 {
	for k, tau := range m.prior.Variances {
		m.odds[k] = m.logs[k] + m.gain(j, tau-m.tau[j])
	}
	return m.odds
}

// exchange proposes to exchange the components of increments i and j.
func (m *moves) exchange(i, j int, rng *rand.Rand) {
	a, b := m.is[i], m.is[j]
	if a == b || math.Log(rng.Float64()) >= m.exchanged(i, j) {
		return
	}
	m.is[i], m.is[j] = b, a
	m.set(i, m.prior.Variances[b])
	m.set(j, m.prior.Variances[a])
}

// exchanged returns the change of the log evidence if increments i and j exchange their components. The weights of the
// components do not change, so this is also the change of log p(k | y).
func (m *moves) exchanged(i, j int) float64 {
	delta := m.tau[j] - m.tau[i]
	p, change := m.pair(i, j).first(delta)
	return change + gain(p.b, p.pb, -delta)
}

// finish replaces the draws of all sites by those of chains that start from them.
func (o *propagator) finish(all []*sites, seed uint64) error {
	return each(all, func(i int, s *sites) error {
		rng := expfam.Stream(seed, fmt.Sprintf("increments/moves/%d", i))
		m := newMoves(o.Model.Prior.(*Mixture), s.evidence)
		m.start(s.draw, o.End, rng)
		for range o.Moves {
			m.sweep(rng)
		}
		err := m.increments(rng)
		copy(s.draw, m.u)
		return err
	})
}
