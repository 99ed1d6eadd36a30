package joint_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// noisy is a curve with normal data of one unknown standard deviation, or of two, of every other cell each. The curve
// is from a mixture of processes.
type noisy struct {
	parts []*gp.Gaussian // equally probable
	like  expfam.Likelihood
	y     []float64
	obs   expfam.Observations
	seed  uint64
}

func newNoisy(t *testing.T, lengths []float64, sets int, seed uint64) noisy {
	n := noisy{y: make([]float64, 16), seed: seed}
	for _, l := range lengths {
		n.parts = append(n.parts, gp.RBF{Cells: 16, Length: l}.Gaussian())
	}
	rng := expfam.Stream(seed, "noisy")
	n.parts[rng.IntN(len(n.parts))].Draw(rng, n.y)
	sd, order := []float64{math.Exp(rng.NormFloat64()), 0.5}, n.y
	for j := range n.y {
		n.y[j] += sd[j%sets] * rng.NormFloat64()
	}
	n.like = expfam.Likelihood{Family: expfam.Normal{}, Unknown: law.Laws{"noise sd": nil}}
	if sets == 2 {
		every := func(first int) (like expfam.Likelihood) {
			var cells []int
			for j := first; j < 16; j += 2 {
				cells = append(cells, j)
			}
			like, like.Operator = n.like, &operator.Select{Cells: 16, Keep: cells}
			return like
		}
		n.like, order = expfam.Together(every(0), every(1)), nil
		for j := range 16 {
			order = append(order, n.y[j*2%16+j/8])
		}
	}
	for _, y := range order {
		n.obs = append(n.obs, must.Get(expfam.Normal{SD: 1}.Reduce(y, expfam.Known{}))(t))
	}
	return n
}

// given returns the posteriors of the parts given the standard deviations, and the running sums of their evidences.
func (n noisy) given(t *testing.T, sd []float64) (all []*gp.Conditional, sums []float64) {
	obs := make(expfam.Observations, len(n.y))
	for j, y := range n.y {
		obs[j] = must.Get(expfam.Normal{}.Reduce(y, expfam.Given(sd[j%len(sd)])))(t)
	}
	for _, part := range n.parts {
		c := must.Get(gp.Exact(part, expfam.Likelihood{Family: expfam.Normal{}}, obs))(t)
		all, sums = append(all, c), append(sums, math.Exp(c.LogEvidence))
	}
	return all, floats.CumSum(sums, sums)
}

// bridge returns the bridge of exact draws.
func (n noisy) bridge(t *testing.T) joint.Bridge {
	all := must.Get(n.like.Unknowns())(t)
	values := make([]float64, len(all))
	for k := range values {
		values[k] = 1
	}
	return joint.Bridge{Constants: all, Tuner: must.Get(n.like.Tuner(16, n.obs, values))(t),
		Given: func(_ context.Context, values []float64, first, count int) (*mat.Dense, error) {
			parts, sums := n.given(t, values)
			rng, out := expfam.Stream(n.seed, fmt.Sprint(values)), mat.NewDense(count, 16, nil)
			for i := range first + count {
				k := sort.SearchFloat64s(sums, rng.Float64()*sums[len(sums)-1])
				if seed := rng.Uint64(); i >= first {
					out.SetRow(i-first, must.Get(parts[k].Sample(1, seed))(t).X.RawRowView(0))
				}
			}
			return out, nil
		}}
}

// truth returns mean and standard deviation of the scores, by quadrature over the closed form.
func (n noisy) truth(t *testing.T, all []law.Parameter) (mean, sd []float64) {
	var scores [][]float64
	var logs []float64
	step := 0.04 // a third of a posterior standard deviation
	if len(all) == 2 {
		step = 0.12
	}
	for v := -4.0; v <= 3; v += step {
		for w := -4.0; w <= 3; w += step {
			at := []float64{v, w}[:len(all)]
			_, sums := n.given(t, law.Values(all, at))
			scores, logs = append(scores, at), append(logs, math.Log(sums[len(sums)-1])-floats.Dot(at, at)/2)
			if len(all) == 1 {
				break
			}
		}
	}
	weights, total := make([]float64, len(logs)), floats.LogSumExp(logs)
	for i, l := range logs {
		weights[i] = 1e6 * math.Exp(l-total) // the divisor of a standard deviation is the sum less 1
	}
	for k := range all {
		column := make([]float64, len(scores))
		for i, s := range scores {
			column[i] = s[k]
		}
		m, s := stat.MeanStdDev(column, weights)
		mean, sd = append(mean, m), append(sd, s)
	}
	return mean, sd
}

