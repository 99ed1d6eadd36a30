package counts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/internal/speak"
)

// Kernel estimates the intensity of Poisson counts by smoothing them,
//
//	θ̂ⱼ = Σₖ wⱼₖ yₖ / Σₖ wⱼₖ eₖ,  wⱼₖ = exp(−|sⱼ − sₖ|²/(2h²)) + 10⁻⁶,
//
// the estimate of Diggle (1985, Applied Statistics 34) on a lattice. Dividing by the smoothed exposures e = N|S|
// corrects for the edges, for missing cells and for cells outside of the domain. Because of the constant in w, cells
// far from all data get the common rate.
//
// The draws express the uncertainty of the counts. Every draw replaces yₖ by an independent Gamma(yₖ, 1) variable (the
// weighted-gamma posterior of Lo 1982, Z. Wahrscheinlichkeitstheorie 59, in the limit of a vanishing prior). The mean
// of the draws is θ̂, their variance is Σ w² y/(Σ w e)², and neighbours are correlated. The bias of smoothing is not
// included: intervals are too short where the intensity is curved within h.
type Kernel struct {
	Grid grid.Grid
	// Bandwidth is h, in the unit of the axes (on a sphere, in the unit of Radius). Default: the bandwidth that
	// maximises Σⱼ log Poisson(yⱼ; eⱼ θ̂₋ⱼ), the log probability of every count given all other counts, among 40 values
	// from a third of a cell to the longer side of the grid.
	Bandwidth float64
}

// background is the constant in the weights.
const background = 1e-6

// Sample makes draws from the distribution of the estimate. Info.Diagnostics has bandwidth, and held_out, the sum over
// the counts of the log probability of a count given all other counts.
func (k Kernel) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return k.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Kernel.Sample] that ends with ctx.
func (k Kernel) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	s, err := k.smoother(like, obs)
	if err != nil {
		return nil, err
	}
	h, score := k.Bandwidth, 0.0
	if h == 0 {
		h, score = s.choose()
	} else {
		score = s.at(h).heldOut()
	}
	a := s.at(h)
	size := a.smooth(s.sizes)
	post, err := o.draws(ctx, like, obs, "kernel", func(i int, theta []float64) {
		a.draw(expfam.Stream(o.Seed, fmt.Sprintf("counts/kernel/draw-%d", i)), size, theta)
	})
	if onGrid(post, k.Grid); post != nil {
		post.Info.Diagnostics["bandwidth"], post.Info.Diagnostics["held_out"] = h, score
	}
	return post, err
}

// Estimate returns θ̂ and the bandwidth.
func (k Kernel) Estimate(like expfam.Likelihood, obs expfam.Observations) (theta []float64, bandwidth float64,
	err error) {
	s, err := k.smoother(like, obs)
	if err != nil {
		return nil, 0, err
	}
	if bandwidth = k.Bandwidth; bandwidth == 0 {
		bandwidth, _ = s.choose()
	}
	a := s.at(bandwidth)
	theta, size := a.smooth(s.stats), a.smooth(s.sizes)
	floats.Div(theta, size)
	return theta, bandwidth, nil
}

// smoother has the counts and the exposures on the grid.
type smoother struct {
	rows, cols   int
	down, across float64
	stats, sizes []float64
	obs          expfam.Observations
	natural      expfam.Natural
}

