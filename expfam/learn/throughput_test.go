//go:build gpu

package learn

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

var throughputBatch = flag.Int("batch", 8, "images on every device in TestGPUThroughput")

// TestGPUThroughput prints how fast the paper's network of 256×256 cells trains and samples. On an engine without a GPU
// the same weights work on 32×32 cells. What GPUs call TF32 is measured as float32 under
// GOMLX_BACKEND=xla:cuda,tf32=true.
func TestGPUThroughput(t *testing.T) {
	e := enginetest.XLA(t)
	net := nn.PaperUNet
	if !strings.Contains(e.String(), "cuda") {
		net.Rows, net.Columns = 32, 32
	}
	cells := net.Rows * net.Columns
	scale := Scale{Mean: make([]float64, cells), SD: slices.Repeat([]float64{1}, cells)}
	weights := nn.Initial(net.Params(cells, heads), expfam.Stream(1, "weights"))
	t.Logf("%d×%d cells, %d weights, %v with %d devices", net.Rows, net.Columns, len(weights), e,
		e.Backend.NumDevices())
	batch := *throughputBatch * e.Backend.NumDevices()
	c := must.Get(Training{Net: net, Engine: e, Batch: batch}.orDefault())(t)
	t.Run("training", func(t *testing.T) {
		run := &trainer{Training: c, scale: scale, objective: Training{}.scoreObjective(net, scale)}
		t.Logf("%.3g images/s in batches of %d", run.throughput(t, weights), c.Batch)
	})
	t.Run("sampling", func(t *testing.T) {
		prior := &Prior{Net: net, Scale: scale, weights: weights, coupling: make([]float64, len(couplingLevels))}
		t.Logf("%.3g draws/s, of 30 evaluations, in batches of %d", throughput(t, prior, e), *throughputBatch)
	})
}

// throughput of steps of Adam, in images a second, on a batch that lies ready.
func (r *trainer) throughput(t *testing.T, weights []float32) float64 {
	const steps = 5
	zero := make([]float32, len(weights))
	for i, values := range [states][]float32{weights, weights, zero, zero} {
		r.state[i] = tensors.FromFlatDataAndDimensions(slices.Clone(values), len(values))
	}
	step := must.Get(r.newStep(r.Net.Params(len(r.scale.SD), heads)))(t)
	defer step.close()
	r.sim = zeros(len(r.scale.SD))
	data := must.Get(r.draw(t.Context(), "batch"))(t)
	var start time.Time
	for i := range steps + 1 {
		scalars := r.scalars()
		out := must.Get(step.call(r.state, scalars, data))(t)
		tensors.ToScalar[float32](out[states]) // waits for the device
		must.Do(t, engine.Release(append(r.state[:], scalars, out[states])...))
		copy(r.state[:], out[:states])
		if i == 0 { // the first compiles
			start = time.Now()
		}
	}
	return steps * float64(r.Batch) / time.Since(start).Seconds()
}

// throughput of the default sampler under counts, in draws a second of 30 evaluations.
func throughput(t *testing.T, prior expfam.Prior, e *engine.Engine) float64 {
	const evaluations = 5
	c := must.Get(diffusion.Compile(prior, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink},
		diffusion.Sampler{Engine: e,
			Draws: *throughputBatch, Batch: *throughputBatch, Method: diffusion.Multistep{N: evaluations}}))(t)
	defer c.Close()
	obs := make(expfam.Observations, prior.Dim())
	for j := range obs {
		obs[j] = expfam.Term{Stat: float64(j % 3), Size: 1}
	}
	var post *expfam.Posterior
	for range 2 { // the first may still tune
		post = must.Get(c.Sample(t.Context(), obs, 1))(t)
	}
	return float64(*throughputBatch) / (post.Info.Seconds * 30 / evaluations)
}
