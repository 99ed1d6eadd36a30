package arviz

import (
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/internal/zarr"
)

// data returns the groups that need the observations, and the names of the data sets.
func (l *layout) data(d Data, sets []set) (groups []zarr.Group, names []string, err error) {
	for _, s := range sets {
		names = append(names, s.name)
	}
	logs, err := l.logLikelihood(d, sets)
	if err != nil {
		return nil, nil, err
	}
	groups = []zarr.Group{logs, l.observed(d, sets), l.constant(d, sets)}
	predictive, err := l.predictive("posterior_predictive", d.Posterior, d)
	if err != nil { // data with several replicates may have no single observation to draw
		for i := range groups {
			groups[i].Attributes["posterior_predictive"] = "left out: " + err.Error()
		}
		return groups, names, nil
	}
	return append(groups, predictive), names, nil
}

// group returns a group with the coordinates of all data sets. If sampled, it also has the
// coordinates of chains and draws.
func (l *layout) group(name string, d Data, sets []set, sampled bool) zarr.Group {
	g := zarr.Group{Name: name, Attributes: d.attributes(l)}
	if sampled {
		g.Arrays = l.samples()
	} else {
		delete(g.Attributes, "sample_dims")
	}
	for _, s := range sets {
		g.Arrays = append(g.Arrays, s.coords...)
	}
	return g
}

func (l *layout) logLikelihood(d Data, sets []set) (zarr.Group, error) {
	logs, _, err := calibrate.Pointwise(d.Posterior, d.Obs)
	if err != nil {
		return zarr.Group{}, err
	}
	g := l.group("log_likelihood", d, sets, true)
	column := 0
	for _, s := range sets {
		n := len(s.observed)
		g.Arrays = append(g.Arrays, s.auxiliary(l.drawn(s.name, s.dims, s.shape, columns(logs, column, column+n))))
		column += n
	}
	return g, nil
}

// predictive returns a group with data that are drawn given each draw of post.
func (l *layout) predictive(name string, post *expfam.Posterior, d Data) (zarr.Group, error) {
	sets, err := l.sets(d)
	if err != nil {
		return zarr.Group{}, err
	}
	seen, err := post.Seen()
	if err != nil {
		return zarr.Group{}, err
	}
	g := l.group(name, d, sets, true)
	for i, s := range sets {
		y, _, err := calibrate.Replicate(seen[i], s.obs, nil, d.Seed)
		if err != nil {
			return zarr.Group{}, err
		}
		s.unreduce(y.X)
		g.Arrays = append(g.Arrays, s.auxiliary(l.drawn(s.name, s.dims, s.shape, columns(y.X, 0, len(s.observed)))))
	}
	return g, nil
}

// unreduce turns the statistics of replicated data into observations, if every datum of the set is one observation.
func (s *set) unreduce(stats *mat.Dense) {
	if !s.isRaw() {
		return
	}
	draws, _ := stats.Dims()
	for k, j := range s.observed {
		back, _ := raw(s.family, s.obs[j])
		for i := range draws {
			stats.Set(i, k, back(stats.At(i, k)))
		}
	}
}

// isRaw reports whether every datum is one observation.
func (s *set) isRaw() bool {
	for _, j := range s.observed {
		if _, ok := raw(s.family, s.obs[j]); !ok {
			return false
		}
	}
	return true
}

func (l *layout) observed(d Data, sets []set) zarr.Group {
	g := l.group("observed_data", d, sets, false)
	for _, s := range sets {
		is := s.isRaw()
		y := s.each(s.name, func(t expfam.Term) float64 {
			if !is {
				return t.Stat
			}
			back, _ := raw(s.family, t)
			return back(t.Stat)
		})
		if y.Attributes["long_name"] = "observation"; !is {
			y.Attributes["long_name"] = "sufficient statistic of the observations of a datum"
		}
		g.Arrays = append(g.Arrays, y)
	}
	return g
}

// constant returns the group of known quantities: the terms from which [Load] restores the observations, the masks of
// the cells with data and of the cells inside, and the weights of operators.
func (l *layout) constant(d Data, sets []set) zarr.Group {
	g := l.group("constant_data", d, sets, false)
	add := func(a zarr.Array) { g.Arrays = append(g.Arrays, a) }
	suffix := func(s set) string {
		if len(sets) == 1 {
			return ""
		}
		return "_" + s.name
	}
	for _, s := range sets {
		size := s.each("size"+suffix(s), func(t expfam.Term) float64 { return t.Size })
		if f, ok := s.family.(sizeNamer); ok {
			size.Name = f.SizeName() + suffix(s)
		}
		size.Attributes["expfam"] = "size"
		stat := s.each("statistic"+suffix(s), func(t expfam.Term) float64 { return t.Stat })
		base := s.each("log_base_measure"+suffix(s), func(t expfam.Term) float64 { return t.Base })
		add(size)
		add(stat)
		add(base)
		if w, ok := l.weights(s, suffix(s)); ok {
			add(w)
		}
	}
	masks := map[string][]bool{}
	if l.plain(d, len(sets)) && len(sets[0].observed) < l.cells {
		masks["observed"] = make([]bool, l.cells)
		for _, j := range sets[0].observed {
			masks["observed"][j] = true
		}
	}
	if l.grid.Outside != nil {
		masks["inside"] = make([]bool, l.cells)
		for j := range masks["inside"] {
			masks["inside"][j] = l.grid.Inside(j)
		}
	}
	for _, name := range []string{"observed", "inside"} {
		if v := masks[name]; v != nil {
			add(zarr.Array{Name: name, Dims: l.dims, Shape: l.shape, Data: v})
		}
	}
	for _, a := range g.Arrays {
		for _, dim := range a.Dims {
			g.Arrays = l.needs(g.Arrays, dim)
		}
	}
	return g
}

// needs adds the coordinate of a dimension of the map to the arrays, unless it is among them.
func (l *layout) needs(arrays []zarr.Array, dim string) []zarr.Array {
	for _, a := range arrays {
		if a.Name == dim {
			return arrays
		}
	}
	for _, a := range l.axes {
		if a.Name == dim {
			return append(arrays, a)
		}
	}
	return arrays
}

// weights returns the matrix of an operator: the weight of every cell in every observed datum. It reports false if the
// operator does not list its weights, or if the matrix has more than 4 million entries.
func (l *layout) weights(s set, suffix string) (zarr.Array, bool) {
	op := s.operator
	if sum, ok := op.(expfam.SumOf); ok {
		op = sum.Operator
	}
	rows, ok := op.(expfam.RowOperator)
	if !ok || len(s.observed)*l.cells > 4_000_000 {
		return zarr.Array{}, false
	}
	v := make([]float64, len(s.observed)*l.cells)
	for k, j := range s.observed {
		rows.Row(j, func(cell int, weight float64) {
			if cell < l.cells { // coefficients of covariates are not cells
				v[k*l.cells+cell] += weight
			}
		})
	}
	a := zarr.Array{Name: "weights" + suffix, Dims: append(append([]string{}, s.dims...), l.dims...),
		Shape: append(append([]int{}, s.shape...), l.shape...), Data: v,
		Attributes: map[string]any{"long_name": strings.TrimSpace("what each datum looks at: " + op.String())}}
	return a, true
}
