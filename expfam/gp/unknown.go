package gp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/level"
)

// Family is a set of Gaussian priors of the same cells that are told apart by the values of parameters. [RBF] and
// [Process] are families.
type Family interface {
	String() string
	Dim() int
	// Unknown returns the parameters that are not known, with default laws.
	Unknown() []law.Parameter
	// Given returns the mean and the covariance of x₀ for the values of the unknown parameters, in their order and
	// units. Many goroutines may call it at once. The caller may change the results.
	Given(values []float64) (mean []float64, cov *mat.SymDense, err error)
}

// Unknown is a Gaussian process whose parameters are inferred with the field:
//
//	prior := gp.Unknown{Of: gp.RBF{Cells: 30}}
//	post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{})
//	length, err := post.Parameter("length scale")
//
// The parameters are those that Of leaves 0. Laws gives priors of some of them by name, in place of the defaults; see
// [Process.Unknown]. The posterior is drawn by package joint. As a prior of the field alone, Unknown is the mixture of
// its processes, which [Unknown.Mixture] approximates for the moments.
type Unknown struct {
	Of   Family
	Laws law.Laws
}

// Check refuses impossible fields of the process, laws that are none, and a process without unknown parameters.
func (u Unknown) Check() error {
	if u.Of == nil {
		return errors.New("gp: Unknown has no process; set Of, for example to gp.RBF{}")
	}
	if err := traits.Check(u.Of); err != nil {
		return err
	}
	all := u.Of.Unknown()
	if len(all) == 0 {
		return fmt.Errorf("gp: all parameters of %v are given, so none is unknown; leave one of them 0, or take the "+
			"process itself", u.Of)
	}
	all, err := law.Replace(all, u.Laws)
	if err != nil {
		return fmt.Errorf("gp: %v: %w", u.Of, err)
	}
	// A given law may have numbers that the parameter cannot have, such as a normal distribution of a length scale.
	values := make([]float64, len(all))
	for k, p := range all {
		if values[k] = p.Law.Quantile(0.5); u.Laws[p.Name] != nil {
			values[k] = p.Law.Quantile(1e-6)
		}
	}
	if len(u.Laws) == 0 {
		return nil
	}
	f, err := u.Sparse()
	if err != nil { // a dense covariance of ten thousand cells would take minutes, so it is the second choice
		_, _, err = u.Of.Given(values)
		return err
	}
	logDet, err := f.Fill(values, make([]float64, len(f.Pattern.Row)), make([]float64, len(f.Wide)))
	if err == nil && (math.IsNaN(logDet) || math.IsInf(logDet, 0)) {
		err = fmt.Errorf("gp: the precision of %v has the log determinant %g at %.3g; give laws of possible values",
			u.Of, logDet, values)
	}
	return err
}

// Parameters returns the unknown parameters with their laws; see [expfam.Parametric].
func (u Unknown) Parameters() []law.Parameter {
	all, err := law.Replace(u.Of.Unknown(), u.Laws)
	if err != nil {
		panic(err) // Check returned it
	}
	return all
}

// Normal implements [expfam.Parametric].
func (u Unknown) Normal(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	return u.Of.Given(values)
}

// Sparse returns the process by a sparse precision, as a function of its parameters, or an error if it has none.
func (u Unknown) Sparse() (*latent.Field, error) {
	if f, ok := u.Of.(interface {
		Sparse() (*latent.Field, error)
	}); ok {
		return f.Sparse()
	}
	return nil, fmt.Errorf("gp: %v has no sparse precision", u.Of)
}

func (u Unknown) String() string {
	var names []string
	for _, p := range u.Parameters() {
		names = append(names, fmt.Sprintf("%s ~ %s", p.Name, law.Text(p.Law)))
	}
	return fmt.Sprintf("unknown(%v, %s)", u.Of, strings.Join(names, ", "))
}

// Dim returns the number of cells, 0 without a process.
func (u Unknown) Dim() int {
	if u.Of == nil {
		return 0
	}
	return u.Of.Dim()
}