// TestBridge: unknown standard deviations, under a prior of which the bridge has draws alone, have the posterior of the
// closed form by quadrature.
func TestBridge(t *testing.T) {
	for name, c := range map[string]struct {
		lengths []float64
		sets    int
	}{"one": {[]float64{0.2}, 1}, "two": {[]float64{0.2}, 2}, "mixture": {[]float64{0.07, 0.14, 0.28}, 1}} {
		t.Run(name, func(t *testing.T) {
			var offs, widths []float64
			for seed := range uint64(fulltest.N(1, 30/c.sets)) {
				n := newNoisy(t, c.lengths, c.sets, seed)
				b := n.bridge(t)
				got := must.Get(b.Draw(t.Context(), joint.Options{Draws: 500, Seed: seed}))(t)
				mean, sd := n.truth(t, b.Constants)
				for k, p := range b.Constants {
					scores := mat.Col(nil, k, got.Values)
					for i, v := range scores {
						scores[i] = law.Score(p.Law, v)
					}
					m, s := stat.MeanStdDev(scores, nil)
					off, width := (m-mean[k])/sd[k], s/sd[k]
					offs, widths = append(offs, off), append(widths, width)
					t.Logf("%.2f ± %.2f: off %.3f, width %.3f; %d nodes, %d fields", mean[k], sd[k], off, width,
						got.Nodes, got.Fields)
					// Over seeds the standard deviations are 0.04 and 0.03 for one constant, as those of 500 draws.
					must.Be(t, math.Abs(off) <= 0.25 && math.Abs(width-1) <= 0.18,
						"%s: the mean is %.3f sd off, and the sd %.3f of the exact one", p.Name, off, width)
				}
			}
			square := 0.0
			for _, off := range offs {
				square += off * off / float64(len(offs))
			}
			t.Logf("off %.3f (rms), widths %.3f", math.Sqrt(square), stat.Mean(widths, nil))
			if *fulltest.Full {
				must.Be(t, math.Sqrt(square) <= 0.07 && math.Abs(stat.Mean(widths, nil)-1) <= 0.02,
					"means are %.3f sd off, and sds %.3f of the exact", math.Sqrt(square), stat.Mean(widths, nil))
			}
		})
	}
}

// TestBridgeShares: draw k depends on the seed and on k alone.
func TestBridgeShares(t *testing.T) {
	n := newNoisy(t, []float64{0.2}, 1, 1)
	whole := must.Get(n.bridge(t).Draw(t.Context(), joint.Options{Draws: 600, Seed: 1}))(t)
	share := must.Get(n.bridge(t).Draw(t.Context(), joint.Options{First: 590, Draws: 10, Seed: 1}))(t)
	for i := range 10 {
		must.Be(t, mat.Equal(whole.X.Slice(590+i, 591+i, 0, 16), share.X.Slice(i, i+1, 0, 16)) &&
			whole.Values.At(590+i, 0) == share.Values.At(i, 0), "draw %d is another one in a share", 590+i)
	}
}

// TestBridgeRefusals: a sampler that refuses values which the posterior needs is an error that names them. One that
// refuses values of no importance is none.
func TestBridgeRefusals(t *testing.T) {
	n := newNoisy(t, []float64{0.2}, 1, 1)
	whole := must.Get(n.bridge(t).Draw(t.Context(), joint.Options{Draws: 100, Seed: 1}))(t)
	values := expfam.Draws{X: whole.Values}
	for _, c := range []struct {
		below float64
		fails bool
	}{{values.Median()[0], true}, {values.Quantile(0)[0] * 0.7, false}} {
		b := n.bridge(t)
		given := b.Given
		b.Given = func(ctx context.Context, v []float64, first, n int) (*mat.Dense, error) {
			if v[0] < c.below {
				return nil, errors.New("the data are too sharp")
			}
			return given(ctx, v, first, n)
		}
		_, err := b.Draw(t.Context(), joint.Options{Draws: 100, Seed: 1})
		must.Be(t, (err != nil) == c.fails, "refused below %.2f: %v", c.below, err)
		must.Be(t, err == nil || strings.Contains(err.Error(), "at noise sd"), "%v", err)
	}
}
