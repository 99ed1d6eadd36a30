package expfam

import (
	"cmp"
	"errors"
	"fmt"
)

// Observations are the data of d cells, reduced to what the likelihood needs: one [Term] per cell. A cell without data
// has the zero Term, and adds exactly 0 to the evidence and to its gradient.
type Observations []Term

// Data are raw observations. Likelihood.Observe reduces them to terms. A y that is NaN is missing, here and wherever
// else the library takes observations. An infinite y is an error.
type Data struct {
	// Y[i][j] is replicate i of cell j, of any number of replicates. Replicates that contradict each other are refused:
	// measurements 30 standard deviations apart, and Poisson or binomial counts 15. Replicates that are data of their
	// own (operator.Select) are not refused, and [Posterior.Alarm] names those beyond 7.
	Y [][]float64
	// Known[i][j] is the known constant of Y[i][j] (σ, exposure, trials, successes, shape, scale, mean). A
	// single row serves all replicates. Default: the family's own constant. An exposure of 0, or 0 trials,
	// means that nothing was observed: y must be 0 there, and the cell is missing. So it is where the exposure or
	// the number of trials is NaN. Info.Missing of a posterior counts such cells. Constants that differ from a
	// constant of the family itself, such as Binomial{Trials: 9}, are refused, because one of the two is wrong.
	Known [][]float64
	// Missing[i][j] leaves Y[i][j] out, whatever its value. A single row serves all replicates. Default: only NaN
	// is missing. Without Missing, a number by which files mark missing values, such as -9999, is refused if it
	// lies far from all other values.
	Missing [][]bool
}

// Observe reduces data to one term per cell: the sum over its replicates. If an observation is to blame for the
// error, the error is an [*InputError], which names the cell and, of several replicates, the replicate.
func (l Likelihood) Observe(d Data) (Observations, error) {
	return l.observe(d, door{"the data", "Known", "give NaN there", "give y NaN there"})
}

// observe is [Likelihood.Observe] with the words of a door.
func (l Likelihood) observe(d Data, by door) (Observations, error) {
	l, err := l.only("observe")
	if err != nil {
		return nil, err
	}
	if len(d.Y) == 0 || len(d.Y[0]) == 0 {
		return nil, errors.New("expfam: observe: no data; give Data.Y a row of one value per cell")
	}
	cells := len(d.Y[0])
	if err := d.check(cells); err != nil {
		return nil, err
	}
	declared := d.Missing != nil
	if d, err = l.leave(d, by); err != nil {
		return nil, err
	}
	if err := l.meant(d, by); err != nil {
		return nil, err
	}
	family, err := l.reducer(d, by)
	if err != nil {
		return nil, err
	}
	obs := make(Observations, cells)
	for i, row := range d.Y {
		for j, y := range row {
			if d.missing(i, j) {
				continue
			}
			t, err := family.Reduce(y, d.known(i, j))
			if err == nil {
				err = l.agree(obs[j], t)
			}
			obs[j] = obs[j].Add(t)
			if err == nil && !obs[j].finite() { // terms that are finite may have a sum that is not
				_, err = checkTerm(l.Family.String(), y, obs[j])
			}
			if err != nil {
				var input *InputError
				if errors.As(err, &input) {
					l.locate(input, d, i, j)
					input.Reason += by.hint(d, i, j)
					return nil, err
				}
				return nil, fmt.Errorf("expfam: observe: %s %d, replicate %d: %w", placeName(l.Operator == nil), j, i,
					err)
			}
		}
	}
	if !declared {
		if err := l.unmarked(d, by); err != nil {
			return nil, err
		}
	}
	return obs, nil
}

// locate names the place of Y[i][j] in an error.
func (l Likelihood) locate(e *InputError, d Data, i, j int) {
	if e.Cell, e.Replicate, e.row = j, i, l.Operator != nil; len(d.Y) == 1 {
		e.Replicate = -1
	}
}

// Observe1 reduces one observation per cell, with the family's own constant. NaN is missing.
func (l Likelihood) Observe1(y ...float64) (Observations, error) {
	return l.Observe(Data{Y: [][]float64{y}})
}

// known returns the known constant of Y[i][j].
func (d Data) known(i, j int) Known {
	if d.Known == nil {
		return Known{}
	}
	return Given(d.Known[min(i, len(d.Known)-1)][j])
}

func (d Data) missing(i, j int) bool {
	return d.Missing != nil && d.Missing[min(i, len(d.Missing)-1)][j]
}

// check compares the lengths of all rows with the number of cells.
func (d Data) check(cells int) error {
	for i, row := range d.Y {
		if len(row) != cells {
			return fmt.Errorf("expfam: observe: replicate %d of Y has %d cells, replicate 0 has %d", i, len(row), cells)
		}
	}
	return cmp.Or(checkRows("Known", d.Known, len(d.Y), cells), checkRows("Missing", d.Missing, len(d.Y), cells))
}

// checkRows compares rows beside Y with the numbers of its replicates and cells.
func checkRows[T any](name string, rows [][]T, replicates, cells int) error {
	if n := len(rows); rows != nil && n != 1 && n != replicates {
		return fmt.Errorf("expfam: observe: %s has %d rows for %d replicates; give 1 or %d", name, n, replicates,
			replicates)
	}
	for i, row := range rows {
		if len(row) != cells {
			return fmt.Errorf("expfam: observe: row %d of %s has %d cells, Y has %d", i, name, len(row), cells)
		}
	}
	return nil
}

// Check refuses a term that is not finite or has a negative size, and names the cell. For data with an operator
// use [Forward.Check], which names the datum.
func (o Observations) Check() error { return o.check("cell") }

func (o Observations) check(place string) error {
	for j, t := range o {
		if !t.finite() || t.Size < 0 {
			return fmt.Errorf("%s %d has statistic %g, size %g and base %g; all must be finite and the size not "+
				"negative", place, j, t.Stat, t.Size, t.Base)
		}
	}
	return nil
}

// Stats returns the statistics of the cells' terms.
func (o Observations) Stats() []float64 { return o.each(func(t Term) float64 { return t.Stat }) }

// Sizes returns the sizes of the cells' terms. A size is 0 where nothing was observed.
func (o Observations) Sizes() []float64 { return o.each(func(t Term) float64 { return t.Size }) }

func (o Observations) each(f func(Term) float64) []float64 {
	x := make([]float64, len(o))
	for j, t := range o {
		x[j] = f(t)
	}
	return x
}

// Missing reports for each cell whether it has no data.
func (o Observations) Missing() []bool {
	x := make([]bool, len(o))
	for j, t := range o {
		x[j] = t == Term{}
	}
	return x
}

// Blanks returns the number of data that are missing. An exposure of 0, or 0 trials, makes a datum missing too.
// Samplers report the number as Info.Missing.
func (o Observations) Blanks() (n int) {
	for _, t := range o {
		if t.Stat == 0 && t.Size == 0 {
			n++
		}
	}
	return n
}

// sized refuses a statistic with size 0 in a family whose data all have a size, such as a count where nothing was
// exposed or examined. first is the number of the first term in messages.
func (o Observations) sized(f Family, place string, first int) error {
	name := "size"
	if named, ok := f.(sizeNamer); ok {
		name = named.SizeName()
	} else if _, own := f.(General); own {
		return nil
	}
	for j, t := range o {
		if t.Size == 0 && t.Stat != 0 {
			return fmt.Errorf("%s %d has statistic %g and %s 0, and %v sees nothing there; give its %s, or the "+
				"zero Term where the datum is missing", place, first+j, t.Stat, name, f, name)
		}
	}
	return nil
}
