package calibrate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/law"
)

// Distance says how far a posterior is from a reference, in the latent x₀. Below, a star marks the reference. Division
// by sd* makes every entry free of units. For 500 independent draws of the reference itself, Med is about 0.044, CI
// 0.99, W1 and SlicedW1 0.056, FM 0.04, FS and Rough 1.
type Distance struct {
	Med      float64 // mean over cells of |median − median*| / sd*
	CI       float64 // mean over cells of the ratio of the widths of equal-tailed 95% intervals
	W1       float64 // mean over cells of the Wasserstein-1 distance / sd*
	SlicedW1 float64 // W1 along 100 random directions through all cells, always the same ones
	FM       float64 // |mean − mean*| / sd* of the spatial average of x₀
	FS       float64 // sd / sd* of the spatial average of x₀
	Rough    float64 // ratio of E[(x₀[j−1] − 2 x₀[j] + x₀[j+1])²], summed over j; NaN below 3 cells
	Coverage float64 // share of true x₀ inside the 95% interval; NaN without truth
}

// directions is the number of random projections of SlicedW1.
const directions = 100

// Reference is a distribution of x₀ that a posterior is compared to: draws
// ([expfam.Posterior], [expfam.Draws]) or an [expfam.Gaussian] in closed form.
type Reference interface {
	// Cells returns the number of cells d.
	Cells() int
	// Project returns the distribution of Σₖ weights[k]·x₀[cells[k]].
	Project(cells []int, weights []float64) law.Marginal
}

// Distances compares posteriors to a reference, whose projections are computed once. The truth has one x₀ per cell, or
// is nil.
func Distances(ref Reference, truth []float64, posteriors ...*expfam.Posterior) ([]Distance, error) {
	d := ref.Cells()
	latent := make([]*expfam.Draws, len(posteriors))
	out := make([]Distance, len(posteriors))
	for k, p := range posteriors {
		if err := given("distance", p); err != nil {
			return nil, err
		}
		latent[k] = p.Latent()
		if draws, cells := p.Dims(); cells != d || draws < 2 {
			return nil, fmt.Errorf("calibrate: distance: posterior %d has %d draws of %d cells; want at least 2 of "+
				"the reference's %d", k, draws, cells, d)
		}
		if err := latent[k].Check(); err != nil {
			return nil, fmt.Errorf("calibrate: distance: posterior %d: %w", k, err)
		}
		out[k].Coverage = math.NaN()
		if truth != nil {
			var err error
			if out[k].Coverage, err = latent[k].Coverage(truth, 0.95); err != nil {
				return nil, err
			}
		}
	}

	if err := cellDistances(ref, latent, out); err != nil {
		return nil, err
	}
	all, even := make([]int, d), make([]float64, d)
	for j := range all {
		all[j], even[j] = j, 1/float64(d)
	}
	slicedDistances(ref, latent, all, out)
	average := ref.Project(all, even)
	for k := range out {
		got := latent[k].Project(all, even)
		out[k].FM = math.Abs(got.Mean()-average.Mean()) / average.SD()
		out[k].FS = got.SD() / average.SD()
		out[k].Rough = roughness(latent[k]) / roughness(ref)
	}
	return out, nil
}

// cellDistances adds the entries that are means over cells: Med, CI and W1.
func cellDistances(ref Reference, latent []*expfam.Draws, out []Distance) error {
	d := ref.Cells()
	for j := range d {
		cell, one := []int{j}, []float64{1}
		want := ref.Project(cell, one)
		sd, width := want.SD(), want.Quantile(0.975)-want.Quantile(0.025)
		if !(sd > 0 && width > 0) {
			return fmt.Errorf("calibrate: distance: cell %d: the reference has sd %v and width %v; want a proper "+
				"distribution", j, sd, width)
		}
		for k := range out {
			got := latent[k].Project(cell, one)
			out[k].Med += math.Abs(got.Quantile(0.5)-want.Quantile(0.5)) / sd / float64(d)
			out[k].CI += (got.Quantile(0.975) - got.Quantile(0.025)) / width / float64(d)
			out[k].W1 += want.Wasserstein(got.(law.Empirical)) / sd / float64(d)
		}
	}
	return nil
}

// slicedDistances adds SlicedW1, the mean distance along directions through all cells.
func slicedDistances(ref Reference, latent []*expfam.Draws, all []int, out []Distance) {
	d := len(all)
	rng := expfam.Stream(0, "distance/directions")
	along := make([][]float64, directions) // of any length: the distance over sd* does not depend on it
	for i := range along {
		along[i] = make([]float64, d)
		for j := range along[i] {
			along[i][j] = rng.NormFloat64()
		}
	}
	sliced := make([][]float64, directions)
	parallel.For(directions, parallel.Heavy, func(i int) {
		want := ref.Project(all, along[i])
		for k := range out {
			got := latent[k].Project(all, along[i]).(law.Empirical)
			sliced[i] = append(sliced[i], want.Wasserstein(got)/want.SD()/directions)
		}
	})
	for _, w := range sliced {
		for k := range out {
			out[k].SlicedW1 += w[k]
		}
	}
}

// roughness returns the sum over j of E[(second difference at j)²].
func roughness(r Reference) float64 {
	var total float64
	for j := 1; j+1 < r.Cells(); j++ {
		m := r.Project([]int{j - 1, j, j + 1}, []float64{1, -2, 1})
		total += m.Mean()*m.Mean() + m.SD()*m.SD()
	}
	return total // 0/0 = NaN below 3 cells
}

// distanceColumns names the entries of [Distance.Row], in the same order.
var distanceColumns = []string{"med", "CI", "W1", "sW1", "fm", "fs", "rough", "cov"}

// Row returns the entries as the texts of a table's row, without the names.
func (d Distance) Row() []string {
	row := make([]string, len(distanceColumns))
	for i, field := range d.fields() {
		row[i] = strconv.FormatFloat(*field, 'f', 3, 64)
		if math.IsNaN(*field) {
			row[i] = "–"
		}
	}
	return row
}

// String returns "med 0.044  CI 0.991  W1 0.056 …".
func (d Distance) String() string {
	parts := d.Row()
	for i, name := range distanceColumns {
		parts[i] = name + " " + parts[i]
	}
	return strings.Join(parts, "  ")
}

func (d *Distance) fields() []*float64 {
	return []*float64{&d.Med, &d.CI, &d.W1, &d.SlicedW1, &d.FM, &d.FS, &d.Rough, &d.Coverage}
}
