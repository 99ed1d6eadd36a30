package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/scenes"
)

// The types below have code that changes with a number which no text shows, as cells
// of a notebook that are edited and run again.
type (
	editedFamily struct {
		expfam.Poisson
		by float64
	}
	editedTerms struct {
		expfam.Poisson
		by float64
	}
	heirOfPoisson struct{ expfam.Poisson }
	editedPrior   struct{ by float64 }
	editedMethod  struct{ by float64 }
	editedShift   struct{ by float64 }
)

func (f editedFamily) Natural() expfam.Natural {
	n := f.Poisson.Natural()
	n.Partition = formula.MustParse(fmt.Sprintf("%g*theta", 1+f.by))
	return n
}

func (f editedTerms) Reduce(y float64, known expfam.Known) (expfam.Term, error) {
	t, err := f.Poisson.Reduce(y, known)
	t.Stat *= 1 + f.by
	return t, err
}

func (heirOfPoisson) Natural() expfam.Natural { return expfam.Exponential{}.Natural() }

func (editedPrior) String() string { return "edited" }
func (editedPrior) Dim() int       { return 4 }
func (p editedPrior) Draw(rng *rand.Rand, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64() + p.by
	}
}
func (p editedPrior) Moments(x *g.Node, l level.Nodes) (mean, variance *g.Node) {
	return g.AddScalar(g.Mul(x, l.SqrtAlpha), p.by), g.Mul(l.V, g.OnesLike(x))
}

func (editedMethod) String() string { return "edited" }
func (m editedMethod) Steps() []diffusion.Step {
	steps := short.Steps()
	steps[1].S += 0.1 * m.by
	return steps
}

func (editedShift) String() string { return "edited" }
func (s editedShift) Shift(p *diffusion.Point) *g.Node {
	return g.MulScalar(diffusion.Quadrature{}.Shift(p), 1/(1+s.by))
}

// run is a configuration of Sample.
type run struct {
	prior expfam.Prior
	like  expfam.Likelihood
	obs   expfam.Observations
	s     diffusion.Sampler
}

// edits change one thing of a configuration by as much as by, which is not 0.
var edits = []struct {
	name string
	edit func(r *run, by float64)
}{
	{"seed", func(r *run, by float64) { r.s.Seed += 1 + uint64(1000*by) }},
	{"draws", func(r *run, by float64) { r.s.Draws += 1 + int(3*by) }},
	{"batch", func(r *run, by float64) { r.s.Batch = 1 + int(5*by) }},
	{"batch of a corrector", func(r *run, by float64) {
		r.s.Method, r.s.Batch = diffusion.PredictorCorrector{N: 40}, 2+int(4*by)
	}},
	{"double precision", func(r *run, _ float64) { r.s.DType = dtypes.Float64 }},
	{"a count", func(r *run, by float64) { r.obs[int(4*by)].Stat++ }},
	{"an exposure", func(r *run, by float64) { r.obs[int(4*by)].Size *= 1 + by }},
	{"a missing cell", func(r *run, by float64) { r.obs[int(4*by)] = expfam.Term{} }},
	{"the link", func(r *run, by float64) { r.like.Link = expfam.MustLink(fmt.Sprintf("exp(%g+x)", by)) }},
	{"the link's slope", func(r *run, by float64) { r.like.Link = expfam.MustLink(fmt.Sprintf("exp(%g*x)", 1+by)) }},
	{"the length", func(r *run, by float64) { r.prior = gp.RBF{Cells: 4, Length: 0.4 + by} }},
	{"the variance", func(r *run, by float64) { r.prior = gp.RBF{Cells: 4, Length: 0.4, Variance: 1 + by} }},
	{"steps", func(r *run, by float64) { r.s.Method = diffusion.Multistep{N: 5 + int(6*by)} }},
	{"the schedule", func(r *run, by float64) {
		r.s.Method = diffusion.Multistep{N: 4,
			VP: level.VP{Beta1: 20 + by}}
	}},
	{"the signal-to-noise ratio", func(r *run, by float64) {
		r.s.Method, r.s.Batch = diffusion.PredictorCorrector{N: 40, SNR: 0.1 + by/10}, 5
	}},
	{"nodes", func(r *run, by float64) { r.s.Guidance = diffusion.Quadrature{Nodes: 3 + int(8*by)} }},
	{"the weight", func(r *run, by float64) { r.s.Guidance = diffusion.DPS{Weight: by} }},
	{"a family's formula", func(r *run, by float64) { r.like.Family = editedFamily{by: by} }},
	{"a family's terms", func(r *run, by float64) { r.like.Family = editedTerms{by: by} }},
	{"a family that embeds another", func(r *run, _ float64) { r.like = expfam.Likelihood{Family: heirOfPoisson{}} }},
	{"a prior's code", func(r *run, by float64) { r.prior = editedPrior{by} }},
	{"a method's code", func(r *run, by float64) { r.s.Method = editedMethod{by} }},
	{"a guidance's code", func(r *run, by float64) { r.s.Guidance = editedShift{by} }},
	{"a lattice's mean", func(r *run, by float64) {
		one := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
		r.prior = expfam.Must(gp.NewLattice(1+1e-6*by, one, one, mat.NewDense(2, 2, []float64{1, 0.5, 0.4, 0.3})))
	}},
}

