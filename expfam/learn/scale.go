package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
)

// scaleOf estimates the scale of a prior from n draws. If the simulator is [Stationary], every cell gets the mean and
// the sd over all cells. It ends when ctx ends, and its error is then [expfam.ErrInterrupted].
func scaleOf(ctx context.Context, sim expfam.Simulator, n int, rng *rand.Rand) (Scale, error) {
	d := sim.Dim()
	sum, squares, x := make([]float64, d), make([]float64, d), make([]float64, d)
	// Sums are taken over deviations from the first draw. They are exactly 0 in a constant cell, and nothing
	// cancels in a cell whose values are far from 0.
	origin := make([]float64, d)
	low, high, err := boundsOf(sim)
	if err != nil {
		return Scale{}, err
	}
	slack := 1e-6 * (high - low) // for rounding errors
	if math.IsInf(slack, 1) {
		slack = 0
	}
	for i := range n {
		if ended(ctx) {
			return Scale{}, fmt.Errorf("train: %w while the mean and sd of the cells were estimated; run it again",
				expfam.ErrInterrupted)
		}
		if err := drawOf(sim, rng, x); err != nil {
			return Scale{}, err
		}
		if i == 0 {
			copy(origin, x)
		}
		for j, v := range x {
			if low < high && (v < low-slack || v > high+slack) {
				return Scale{}, fmt.Errorf("train: a draw of %v has %g in cell %d, and its Bounds are %g and %g; "+
					"correct the draws, or let Bounds return 0 and 0 for none", sim, v, j, low, high)
			}
			v -= origin[j]
			sum[j] += v
			squares[j] += v * v
		}
	}
	if a, ok := sim.(Stationary); ok && a.Stationary() {
		pool(origin, sum, squares, n)
	}
	s := Scale{Mean: make([]float64, d), SD: make([]float64, d), Low: low, High: high}
	for j := range d {
		mean := sum[j] / float64(n)
		s.Mean[j] = origin[j] + mean
		s.SD[j] = math.Sqrt(max(squares[j]/float64(n)-mean*mean, 0))
		if s.SD[j] == 0 {
			return Scale{}, fmt.Errorf("train: cell %d of %v is %g in all of %d draws; leave constant cells out", j,
				sim, s.Mean[j], n)
		}
	}
	return s, nil
}

// boundsOf returns the bounds of a simulator that is [expfam.Bounded], and 0 and 0 for any other simulator.
func boundsOf(sim expfam.Simulator) (low, high float64, err error) {
	b, ok := sim.(expfam.Bounded)
	if !ok {
		return 0, 0, nil
	}
	if low, high = b.Bounds(); low < high || low == 0 && high == 0 {
		return low, high, nil
	}
	return 0, 0, fmt.Errorf("train: the Bounds of %v are %g and %g; the first must be the smaller, or both be 0 "+
		"for none", sim, low, high)
}

// pool gives every cell the average moments of all cells. The moments are of deviations from the origin, so
// all are first referred to the origin of the first cell.
func pool(origin, sum, squares []float64, n int) {
	var all, allSquares float64
	for j := range sum {
		shift := origin[j] - origin[0]
		allSquares += squares[j] + 2*shift*sum[j] + float64(n)*shift*shift
		all += sum[j] + float64(n)*shift
	}
	d := float64(len(sum))
	for j := range sum {
		origin[j], sum[j], squares[j] = origin[0], all/d, allSquares/d
	}
}

// uniform returns the mean and sd that all cells share; ok is false if cells differ.
func (s Scale) uniform() (mean, sd float64, ok bool) {
	for j := range s.Mean {
		if s.Mean[j] != s.Mean[0] || s.SD[j] != s.SD[0] {
			return 0, 0, false
		}
	}
	return s.Mean[0], s.SD[0], true
}

// Stationary is a simulator that may have the same distribution in all cells, as images that are shifted at random
// have. A network that is trained on such draws can serve grids of other sizes.
type Stationary interface{ Stationary() bool }
