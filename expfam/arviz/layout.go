package arviz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/internal/zarr"
)

// layout has the dimensions of the draws.
type layout struct {
	chains, draws int // number of chains, and of draws in each chain
	cells         int // number of cells of the field, without coefficients
	dims          []string
	shape         []int
	axes          []zarr.Array // coordinates of the cells
	grid          grid.Grid    // has no rows if there is no grid
	coefficients  []string
}

func (d Data) layout() (*layout, error) {
	draws, cells := d.Posterior.Dims()
	l := &layout{chains: cmp.Or(d.Posterior.Info.Chains, fold(draws)), cells: cells - len(d.Coefficients), grid: d.Grid,
		coefficients: d.Coefficients}
	if draws%l.chains != 0 {
		return nil, fmt.Errorf("%d draws are not %d chains of equal length; set Info.Chains", draws, l.chains)
	}
	l.draws = draws / l.chains
	for name, values := range d.Posterior.Stats {
		if len(values) != draws {
			return nil, fmt.Errorf("%d numbers of %s in Stats for %d draws; give one for each draw", len(values), name,
				draws)
		}
	}
	if l.cells < 1 {
		return nil, fmt.Errorf("%d coefficients of %d cells; leave at least one cell besides them", len(d.Coefficients),
			cells)
	}
	if d.Grid.Rows == 0 && d.Grid.Cols == 0 {
		l.dims, l.shape = []string{"cell"}, []int{l.cells}
		l.axes = []zarr.Array{numbers("cell", l.cells)}
		return l, nil
	}
	if err := d.Grid.Check(); err != nil {
		return nil, err
	}
	if d.Grid.Len() != l.cells {
		return nil, fmt.Errorf("a grid of %d by %d for %d cells", d.Grid.Rows, d.Grid.Cols, l.cells)
	}
	x, y := d.Grid.Axes()
	l.axes = []zarr.Array{axis(y, placed(d.Grid.Y), "row", d.Grid.Rows),
		axis(x, placed(d.Grid.X), "column", d.Grid.Cols)}
	l.dims, l.shape = []string{l.axes[0].Name, l.axes[1].Name}, []int{d.Grid.Rows, d.Grid.Cols}
	return l, nil
}

// fold returns the number of chains of independent draws; see [Data.Save].
func fold(draws int) int {
	for _, n := range []int{4, 3, 2, 5, 7} {
		if draws%n == 0 && draws/n > 1 {
			return n
		}
	}
	for n := 11; n*n <= draws; n++ {
		if draws%n == 0 {
			return n
		}
	}
	return 1
}

// numbers returns the coordinate 0, 1, 2 … of a dimension.
func numbers(name string, n int) zarr.Array {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i)
	}
	return zarr.Array{Name: name, Dims: []string{name}, Shape: []int{n}, Data: v}
}

// placed reports whether the centres of an axis were given, also those without a name.
func placed(a grid.Axis) bool { return a.First != 0 || a.Step != 0 }

// axis returns a coordinate of a map. If the axis has a name or a place, the coordinate has the centres and
// their unit. Otherwise it has the numbers from 0. Without a name it has the name fallback.
func axis(a grid.Axis, placed bool, fallback string, n int) zarr.Array {
	if a.Name == "" && !placed {
		return numbers(fallback, n)
	}
	a.Name = cmp.Or(a.Name, fallback)
	name := a.Name
	if strings.Trim(name, ".") != "" { // else no letter would be left
		name = parameterName(name)
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = a.At(i)
	}
	out := zarr.Array{Name: name, Dims: []string{name}, Shape: []int{n}, Data: v,
		Attributes: map[string]any{"long_name": a.Name}}
	if a.Unit != "" {
		out.Attributes["units"] = a.Unit
	}
	return out
}

// samples returns the coordinates of chains and draws.
func (l *layout) samples() []zarr.Array {
	return []zarr.Array{numbers("chain", l.chains), numbers("draw", l.draws)}
}

// drawn returns an array of draws with further dimensions.
func (l *layout) drawn(name string, dims []string, shape []int, values []float64) zarr.Array {
	return zarr.Array{Name: name, Dims: append([]string{"chain", "draw"}, dims...),
		Shape: append([]int{l.chains, l.draws}, shape...), Data: values, Split: 1}
}