// Two configurations that differ in one thing run in one store. The second has the result that it has without a store.
func TestKeys(t *testing.T) {
	a := newArea("keys of draws")
	for i := range cases(8, 10*len(edits)) {
		e := edits[(7*i)%len(edits)]
		before, after := configuration(), configuration()
		x, y := a.rng.Float64(), a.rng.Float64()
		if a.rng.IntN(2) == 0 {
			e.edit(&before, x)
		}
		e.edit(&after, y)
		a.try(t, fmt.Sprintf("%s by %g, then %g", e.name, x, y), func() error {
			return pair(t.TempDir(), before.sample, after.sample)
		})
	}
}

func configuration() run {
	return run{few, poisson, append(expfam.Observations{}, data...),
		diffusion.Sampler{Draws: 6, Seed: 1, Method: short, Engine: pure, Plan: func(diffusion.Plan) {}}}
}

func (r run) sample(fresh bool) (string, error) {
	r.s.Fresh = fresh
	return drawn(diffusion.Sample(r.prior, r.like, r.obs, r.s))
}

// pair runs both in one store, and the second without.
func pair(dir string, before, after func(fresh bool) (string, error)) error {
	var want string
	got, err := inStore(dir, func() (string, error) {
		if _, err := before(false); err != nil {
			return "", err
		}
		var err error
		if want, err = after(true); err != nil {
			return "", err
		}
		return after(false)
	})
	if err != nil {
		return refused(err)
	}
	if got != want {
		return wrong("the second has the result of the first")
	}
	return nil
}

// The same for trainings: another number, other code of a simulator, other files.
func TestTrainingKeys(t *testing.T) {
	a := newArea("keys of networks")
	training := learn.Training{Net: small, Steps: 2, Batch: 8, Seed: 1, Engine: pure}
	for i := range cases(1, 48) {
		x, y, kind := a.rng.Float64(), a.rng.Float64(), (i*5)%6
		network := func(edit func(c *learn.Training) expfam.Simulator) func(fresh bool) (string, error) {
			return func(fresh bool) (string, error) {
				c := training
				sim := edit(&c)
				c.Fresh = fresh
				return learned(learn.Train(sim, c))
			}
		}
		folder := t.TempDir()
		edit := func(by float64) func(c *learn.Training) expfam.Simulator {
			return func(c *learn.Training) expfam.Simulator {
				switch kind {
				case 0:
					return editedPrior{by}
				case 1:
					c.Rate = 0.001 + by
				case 2:
					c.Seed = uint64(1e6 * by)
				case 3:
					c.Net = nn.MLP{Width: 4 + int(5*by), Layers: 1}
				case 4:
					c.Average = 0.5 + by/3
				default:
					return pictured(folder, by)
				}
				return few
			}
		}
		a.try(t, fmt.Sprintf("%d by %g, then %g", kind, x, y), func() error {
			return pair(t.TempDir(), network(edit(x)), network(edit(y)))
		})
	}
}

// pictured is a folder of images whose grey values change, but neither the names nor the sizes of its files.
func pictured(folder string, by float64) expfam.Simulator {
	for k := range 3 {
		values := make([]byte, 16)
		for j := range values {
			values[j] = byte(float64((k*71+j*37)%200) + 50*by)
		}
		x := make([]float64, 16)
		for j, v := range values {
			x[j] = float64(v)/127.5 - 1
		}
		path := filepath.Join(folder, fmt.Sprintf("%d.png", k))
		if err := (scenes.Sheet{Rows: 4, Cols: 4}).Save(path, [][]float64{x}); err != nil {
			panic(err)
		}
		// Padding behind the end of a PNG, which readers ignore.
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		info, err := file.Stat()
		if err != nil {
			panic(err)
		}
		file.Write(make([]byte, 1024-info.Size()))
		file.Close()
	}
	return expfam.Must(scenes.ImageFolder{Path: folder, Rows: 4, Cols: 4}.Open())
}
