package arviz

import (
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/internal/zarr"
)

// set is a data set, with the data that were observed and the dimensions of their arrays.
type set struct {
	name     string
	first    int // index, among the data of all sets, of the first datum of the set
	obs      expfam.Observations
	observed []int // indices, within the set, of the data that were observed
	dims     []string
	shape    []int
	coords   []zarr.Array
	labels   []string // labels of the observed data
	family   expfam.Family
	operator expfam.Operator
}

// sets returns the data sets of a posterior.
func (l *layout) sets(d Data) ([]set, error) {
	seen, err := d.Posterior.Seen()
	if err != nil {
		return nil, err
	}
	likes := d.Posterior.Likelihood.Parts() // those of Seen have no operators
	if d.Names != nil && len(d.Names) != len(seen) {
		return nil, fmt.Errorf("%d names for %d data sets; give one for each, or none", len(d.Names), len(seen))
	}
	var sets []set
	first := 0
	for i, p := range seen {
		_, n := p.Dims()
		if first+n > len(d.Obs) {
			return nil, fmt.Errorf("%d observations; data set %d ends with number %d", len(d.Obs), i, first+n)
		}
		s := set{name: "y", first: first, obs: d.Obs[first : first+n], family: p.Likelihood.Family,
			operator: likes[i].Operator}
		if len(seen) > 1 {
			s.name = fmt.Sprintf("y%d", i)
		}
		if d.Names != nil {
			s.name = d.Names[i]
		}
		if s.observed = calibrate.Observed(s.obs); len(s.observed) == 0 {
			return nil, fmt.Errorf("none of the data of %s was observed; leave out Obs", s.name)
		}
		if d.Labels != nil && len(d.Labels) != len(d.Obs) {
			return nil, fmt.Errorf("%d labels for %d data; give one for each, or none", len(d.Labels), len(d.Obs))
		}
		l.place(&s, d, len(seen))
		sets = append(sets, s)
		first += n
	}
	if first != len(d.Obs) {
		return nil, fmt.Errorf("%d observations of %d data; give one term for each", len(d.Obs), first)
	}
	return sets, nil
}

// place sets the dimensions of a data set. If the data are cells and all were observed, these are the dimensions of the
// map. Otherwise the dimension is a list of data, with their numbers and places.
func (l *layout) place(s *set, d Data, sets int) {
	plain := l.plain(d, sets)
	if plain && len(s.observed) == l.cells {
		s.dims, s.shape, s.coords = l.dims, l.shape, l.axes
		if d.Labels != nil {
			label := zarr.Array{Name: "datum_label", Dims: l.dims, Shape: l.shape, Data: d.Labels}
			s.coords = append(slices.Clone(l.axes), label)
		}
		return
	}
	dim := "datum"
	if sets > 1 {
		dim += "_" + s.name
	}
	n := len(s.observed)
	at := make([]int64, n)
	for k, j := range s.observed {
		at[k] = int64(j)
	}
	s.dims, s.shape = []string{dim}, []int{n}
	s.coords = []zarr.Array{{Name: dim, Dims: s.dims, Shape: s.shape, Data: at}}
	if plain && l.grid.Rows > 0 {
		for i, axis := range l.axes {
			v := make([]float64, n)
			for k, j := range s.observed {
				r, c := l.grid.Cell(j)
				v[k] = coordinate(axis, []int{r, c}[i])
			}
			s.coords = append(s.coords, zarr.Array{Name: dim + "_" + axis.Name, Dims: s.dims, Shape: s.shape, Data: v,
				Attributes: axis.Attributes})
		}
	}
	if d.Labels != nil {
		for _, j := range s.observed {
			s.labels = append(s.labels, d.Labels[s.first+j])
		}
		s.coords = append(s.coords, zarr.Array{Name: dim + "_label", Dims: s.dims, Shape: s.shape, Data: s.labels})
	}
}

// plain reports whether the data are the cells of the map: there is one data set, and neither an
// operator nor coefficients.
func (l *layout) plain(d Data, sets int) bool {
	return sets == 1 && d.Posterior.Likelihood.Operator == nil && len(l.coefficients) == 0
}

// coordinate returns coordinate i of an axis, as a number.
func coordinate(a zarr.Array, i int) float64 {
	if v := a.Floats(); v != nil {
		return v[i]
	}
	return float64(i)
}

// auxiliary writes the names of the coordinates that are not dimensions into the attribute
// "coordinates" of an array, where xarray looks them up.
func (s *set) auxiliary(a zarr.Array) zarr.Array {
	names := ""
	for _, c := range s.coords {
		if c.Name != c.Dims[0] {
			names += " " + c.Name
		}
	}
	if names != "" {
		if a.Attributes == nil {
			a.Attributes = map[string]any{}
		}
		a.Attributes["coordinates"] = names[1:]
	}
	return a
}

// each returns an array with the number f(t) for the term t of every observed datum.
func (s *set) each(name string, f func(t expfam.Term) float64) zarr.Array {
	v := make([]float64, len(s.observed))
	for k, j := range s.observed {
		v[k] = f(s.obs[j])
	}
	return s.auxiliary(zarr.Array{Name: name, Dims: s.dims, Shape: s.shape, Data: v, Attributes: map[string]any{}})
}

// raw returns the function that turns the statistic of a datum into its observation. ok is false, and the function is
// the identity, if no single observation with the constant of the datum has the statistic.
func raw(family expfam.Family, t expfam.Term) (back func(stat float64) float64, ok bool) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
	try := func(back func(float64) float64, known expfam.Known) bool {
		r, err := family.Reduce(back(t.Stat), known)
		if err != nil || !near(r.Stat, t.Stat) || !near(r.Size, t.Size) || !near(r.Base, t.Base) {
			return false
		}
		// Several functions may agree on one statistic, as y and y/σ² do on 0. They differ on the statistic of 1 or of
		// 2.
		for _, y := range []float64{1, 2} {
			if r, err := family.Reduce(y, known); err == nil && !near(back(r.Stat), y) {
				return false
			}
		}
		return true
	}
	for _, back := range []func(float64) float64{
		func(stat float64) float64 { return stat },                    // counts, times
		func(stat float64) float64 { return stat / t.Size },           // y, for the statistic y/σ²
		func(stat float64) float64 { return math.Exp(stat / t.Size) }, // y, for the statistic (log y)/σ²
	} {
		for _, known := range []expfam.Known{{}, expfam.Given(t.Size), expfam.Given(1 / math.Sqrt(t.Size))} {
			if try(back, known) {
				return back, true
			}
		}
	}
	return func(stat float64) float64 { return stat }, false
}
