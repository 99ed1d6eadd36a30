package calibrate

// Uniform is a set of values, with a name, that are independent and uniform on [0, 1) if the model is right: [PIT]
// values of simulations or of held-out data. viz.Histogram and viz.Uniformity draw them.
type Uniform struct {
	Name   string
	Values []float64
}

// Bins returns the counts of the values in ten bins, the expected count of a bin and the bounds of
// the count, by [NewHistogram] at the level 0.95.
func (u Uniform) Bins() (counts []int, expected, low, high float64, err error) {
	h, err := NewHistogram(u.Values, 10, 0.95)
	return h.Counts, h.Expected, h.Low, h.High, err
}

// Uniforms are several sets of values that are compared.
type Uniforms []Uniform

// Len returns the number of sets.
func (u Uniforms) Len() int { return len(u) }

// Curve returns the empirical distribution of set k minus the uniform distribution at the points
// z, with the ends of its band, by [NewECDF] at the level 0.95.
func (u Uniforms) Curve(k int) (name string, z, difference, low, high []float64, err error) {
	e, err := NewECDF(u[k].Values, 0.95)
	e = e.Difference()
	return u[k].Name, e.Z, e.F, e.Low, e.High, err
}

// Uniform returns the [SBCResult.PIT] values of a quantity, under the name of the quantity.
func (r *SBCResult) Uniform(quantity int) Uniform { return Uniform{r.Names[quantity], r.PIT(quantity)} }

// Uniforms returns the PIT values of all quantities.
func (r *SBCResult) Uniforms() Uniforms {
	all := make(Uniforms, len(r.Names))
	for q := range all {
		all[q] = r.Uniform(q)
	}
	return all
}

// Across returns the PIT values of one quantity in several results, under the names of the results.
func Across(quantity int, results ...*SBCResult) Uniforms {
	all := make(Uniforms, len(results))
	for k, r := range results {
		all[k] = Uniform{r.Name, r.PIT(quantity)}
	}
	return all
}