func (k Kernel) smoother(like expfam.Likelihood, obs expfam.Observations) (*smoother, error) {
	if _, ok := like.Family.(expfam.Poisson); !ok {
		return nil, fmt.Errorf("counts: the kernel estimate is for Poisson counts, the likelihood is %v; use "+
			"gmrf.Sample", like)
	}
	g := k.Grid
	if err := g.CheckObservations(obs); err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	if !(k.Bandwidth >= 0) || math.IsInf(k.Bandwidth, 1) {
		return nil, fmt.Errorf("counts: the bandwidth is %g; it must be positive, or 0 to be chosen", k.Bandwidth)
	}
	if err := machine.Fits(fmt.Sprintf("counts: the weights along a side of %d cells", max(g.Rows, g.Cols)),
		24*math.Pow(float64(max(g.Rows, g.Cols)), 2),
		"take gmrf.Sample, whose memory grows with the number of cells"); err != nil {
		return nil, err
	}
	s := &smoother{rows: g.Rows, cols: g.Cols, stats: obs.Stats(), sizes: obs.Sizes(), obs: obs,
		natural: like.Family.Natural()}
	s.across, s.down = g.Spacing()
	total, seen := 0.0, 0
	for _, t := range obs {
		total += t.Stat
		if t.Size > 0 {
			seen++
		}
	}
	if !(total > 0) {
		return nil, errors.New("counts: every count is 0; a kernel estimate needs at least one event, use Raw or " +
			"gmrf.Sample")
	}
	if seen < 2 && k.Bandwidth == 0 {
		return nil, fmt.Errorf("counts: %d of %d cells has data, so no count can be held out to choose a "+
			"bandwidth; give Kernel.Bandwidth", seen, len(obs))
	}
	return s, nil
}

// choose returns the bandwidth with the largest held-out log probability of 40, and that log probability.
func (s *smoother) choose() (best, score float64) {
	low := math.Min(s.down, s.across) / 3
	high := math.Max(s.down*float64(s.rows), s.across*float64(s.cols))
	score = math.Inf(-1)
	const steps = 40
	for i := range steps {
		h := low * math.Pow(high/low, float64(i)/(steps-1))
		if v := s.at(h).heldOut(); v > score {
			best, score = h, v
		}
	}
	return best, score
}

// bandwidth is a smoother at one h. The weight of two cells is the product of a weight of their
// rows and a weight of their columns.
type bandwidth struct {
	*smoother
	rowWeights, colWeights *mat.Dense
}

// at returns the smoother at the bandwidth h.
func (s *smoother) at(h float64) bandwidth {
	weights := func(n int, step float64) *mat.Dense {
		w := mat.NewDense(n, n, nil)
		w.Apply(func(i, j int, _ float64) float64 {
			u := float64(i-j) * step / h
			return math.Exp(-u * u / 2)
		}, w)
		return w
	}
	return bandwidth{s, weights(s.rows, s.down), weights(s.cols, s.across)}
}

// smooth returns Σₖ wⱼₖ vₖ in every cell j.
func (b bandwidth) smooth(v []float64) []float64 {
	var half, out mat.Dense
	half.Mul(b.rowWeights, mat.NewDense(b.rows, b.cols, v))
	out.Mul(&half, b.colWeights)
	x, total := out.RawMatrix().Data, 0.0
	for _, u := range v {
		total += u
	}
	floats.AddConst(background*total, x)
	return x
}

// heldOut returns Σⱼ log p(yⱼ | θ̂ from all other cells).
func (b bandwidth) heldOut() float64 {
	stat, size := b.smooth(b.stats), b.smooth(b.sizes)
	sum := 0.0
	for j, t := range b.obs {
		if t.Size == 0 {
			continue
		}
		// The exact difference is at least the part of the other cells in the constant. Rounding may leave less.
		y := math.Max(stat[j]-t.Stat*(1+background), 1e-12)
		e := size[j] - t.Size*(1+background)
		if e <= 0 {
			return math.Inf(-1)
		}
		sum += b.natural.LogLikelihood(t, y/e)
	}
	return sum
}

// draw writes a draw of θ; size has the smoothed exposures.
func (b bandwidth) draw(rng *rand.Rand, size, theta []float64) {
	v := make([]float64, len(theta))
	for j, y := range b.stats {
		if y > 0 {
			v[j] = distuv.Gamma{Alpha: y, Beta: 1, Src: rng}.Rand()
		}
	}
	for j, y := range b.smooth(v) {
		theta[j] = y / size[j]
	}
}