// field returns a group with x0, theta and beta of the draws of a posterior.
func (l *layout) field(group string, post *expfam.Posterior, attributes map[string]any) zarr.Group {
	g := zarr.Group{Name: group, Attributes: attributes, Arrays: append(l.samples(), l.axes...)}
	x := l.drawn("x0", l.dims, l.shape, columns(post.X, 0, l.cells))
	x.Attributes = map[string]any{"long_name": "latent field"}
	g.Arrays = append(g.Arrays, x)
	if post.Likelihood.Family != nil {
		theta := l.drawn("theta", l.dims, l.shape, columns(post.Theta().X, 0, l.cells))
		theta.Attributes = map[string]any{"long_name": "parameter of " + post.Likelihood.String()}
		g.Arrays = append(g.Arrays, theta)
	}
	for _, q := range post.Parameters {
		a := l.drawn(parameterName(q.Name), nil, nil, q.Draws)
		a.Attributes = map[string]any{longName: q.Name, "prior": q.Law, quantiles: q.Prior}
		if q.Unit != "" {
			a.Attributes[units] = q.Unit
		}
		g.Arrays = append(g.Arrays, a)
	}
	if n := len(l.coefficients); n > 0 {
		g.Arrays = append(g.Arrays, l.drawn("beta", []string{"coefficient"}, []int{n},
			columns(post.X, l.cells, l.cells+n)),
			zarr.Array{Name: "coefficient", Dims: []string{"coefficient"}, Shape: []int{n}, Data: l.coefficients})
	}
	return g
}

// parameterName returns the name of the array of a parameter or an axis: "length scale" becomes length_scale.
func parameterName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("/\\. \t", r) {
			return '_'
		}
		return r
	}, name)
}

// Names of attributes of arrays. The quantiles are those of the prior at (i+½)/n.
const longName, units, quantiles = "long_name", "units", "prior_quantiles"

// columns returns the columns from from to to−1 of a matrix, in row-major order. If these are all
// columns, the data of the matrix are returned without a copy.
func columns(x *mat.Dense, from, to int) []float64 {
	raw := x.RawMatrix()
	if from == 0 && to == raw.Cols && raw.Stride == raw.Cols {
		return raw.Data[:raw.Rows*raw.Cols]
	}
	return mat.DenseCopyOf(x.Slice(0, raw.Rows, from, to)).RawMatrix().Data
}

// sampleStats returns the group with numbers of every draw: the statistics of the sampler and, unless the draws are
// Markov chains, how many evaluations of the network a draw took.
func (l *layout) sampleStats(d Data) zarr.Group {
	g := zarr.Group{Name: "sample_stats", Attributes: d.attributes(l), Arrays: l.samples()}
	n := l.chains * l.draws
	diverging := make([]bool, n)
	for i, v := range d.Posterior.Stats["diverging"] {
		diverging[i] = v != 0
	}
	g.Arrays = append(g.Arrays, l.every("diverging", diverging))
	for name, values := range d.Posterior.Stats {
		if name != "diverging" {
			g.Arrays = append(g.Arrays, l.drawn(name, nil, nil, values))
		}
	}
	if d.Posterior.Info.Chains == 0 {
		evaluations := slices.Repeat([]int64{int64(d.Posterior.Info.Evaluations)}, n)
		g.Arrays = append(g.Arrays, l.every("evaluations", evaluations))
	}
	return g
}

// every returns an array with one value per draw, of any type.
func (l *layout) every(name string, values any) zarr.Array {
	a := l.drawn(name, nil, nil, nil)
	a.Data = values
	return a
}

// logPrior returns the group with the log prior density of every draw.
func (l *layout) logPrior(d Data) zarr.Group {
	values := make([]float64, l.chains*l.draws)
	parallel.For(len(values), parallel.Heavy, func(i int) { values[i] = d.LogPrior(d.Posterior.X.RawRowView(i)) })
	return zarr.Group{Name: "log_prior", Attributes: d.attributes(l),
		Arrays: append(l.samples(), l.drawn("x0", nil, nil, values))}
}

// prior returns the group with draws of the prior and, if there are data, the group with data that the prior predicts.
func (l *layout) prior(d Data) ([]zarr.Group, error) {
	n, cells := d.Posterior.Dims()
	if d.Prior.Dim() != cells {
		return nil, fmt.Errorf("the prior %v has %d cells, the posterior %d", d.Prior, d.Prior.Dim(), cells)
	}
	if err := traits.Check(d.Prior); err != nil {
		return nil, err
	}
	post := &expfam.Posterior{X: mat.NewDense(n, cells, nil), Likelihood: d.Posterior.Likelihood}
	parallel.For(n, parallel.Heavy, func(i int) {
		d.Prior.Draw(expfam.Stream(d.Seed, fmt.Sprintf("arviz/prior-%d", i)), post.X.RawRowView(i))
	})
	groups := []zarr.Group{l.field("prior", post, d.attributes(l))}
	if d.Obs == nil {
		return groups, nil
	}
	predictive, err := l.predictive("prior_predictive", post, d)
	if err != nil {
		return nil, fmt.Errorf("prior predictive: %w", err)
	}
	return append(groups, predictive), nil
}
