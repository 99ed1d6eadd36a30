package learn

import (
	"context"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/interrupt"
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
// of the cosines of its cells. Band 0 has the cosines of fewer than 8 half waves of a line, or of fewer than 4 along both
// sides of a grid. Each further band has an octave more, so that a band has at least 8 cosines. Let r = A(x₀ − m) be the errors of the cosines A of a band. For the exact moments
// (Stein's identities of the prior)
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

// cosinesOf returns the orthonormal cosines of n cells as rows.
func cosinesOf(n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	a.Apply(func(k, j int, _ float64) float64 {
		scale := math.Sqrt(2 / float64(n))
		if k == 0 {
			scale = math.Sqrt(1 / float64(n))
		}
		return scale * math.Cos(math.Pi*float64(k)*(float64(j)+0.5)/float64(n))
	}, a)
	return a
}

// bandOf returns the band of a cosine of so many half waves, of which band 0 has fewer than first.
func bandOf(waves, first int) (band int) {
	for ; waves >= first; waves /= 2 {
		band++
	}
	return band
}

// Examine returns the prior with the report of its network on draws of the simulator that it was trained on.
func (p *Prior) Examine(sim expfam.Simulator) (*Prior, error) {
	ctx, stop := interrupt.Context()
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

// reportOf measures the report of a prior on draws of a simulator.
func reportOf(ctx context.Context, p expfam.Prior, scale Scale, sim expfam.Simulator, e *engine.Engine,
	seed uint64) (*Report, error) {
	d, sd := p.Dim(), rms(scale.SD)
	rows, cols := 1, d
	if l, ok := p.(expfam.Lattice); ok {
		rows, cols = l.Lattice()
	}
	exec, err := NewExec(e.Backend, func(x, q, root, v *Node) []*Node {
		at := &diffusion.Point{X: x, Level: expfam.LevelNodes{SqrtAlpha: root, V: v}}
		at.Mean, _ = p.Moments(x, at.Level)
		return []*Node{at.Mean, at.Cov(q)}
	})
	if err != nil {
		return nil, fmt.Errorf("train: report: %w", err)
	}
	defer exec.Finalize()
	first := 4
	if rows == 1 {
		first = 8
	}
	down, across, bands := cosinesOf(rows), cosinesOf(cols), bandOf(max(rows, cols)-1, first)+1
	waves := func(x []float64) *mat.Dense { // the coefficients of an image
		var c mat.Dense
		c.Product(down, mat.NewDense(rows, cols, x), across.T())
		return &c
	}
	out, rng, batch := new(Report), expfam.Stream(seed, "report"), min(couplingBatch(d), 32)
	for _, noise := range reportNoise {
		l := expfam.LevelAt(noise * sd)
		wide, stated := make([]float64, bands), make([]float64, bands)
		both, seen := make([]float64, bands), make([]float64, bands)
		for range reportDraws(d) / batch {
			images, x := make([][]float64, batch), make([]float32, batch*d)
			for b := range images {
				images[b] = make([]float64, d)
				if err := drawOf(sim, rng, images[b]); err != nil {
					return nil, err
				}
				for j, v := range images[b] {
					x[b*d+j] = float32(l.SqrtAlpha * (v + l.Sigma()*rng.NormFloat64()))
				}
			}
			for band := range bands {
				if ctx.Err() != nil {
					return nil, expfam.ErrInterrupted
				}
				// Signs s of the band's cosines at random: E sᵀ A C Aᵀ s = tr(A C Aᵀ).
				q, signs := make([]float32, batch*d), make([]*mat.Dense, batch)
				for b := range signs {
					signs[b] = mat.NewDense(rows, cols, nil)
					signs[b].Apply(func(i, j int, _ float64) float64 {
						if bandOf(max(i, j), first) != band {
							return 0
						}
						return float64(2*rng.IntN(2) - 1)
					}, signs[b])
					var probe mat.Dense
					probe.Product(down.T(), signs[b], across)
					for j, v := range probe.RawMatrix().Data {
						q[b*d+j] = float32(v)
					}
				}
				got, err := e.Call(exec, tensors.FromFlatDataAndDimensions(x, batch, d),
					tensors.FromFlatDataAndDimensions(q, batch, d), [][]float32{{float32(l.SqrtAlpha)}},
					[][]float32{{float32(l.V)}})
				if err != nil {
					return nil, fmt.Errorf("train: report at noise of %.3g: %w", l.Sigma(), err)
				}
				mean, err := tensors.CopyFlatData[float32](got[0])
				if err != nil {
					return nil, err
				}
				product, err := tensors.CopyFlatData[float32](got[1])
				if err != nil {
					return nil, err
				}
				if err := engine.Release(got...); err != nil {
					return nil, err
				}
				for b, x0 := range images {
					miss, saw, cov := make([]float64, d), make([]float64, d), make([]float64, d)
					for j, v := range x0 {
						at := b*d + j
						miss[j], cov[j] = v-float64(mean[at]), float64(product[at])
						saw[j] = float64(x[at])/l.SqrtAlpha - scale.Mean[j]
					}
					r, z, c := waves(miss), waves(saw), waves(cov)
					for i := range rows {
						for j := range cols {
							if bandOf(max(i, j), first) != band {
								continue
							}
							wide[band] += r.At(i, j) * r.At(i, j)
							both[band] += r.At(i, j) * z.At(i, j)
							seen[band] += z.At(i, j) * z.At(i, j)
							stated[band] += signs[b].At(i, j) * c.At(i, j)
						}
					}
				}
			}
		}
		width, lean := make([]float64, bands), make([]float64, bands)
		for band := range bands {
			width[band] = math.Sqrt(wide[band] / max(stated[band], 1e-12*wide[band]))
			lean[band] = both[band] / math.Sqrt(wide[band]*seen[band])
		}
		out.Width, out.Lean = append(out.Width, width), append(out.Lean, lean)
	}
	return out, nil
}
