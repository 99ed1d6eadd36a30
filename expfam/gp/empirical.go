package gp

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
)

// empiricalRevision is part of the key of stored fields. Raise it when a change of the code makes the same arguments
// give another field.
const empiricalRevision = 1

// Empirical returns the stationary Gaussian field with the mean and the covariance of draws of a simulator of images.
// It is the best model of the images that uses only moments of second order. The covariance at a lag is the average of
// all products at that lag, over cells and draws. The field is stored, and a second call with the same arguments loads
// it.
func Empirical(sim expfam.Simulator, rows, cols, draws int, seed uint64) (*Stationary, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return EmpiricalContext(ctx, sim, rows, cols, draws, seed)
}

// EmpiricalContext is [Empirical] with a context: it ends with ctx, and its error is then [expfam.ErrInterrupted].
func EmpiricalContext(ctx context.Context, sim expfam.Simulator, rows, cols, draws int, seed uint64) (*Stationary,
	error) {
	if err := traits.Check(sim); err != nil {
		return nil, fmt.Errorf("gp: empirical field: %w", err)
	}
	if rows < 1 || cols < 1 || sim.Dim() != rows*cols || draws < 2 {
		return nil, fmt.Errorf("gp: empirical field: %d draws of %v with %d cells on a grid of %d×%d; give the "+
			"grid of the images and at least 2 draws", draws, sim, sim.Dim(), rows, cols)
	}
	codec := store.Codec[*Stationary]{
		File: func(s *Stationary) (*store.File, error) {
			return &store.File{Tensors: []store.Tensor{
				{Name: "level", Data: []float64{s.Level}},
				{Name: "spectrum", Shape: []int{2 * rows, 2 * cols}, Data: s.spectrum},
			}}, nil
		},
		From: func(f *store.File) (*Stationary, error) {
			level, _ := f.Tensor("level")
			spectrum, _ := f.Tensor("spectrum")
			mean, ok := level.Data.([]float64)
			values, good := spectrum.Data.([]float64)
			if !ok || !good || len(mean) != 1 || len(values) != 4*rows*cols {
				return nil, fmt.Errorf("gp: empirical field: the file holds no field of %d×%d cells", rows, cols)
			}
			return &Stationary{Rows: rows, Cols: cols, Level: mean[0], spectrum: values}, nil
		},
	}
	source, err := fingerprint.Simulator(sim, expfam.Stream)
	if err != nil {
		return nil, fmt.Errorf("gp: empirical field: %w", err)
	}
	key := store.Key("empirical", empiricalRevision, source, rows, cols, draws, seed)
	return store.OnceContext(ctx, "field", key, codec,
		func() (*Stationary, error) { return empirical(ctx, sim, rows, cols, draws, seed) })
}

// empirical makes the field of [Empirical]. It averages the power spectra of the draws on a torus of twice the size,
// whose inverse transform has the sums of products at every lag.
func empirical(ctx context.Context, sim expfam.Simulator, rows, cols, draws int, seed uint64) (*Stationary, error) {
	rng := expfam.Stream(seed, "gp/empirical")
	x := make([]float64, rows*cols)
	t := newTorus(2*rows, 2*cols)
	power := make([]float64, len(t.values))
	var sum float64
	for k := range draws {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("gp: empirical field: %w after %d of %d draws", expfam.ErrInterrupted, k, draws)
		}
		sim.Draw(rng, x)
		t.embed(x, rows, cols)
		for _, v := range x {
			sum += v
		}
		t.forward()
		for i, v := range t.values {
			power[i] += real(v)*real(v) + imag(v)*imag(v)
		}
	}
	level := sum / float64(draws*rows*cols)
	for i, p := range power {
		t.values[i] = complex(p/float64(draws), 0)
	}
	t.inverse() // Σ x_{r,c} x_{r+Δr,c+Δc} by lag, 0 beyond the grid
	lags := append([]complex128(nil), t.values...)
	s, _, err := NewStationary(rows, cols, level, func(r, c int) float64 {
		i := (r+2*rows)%(2*rows)*2*cols + (c+2*cols)%(2*cols)
		pairs := float64((rows - abs(r)) * (cols - abs(c)))
		return real(lags[i])/pairs - level*level
	})
	return s, err
}
