// Package learntest has networks for tests: networks that train in a second, and networks that are not trained.
package learntest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// Tiny returns a training of a small network that takes a second. It is too short for a good prior.
func Tiny(t testing.TB) learn.Training {
	return learn.Training{Net: nn.Experts{Experts: 2, Blocks: 1, Width: 16, Embedding: 16}, Steps: 80, Batch: 64,
		Seed: 1, Engine: enginetest.Open(t, "go"), Fresh: true}
}

// Train is [learn.Train], but an error ends the test.
func Train(t testing.TB, sim expfam.Simulator, c learn.Training) *learn.Prior {
	t.Helper()
	return must.Get(learn.Train(sim, c))(t)
}

// TrainInference is [learn.TrainInference], but an error ends the test.
func TrainInference(t testing.TB, sim expfam.Simulator, like expfam.Likelihood, c learn.Training) *learn.Inference {
	t.Helper()
	return must.Get(learn.TrainInference(sim, like, c))(t)
}

// Untrained returns a prior of unit scale whose network has random weights, those of the heads included.
func Untrained(t testing.TB, net nn.Network, cells int) *learn.Prior {
	t.Helper()
	params := net.Params(cells, 2)
	for i, p := range params {
		if p.SD == 0 && p.Size() > slices.Max(p.Shape) {
			params[i].SD = 0.005
		}
	}
	weights := nn.Initial(params, expfam.Stream(1, "untrained"))
	sd := slices.Repeat([]float64{1}, cells)
	path := filepath.Join(t.TempDir(), "untrained")
	must.Do(t, store.Write(path, &store.File{Meta: map[string]string{"network": net.String(), "curve": "{}"},
		Tensors: []store.Tensor{
			{Name: "weights", Shape: []int{len(weights)}, Data: weights},
			{Name: "mean", Shape: []int{cells}, Data: make([]float64, cells)},
			{Name: "sd", Shape: []int{cells}, Data: sd},
			{Name: "coupling", Shape: []int{16}, Data: slices.Repeat([]float64{1}, 16)},
		}}))
	return must.Get(learn.Load(path, net))(t)
}