// Lattice returns the grid of the process, or one row of all cells; see [expfam.Lattice].
func (u Unknown) Lattice() (rows, cols int) {
	if l, ok := u.Of.(expfam.Lattice); ok {
		return l.Lattice()
	}
	return 1, u.Dim()
}

// Draw fills x with a draw of the process whose parameters are drawn from their laws.
func (u Unknown) Draw(rng *rand.Rand, x []float64) {
	u.DrawGiven(rng, law.Draw(rng, u.Parameters()), x)
}

// mixtures holds the mixtures of the priors that were used last, by their texts.
var mixtures kept[string, *Mixture]

// Moments returns the moments of [Unknown.Mixture] with five nodes a parameter.
func (u Unknown) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	m, ok := mixtures.load(u.String())
	if !ok {
		var err error
		if m, err = u.Mixture(5); err != nil {
			panic(err)
		}
		mixtures.store(u.String(), m)
	}
	return m.Moments(x, l)
}

// Mixture returns the mixture of processes at nodes of the parameters, n for each of them. The nodes are equally spaced
// scores ([law.At]) from −2.5 to 2.5, with the weights of the standard normal distribution.
func (u Unknown) Mixture(n int) (*Mixture, error) {
	if err := u.Check(); err != nil {
		return nil, err
	}
	all := u.Parameters()
	if n < 1 || math.Pow(float64(n), float64(len(all))) > 1000 {
		return nil, fmt.Errorf("gp: a mixture of %d nodes for each of %d parameters; take at least 1, and at most "+
			"1000 in all", n, len(all))
	}
	scores := []float64{0}
	if n > 1 {
		scores = nil
		for i := range n {
			scores = append(scores, -2.5+5*float64(i)/float64(n-1))
		}
	}
	m := &Mixture{}
	node := make([]int, len(all))
	for {
		values, weight := make([]float64, len(all)), 1.0
		for k, i := range node {
			values[k] = law.At(all[k].Law, scores[i])
			weight *= math.Exp(-scores[i] * scores[i] / 2)
		}
		mean, cov, err := u.Normal(values)
		if err != nil {
			return nil, err
		}
		g, err := New(mean, cov)
		if err != nil {
			return nil, err
		}
		m.Weights, m.Parts = append(m.Weights, weight), append(m.Parts, g)
		k := slices.IndexFunc(node, func(i int) bool { return i+1 < len(scores) })
		if k < 0 {
			return m, nil
		}
		clear(node[:k])
		node[k]++
	}
}

// DrawGiven fills x with a draw of the process with these values of the parameters; see [learn.ParametricSimulator].
func (u Unknown) DrawGiven(rng *rand.Rand, values, x []float64) {
	mean, cov, err := u.Normal(values)
	if err != nil {
		panic(err) // Check returned it
	}
	l, err := latent.Cholesky(cov)
	if err != nil {
		panic(err)
	}
	z := make([]float64, len(x))
	for k := range z {
		z[k] = rng.NormFloat64()
	}
	for j := range x {
		x[j] = mean[j]
		for k, v := range l.RawRowView(j)[:j+1] {
			x[j] += v * z[k]
		}
	}
}

// Concurrent says that DrawGiven may be called by several goroutines.
func (u Unknown) Concurrent() {}

// located is a family whose cells are regions with names and outlines.
type located interface {
	CellNames() []string
	Outlines() [][][][2]float64
}

// CellNames returns the names of the cells of the family, such as districts; see [expfam.Posterior.Locate].
func (u Unknown) CellNames() []string {
	if l, ok := u.Of.(located); ok {
		return l.CellNames()
	}
	return nil
}

// Outlines returns the outlines of the cells of the family; see [expfam.Posterior.Locate].
func (u Unknown) Outlines() [][][][2]float64 {
	if l, ok := u.Of.(located); ok {
		return l.Outlines()
	}
	return nil
}
