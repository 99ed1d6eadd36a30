package increments

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// learned is the prior of a law in testdata. Where there is none it is trained, and saved there.
func learned(ctx context.Context, law Law) (*learn.Prior, error) {
	name := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(law.String()), "-"), "-")
	path := "testdata/" + name + ".safetensors"
	prior, err := learn.Load(path, training.Net)
	if !errors.Is(err, fs.ErrNotExist) {
		return prior, err
	}
	if prior, err = Learn(ctx, law); err != nil {
		return nil, err
	}
	return prior, prior.Save(path)
}

// exactIncrements is the model of a law's increments whose prior is exact.
func exactIncrements(law Law) (Model, error) {
	prior, err := NewMixture(law)
	return OfIncrements(law, "exact, of increments", prior), err
}

// The priors that ship denoise signals better than the best linear filter, which knows their covariance, and know how
// well.
func TestLearnedPriorsDenoise(t *testing.T) {
	const draws = 100
	for _, c := range []struct {
		law   Law
		sigma float64 // in units of a signal's root mean square
		most  float64 // of the filter's squared error
	}{{Laplace{}, 0.1, 0.99}, {BernoulliLaplace{}, 0.1, 0.6}} {
		prior, err := learned(t.Context(), c.law)
		must.Do(t, err)
		rng := expfam.Stream(9, "test")
		l := level.At(c.sigma)
		x0, x := make([]float64, draws*Cells), make([]float32, draws*Cells)
		total := mat.NewSymDense(Cells, nil)
		cov := mat.NewSymDense(Cells, nil)
		for i := range Cells {
			for j := i; j < Cells; j++ {
				cov.SetSym(i, j, 2.0/(Cells+1)*float64(i+1))
				total.SetSym(i, j, cov.At(i, j))
			}
			total.SetSym(i, i, total.At(i, i)+c.sigma*c.sigma)
		}
		noisy := mat.NewDense(draws, Cells, nil)
		for i := range draws {
			Paths{c.law}.Draw(rng, x0[i*Cells:(i+1)*Cells])
			for j := range Cells {
				noisy.Set(i, j, x0[i*Cells+j]+c.sigma*rng.NormFloat64())
				x[i*Cells+j] = float32(l.SqrtAlpha * noisy.At(i, j))
			}
		}
		var gain, linear mat.Dense
		must.Do(t, gain.Solve(total, cov))
		linear.Mul(noisy, &gain)
		e, err := engine.Default()
		must.Do(t, err)
		exec, err := graph.NewExec(e.Backend, func(x, a, v *graph.Node) []*graph.Node {
			mean, variance := prior.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
			return []*graph.Node{mean, variance}
		})
		must.Do(t, err)
		defer exec.Finalize()
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(x, draws, Cells), [][]float32{{float32(l.SqrtAlpha)}},
			[][]float32{{float32(l.V)}})
		must.Do(t, err)
		mean, variance := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
		var own, filter, ratio float64
		for i, want := range x0 {
			miss := math.Pow(float64(mean[i])-want, 2)
			own += miss
			filter += math.Pow(linear.At(i/Cells, i%Cells)-want, 2)
			ratio += miss / float64(variance[i]) / float64(len(x0))
		}
		t.Logf("%v at σ = %g: squared error %.3f of the filter's, and %.3f of what the network expects", c.law, c.sigma,
			own/filter, ratio)
		must.Be(t, own/filter <= c.most,
			"%v at σ = %g: the squared error is %.3f of the filter's, want at most %.2f", c.law, c.sigma, own/filter,
			c.most)
		if math.Abs(ratio-1) > 0.15 { // 6400 cells of 100 signals, whose errors are skewed
			t.Errorf("%v at σ = %g: the squared error is %.3f of what the network expects", c.law, c.sigma, ratio)
		}
	}
}
