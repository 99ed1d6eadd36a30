package expfam

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam/internal/parallel"
)

// LocalVariance is a posterior predictive check: do neighbouring data differ as much as under the posterior? A
// posterior that fails has intervals of the wrong width, most often because the prior has never seen such a field.
//
// The discrepancy under a draw of θ is the sum over all pairs of neighbouring cells with data,
//
//	T(y, θ) = Σ (uⱼ − uₖ)² / (V(θⱼ)/nⱼ + V(θₖ)/nₖ),  u = Stat/n,  n = Size,
//
// where V/n is the variance of u given θ: V = (μ′/η′)(θ) with the mean μ = A′/η′. For counts, u is the count
// per exposure, and V = θ. Data y′ are replicated given each draw, and T(y′, θ) is compared with T(y, θ)
// (Gelman, Meng & Stern 1996, Statistica Sinica 6, 733–807).
//
// The shares More and Less are not uniform under the right model. They are concentrated around 1/2, because
// the draws have seen the data (Meng 1994, Annals of Statistics 22, 1142–1160). A share of at most .01 is then
// rarer than one in a hundred.
type LocalVariance struct {
	// Ratio is T of the data over T of the replicates, both averaged over the draws.
	Ratio float64
	// More is the share of replicates that vary at least as much as the data, a p-value. It is small where
	// the data are rougher than the posterior expects: its intervals are too narrow.
	More float64
	// Less is the share of replicates that vary at most as much as the data. It is small where the data are
	// smoother than the posterior expects: its intervals are too wide.
	Less float64
	// Replicates is the number of replicated data sets.
	Replicates int
}

const (
	// localReplicates is the largest number of draws of θ that are checked. Fewer draws have several replicates
	// each, so that there are at least this many replicates.
	localReplicates = 200
	// localAlarm is the largest share that is mentioned in summaries.
	localAlarm = 0.01
)

// Alarm returns a sentence with what to do if one of the shares is at most .01, and otherwise "".
func (v *LocalVariance) Alarm() string {
	switch {
	case v == nil:
		return ""
	case v.More <= localAlarm:
		return fmt.Sprintf("The data vary more from cell to cell than this posterior explains (%.2f times as much, "+
			"p = %.3f), so its intervals are too narrow: give the prior a nugget (expfam.Nugget), or take a family "+
			"with overdispersion.", v.Ratio, v.More)
	case v.Less <= localAlarm:
		return fmt.Sprintf("The data vary less from cell to cell than this posterior explains (%.2f times as much, "+
			"p = %.3f), so its intervals are too wide: check the known constants of the family, such as exposures, "+
			"trials and standard deviations, or take a smoother prior.", v.Ratio, v.Less)
	}
	return ""
}

