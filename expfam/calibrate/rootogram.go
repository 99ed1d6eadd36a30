package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
)

// Rootogram compares how often each count was observed with how often replicated data have it (Tukey 1977; Kleiber &
// Zeileis 2016). Bins are [From, From + Width).
type Rootogram struct {
	From  []float64
	Width float64
	// Observed is the number of data in each bin; Expected is the mean number of replicated data, and Low and High are
	// the equal-tailed interval of this number.
	Observed, Expected, Low, High []float64
	Level                         float64
}

// Rootogram counts the data and the replicates in at most so many bins of equal width, with whole ends; 0 stands for
// 30.
func (r Replicates) Rootogram(bins int, level float64) (*Rootogram, error) {
	bins = cmp.Or(bins, 30)
	if r.Draws == nil || len(r.Observed) == 0 {
		return nil, fmt.Errorf("calibrate: rootogram: there are no data; Replicated makes them")
	}
	draws, data := r.Draws.Dims()
	if bins < 2 || data != len(r.Observed) {
		return nil, fmt.Errorf("calibrate: rootogram: %d bins, %d data and %d columns of replicates; give at least 2 "+
			"bins, and replicates of each datum", bins, len(r.Observed), data)
	}
	if err := levelFor(level, draws); err != nil {
		return nil, err
	}
	// Replicates reach far beyond the data in few draws; their last hundredth shares the last bin.
	all := slices.Clone(r.Draws.X.RawMatrix().Data)
	slices.Sort(all)
	first := min(all[0], slices.Min(r.Observed))
	last := max(stat.Quantile(0.99, stat.Empirical, all, nil), slices.Max(r.Observed))
	if first != math.Trunc(first) || last != math.Trunc(last) {
		return nil, fmt.Errorf("calibrate: rootogram: the data are from %g to %g, which are no counts; look at PIT "+
			"values", first, last)
	}
	out := &Rootogram{Width: math.Ceil((last - first + 1) / float64(bins)), Level: level}
	for v := first; v <= last; v += out.Width {
		out.From = append(out.From, v)
	}
	place := func(y float64) int { return min(int((y-first)/out.Width), len(out.From)-1) }
	out.Observed, out.Expected = make([]float64, len(out.From)), make([]float64, len(out.From))
	for _, y := range r.Observed {
		out.Observed[place(y)]++
	}
	counts := mat.NewDense(draws, len(out.From), nil)
	for i := range draws {
		for _, y := range r.Draws.X.RawRowView(i) {
			b := place(y)
			counts.Set(i, b, counts.At(i, b)+1)
			out.Expected[b] += 1 / float64(draws)
		}
	}
	var err error
	out.Low, out.High, err = Intervals(&expfam.Draws{X: counts}, level, nil)
	return out, err
}

// By returns the replicates of the data for which keep is true, such as one group.
func (r Replicates) By(keep func(datum int) bool) Replicates {
	var out Replicates
	var columns []int
	for c := range r.Observed {
		if keep(c) {
			out.Observed, out.Sizes, columns = append(out.Observed, r.Observed[c]), append(out.Sizes, r.Sizes[c]),
				append(columns, c)
		}
	}
	out.Draws = columnsOf(r.Draws, columns)
	return out
}

// columnsOf returns the draws of some cells; nil if there are no draws or no cells.
func columnsOf(d *expfam.Draws, columns []int) *expfam.Draws {
	if d == nil || len(columns) == 0 {
		return nil
	}
	draws, _ := d.Dims()
	out := mat.NewDense(draws, len(columns), nil)
	for k, c := range columns {
		out.SetCol(k, mat.Col(nil, c, d.X))
	}
	return &expfam.Draws{X: out}
}

// Len returns the number of bins.
func (r *Rootogram) Len() int { return len(r.From) }

// Bin returns a bin and its numbers, for viz.Rootogram.
func (r *Rootogram) Bin(i int) (from, to, observed, expected, low, high float64) {
	return r.From[i], r.From[i] + r.Width, r.Observed[i], r.Expected[i], r.Low[i], r.High[i]
}
