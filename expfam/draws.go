package expfam

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/law"
)

// Draws holds samples of a vector with one entry per cell, and summarises them cell by cell.
// A summary of a cell with a NaN in any draw is NaN; [Draws.Check] names the draw.
type Draws struct {
	X *mat.Dense // (draws, cells)
}

// Dims returns the number of draws and the number of cells.
func (d *Draws) Dims() (draws, cells int) { return d.X.Dims() }

// At returns the value of a draw in a cell.
func (d *Draws) At(draw, cell int) float64 { return d.X.At(draw, cell) }

// Check returns an error that names the first draw and cell whose value is NaN or infinite, or
// nil if all values are finite.
func (d *Draws) Check() error {
	draws, _ := d.X.Dims()
	for i := range draws {
		for j, x := range d.X.RawRowView(i) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("expfam: draw %d, cell %d is %v; look at the sampler's steps and the link", i, j, x)
			}
		}
	}
	return nil
}

// Mean returns the mean of every cell.
func (d *Draws) Mean() []float64 {
	return d.summary(func(x []float64) float64 { return stat.Mean(x, nil) })
}

// SD returns the standard deviation of every cell, with n−1 in the denominator.
func (d *Draws) SD() []float64 {
	return d.summary(func(x []float64) float64 { return stat.StdDev(x, nil) })
}

// Median returns the median of every cell.
func (d *Draws) Median() []float64 { return d.Quantile(0.5) }

// Quantile returns the sample quantile of every cell by linear interpolation of the order statistics, x₍₁₊₍ₙ₋₁₎ₚ₎: type
// 7 of Hyndman & Fan (1996), the default of NumPy and R. It is NaN for p outside [0, 1].
func (d *Draws) Quantile(p float64) []float64 {
	return d.summary(func(x []float64) float64 {
		slices.Sort(x)
		return law.Quantile7(x, p)
	})
}

// Functional returns f of every draw; f must not keep its argument.
func (d *Draws) Functional(f func(x []float64) float64) []float64 {
	draws, _ := d.X.Dims()
	values := make([]float64, draws)
	for i := range values {
		values[i] = f(d.X.RawRowView(i))
	}
	return values
}

// eachCell calls f with a copy of every cell's draws, which f may reorder.
func (d *Draws) eachCell(f func(cell int, x []float64)) {
	draws, cells := d.X.Dims()
	parallel.For(cells, draws, func(j int) { f(j, mat.Col(nil, j, d.X)) })
}

func (d *Draws) summary(f func(x []float64) float64) []float64 {
	_, cells := d.X.Dims()
	values := make([]float64, cells)
	d.eachCell(func(j int, x []float64) { values[j] = f(x) })
	return values
}

// Above returns P(x > u) of every cell: the share of the cell's draws that are above u.
func (d *Draws) Above(u float64) []float64 {
	return d.summary(func(x []float64) float64 {
		above := 0
		for _, v := range x {
			if math.IsNaN(v) {
				return v
			}
			if v > u {
				above++
			}
		}
		return float64(above) / float64(len(x))
	})
}

// Above returns P(θ > u | y) of every cell.
func (p *Posterior) Above(u float64) []float64 { return p.Theta().Above(u) }

// EqualTailed returns, for every cell, the interval between the quantiles (1−level)/2 and (1+level)/2. The
// interval is equivariant under a monotone link, up to the interpolation between two neighbouring draws.
func (d *Draws) EqualTailed(level float64) (low, high []float64) {
	_, cells := d.X.Dims()
	low, high = make([]float64, cells), make([]float64, cells)
	d.eachCell(func(j int, x []float64) {
		slices.Sort(x)
		low[j], high[j] = law.Quantile7(x, (1-level)/2), law.Quantile7(x, (1+level)/2)
	})
	return low, high
}

// Coverage returns the share of cells whose equal-tailed interval holds the truth. A truth that is
// exchangeable with the n draws is held with a probability of about level·(n−1)/(n+1). At level 0.95 this is
// 0.946 for 500 draws, but 0.92 for 64. Package calibrate has coverage that is exact for any n.
func (d *Draws) Coverage(truth []float64, level float64) (float64, error) {
	_, cells := d.X.Dims()
	if len(truth) != cells {
		return 0, fmt.Errorf("expfam: coverage: %d true values for %d cells; give one for each", len(truth), cells)
	}
	if !(level > 0 && level < 1) {
		return 0, fmt.Errorf("expfam: coverage: level %v; give one between 0 and 1, such as 0.95", level)
	}
	low, high := d.EqualTailed(level)
	inside := 0
	for j, x := range truth {
		if math.IsNaN(x) || math.IsNaN(low[j]) {
			return 0, fmt.Errorf("expfam: coverage: cell %d: truth %v, interval from %v; NaN is in no interval", j, x,
				low[j])
		}
		if low[j] <= x && x <= high[j] {
			inside++
		}
	}
	return float64(inside) / float64(cells), nil
}