// LocalVariance checks the posterior against the observations from which it was sampled. The cells have the grid of the
// posterior. If the posterior has no grid, the cells follow each other on a line. No network is evaluated. The result
// is nil if no two neighbours have data, or if all differences are 0. It depends on the draws and the seed alone.
//
// Data with an operator have no cells: check the posteriors of [Posterior.Seen].
func (p *Posterior) LocalVariance(obs Observations, seed uint64) (*LocalVariance, error) {
	if err := p.checkLocal(obs); err != nil {
		return nil, err
	}
	draws, cells := p.Dims()
	rows, cols := p.Shape()
	if rows == 0 {
		rows, cols = 1, cells
	}
	c := &localCheck{family: p.Likelihood.Family, obs: obs, pairs: neighbours(obs, rows, cols)}
	if len(c.pairs) == 0 {
		return nil, nil
	}
	theta := p.Theta().X
	if err := c.prepare(theta.RawRowView(0)); err != nil {
		return nil, err
	}
	used := min(draws, localReplicates)
	each := (localReplicates + used - 1) / used
	data, tallies, errs := c.values(), make([]localTally, used), make([]error, used)
	parallel.For(used, each*cells*8, func(k int) {
		i := k * draws / used
		rng := Stream(seed, fmt.Sprintf("local/draw-%d", p.Info.First+i))
		var err error
		if tallies[k], err = c.tally(theta.RawRowView(i), data, each, rng); err != nil {
			errs[k] = fmt.Errorf("expfam: local variance: draw %d: %w", i, err)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return localVarianceOf(tallies, used*each), nil
}

// checkLocal refuses a posterior without draws or without a family, data with an operator, and observations
// that do not belong to the cells of the posterior.
func (p *Posterior) checkLocal(obs Observations) error {
	if p == nil || p.X == nil {
		return errNoDraws
	}
	if p.Likelihood.Family == nil {
		return errNoFamily
	}
	if p.Likelihood.Operator != nil || p.Likelihood.parts != nil {
		return errors.New("expfam: local variance: the data look through an operator; take the posteriors of " +
			"Posterior.Seen, one for each data set")
	}
	if _, cells := p.Dims(); len(obs) != cells {
		return fmt.Errorf("expfam: local variance: %d observations for %d cells; give the observations of the "+
			"posterior", len(obs), cells)
	}
	if err := obs.Check(); err != nil {
		return fmt.Errorf("expfam: local variance: %w", err)
	}
	return nil
}

// Diagnose fills in Info.Rows and Info.Cols, the grid of the prior. If the cells of the prior are known to be a grid or
// a line, it also fills in Info.Local. Data that cannot be replicated leave Info.Local nil. If the prior is Gaussian,
// it fills in Info.Certificate, or Info.Uncertified. If it is [Bounded], it fills in Info.Outside. The argument f is
// the forward model of the posterior's likelihood.
func (p *Posterior) Diagnose(prior Prior, f *Forward, obs Observations) {
	p.Locate(prior)
	p.Examine(f, obs)
	p.Info.Outside = f.Outside(prior, obs)
	if r, ok := prior.(reported); ok {
		p.Info.Network = r.Reported()
	}
	if p.Info.Local == nil && neighboured(prior) {
		p.Info.Local, _ = p.LocalVariance(obs, p.Info.Seed)
	}
	if _, linear := prior.(Linear); linear && p.Info.Certificate == nil {
		p.SetCertificate(p.Certify(prior, obs))
	}
}

// neighboured reports whether the cells of a prior are known to be a grid or a line.
func neighboured(prior Prior) bool {
	if p, ok := nuggetOf(prior); ok {
		return neighboured(p.Of)
	}
	l, ok := prior.(Lattice)
	if !ok {
		return false
	}
	rows, cols := l.Lattice()
	return rows*cols == prior.Dim()
}

// mergeLocal returns the check of draws that were checked in shares: the means of the shares' numbers, weighted
// by their draws. It returns nil if a share has no check.
func mergeLocal(shares []*Posterior) *LocalVariance {
	var out LocalVariance
	var all float64
	for _, share := range shares {
		v := share.Info.Local
		if v == nil {
			return nil
		}
		n, _ := share.Dims()
		w := float64(n)
		out.Ratio, out.More, out.Less = out.Ratio+w*v.Ratio, out.More+w*v.More, out.Less+w*v.Less
		out.Replicates, all = out.Replicates+v.Replicates, all+w
	}
	out.Ratio, out.More, out.Less = out.Ratio/all, out.More/all, out.Less/all
	return &out
}

// localTally compares the discrepancy T of the data with T of their replicates under one draw of θ; see
// [LocalVariance].
type localTally struct {
	own        float64 // T of the data
	replicated float64 // mean of T over the replicates
	more, less int     // replicates whose T is at least, and at most, T of the data
}

// tally compares data u with a number of replicates under one draw of θ.
func (c *localCheck) tally(theta, data []float64, replicates int, rng *rand.Rand) (t localTally, err error) {
	d, err := c.under(theta)
	if err != nil {
		return t, err
	}
	t.own = d.of(data)
	for range replicates {
		u, err := d.replicate(rng)
		if err != nil {
			return t, err
		}
		v := d.of(u)
		t.replicated += v / float64(replicates)
		if v >= t.own {
			t.more++
		}
		if v <= t.own {
			t.less++
		}
	}
	return t, nil
}

// localVarianceOf joins the tallies of all draws, which have the given number of replicates together. It
// returns nil if neither the data nor the replicates vary, or if the data overflow.
func localVarianceOf(tallies []localTally, replicates int) *LocalVariance {
	out := &LocalVariance{Replicates: replicates}
	var own, replicated float64
	for _, t := range tallies {
		own, replicated = own+t.own, replicated+t.replicated
		out.More += float64(t.more) / float64(replicates)
		out.Less += float64(t.less) / float64(replicates)
	}
	if out.Ratio = min(own/replicated, math.MaxFloat64); math.IsNaN(out.Ratio) || math.IsInf(own, 1) {
		return nil
	}
	return out
}
