package learn

import (
	"context"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/speak"
)

// reportNoise are the noise levels of a [Report], in standard deviations of the prior.
var reportNoise = []float64{0.1, 0.3, 1, 3}

// reportDraws returns the number of draws at each noise level.
func reportDraws(cells int) int {
	if cells > 1000 {
		return 32
	}
	return 128
}

// Report says how right a network is on draws of its simulator that it was not trained on, by noise level and by band
// of the cosines of its cells. Band 0 has the cosines of fewer than 8 half waves of a line, or of fewer than 4 along
// both sides of a grid, and each further band has an octave. So a band has at least 8 cosines. Let r = A(x₀ − m) be the
// errors along the cosines A of a band. For the exact moments (Stein's identities of the prior)
//
//	E |r|² = E tr(A C Aᵀ),   E[r ∘ A(x_t − E x_t)] = 0,   C = Cov(x₀ | x_t) = (v/√α) ∂m/∂x_t.
type Report struct {
	// Width is the root of the first sum over the second, [noise level][band]: above 1 the network is too sure.
	Width [][]float64
	// Lean is the correlation of the errors with what the network saw: above 0 it shrinks too much.
	Lean [][]float64
}

// String is a sentence with the extremes over all noise levels and bands.
func (r *Report) String() string {
	low, high, lean := math.Inf(1), math.Inf(-1), 0.0
	for k, row := range r.Width {
		for b, w := range row {
			low, high, lean = min(low, w), max(high, w), max(lean, math.Abs(r.Lean[k][b]))
		}
	}
	return fmt.Sprintf("on draws of its simulator the network's errors are %.2f to %.2f times as wide as it says, and "+
		"their correlation with what it sees is at most %.2f", low, high, lean)
}

// Report returns how right the network is on draws of its simulator, or nil if it was trained before there were
// reports, or with parameters.
func (p *Prior) Report() *Report { return p.report }

// Reported returns the report as a sentence, "" if there is none; see [expfam.Reported].
func (p *Prior) Reported() string {
	if p.report == nil {
		return ""
	}
	return p.report.String()
}

// Examine returns the prior with the report of its network on draws of the simulator that it was trained on.
func (p *Prior) Examine(sim expfam.Simulator) (*Prior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	if len(p.parameters) > 0 || sim == nil || sim.Dim() != p.Dim() {
		return nil, fmt.Errorf("prior: %v has parameters, or another number of cells than the simulator; give the "+
			"simulator of the training, without parameters", p)
	}
	e, err := engine.Default()
	if err != nil {
		return nil, err
	}
	out := *p
	out.report, err = reportOf(ctx, p, p.Scale, sim, e, 0)
	return &out, err
}

// reportOf measures the report of moments on draws of a simulator.
func reportOf(ctx context.Context, p expfam.Prior, scale Scale, sim expfam.Simulator, e *engine.Engine,
	seed uint64) (*Report, error) {
	exec, err := NewExec(e.Backend, func(x, q, root, v *Node) []*Node {
		at := &diffusion.Point{X: x, Level: level.Nodes{SqrtAlpha: root, V: v}}
		at.Mean, _ = p.Moments(x, at.Level)
		return []*Node{at.Mean, at.Cov(q)}
	})
	if err != nil {
		return nil, fmt.Errorf("train: report: %w", err)
	}
	defer exec.Finalize()
	w := wavesOf(p)
	out, rng, batch := new(Report), expfam.Stream(seed, "report"), min(couplingBatch(p.Dim()), 32)
	for _, noise := range reportNoise {
		l, sums := level.At(noise*rms(scale.SD)), make([]bandSums, w.bands)
		for range reportDraws(p.Dim()) / batch {
			x0, x := make([][]float64, batch), make([]float32, 0, batch*p.Dim())
			for b := range x0 {
				x0[b] = make([]float64, p.Dim())
				if err := drawOf(sim, rng, x0[b]); err != nil {
					return nil, err
				}
				for _, v := range x0[b] {
					x = append(x, float32(l.SqrtAlpha*(v+l.Sigma()*rng.NormFloat64())))
				}
			}
			for band := range sums {
				if ctx.Err() != nil {
					return nil, expfam.ErrInterrupted
				}
				signs, q := w.probes(rng, band, batch)
				mean, product, err := momentsAt(e, exec, l, x, q, batch)
				if err != nil {
					return nil, fmt.Errorf("train: report at noise of %.3g: %w", l.Sigma(), err)
				}
				d := p.Dim()
				for b := range batch {
					miss, seen, cov := make([]float64, d), make([]float64, d), make([]float64, d)
					for j := range d {
						miss[j], cov[j] = x0[b][j]-float64(mean[b*d+j]), float64(product[b*d+j])
						seen[j] = float64(x[b*d+j])/l.SqrtAlpha - scale.Mean[j]
					}
					sums[band].add(w, band, w.of(miss), w.of(seen), w.of(cov), signs[b])
				}
			}
		}
		width, lean := make([]float64, w.bands), make([]float64, w.bands)
		for band, s := range sums {
			width[band] = math.Sqrt(s.errors / max(s.stated, 1e-12*s.errors))
			lean[band] = s.both / math.Sqrt(s.errors*s.seen)
		}
		out.Width, out.Lean = append(out.Width, width), append(out.Lean, lean)
	}
	return out, nil
}

// momentsAt evaluates the mean and the product of the covariance with q, for batch images x.
func momentsAt(e *engine.Engine, exec *Exec, l level.Level, x, q []float32, batch int) (mean, product []float32,
	err error) {
	d := len(x) / batch
	got, err := e.Call(exec, tensors.FromFlatDataAndDimensions(x, batch, d),
		tensors.FromFlatDataAndDimensions(q, batch, d), [][]float32{{float32(l.SqrtAlpha)}},
		[][]float32{{float32(l.V)}})
	if err != nil {
		return nil, nil, err
	}
	if mean, err = tensors.CopyFlatData[float32](got[0]); err != nil {
		return nil, nil, err
	}
	if product, err = tensors.CopyFlatData[float32](got[1]); err != nil {
		return nil, nil, err
	}
	return mean, product, engine.Release(got...)
}
