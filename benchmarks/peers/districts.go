package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/operator"
)

// districts are Poisson counts y with rates exp(η) times expected numbers e. All programs take η to be BYM2, plus bx of
// a covariate x, if there is one.
type districts struct {
	pairs   [][2]int
	y, e, x []float64
	rate    []float64 // exp(η), if it is known
	chain   *estimate // else a long chain's, with its sd
	sd      []float64
}

// simulateDistricts draws n districts on a lattice with diagonals: expected numbers from 1 to 10, and η is a field of
// sd .42 whose range is a third of the lattice, plus an independent number of sd .27 in each district.
func simulateDistricts(n int, seed uint64) (*districts, error) {
	cols := int(math.Sqrt(float64(n)))
	d := &districts{e: make([]float64, n), y: make([]float64, n), rate: make([]float64, n)}
	for i := range n {
		r, c := i/cols, i%cols
		if c > 0 {
			d.pairs = append(d.pairs, [2]int{i - 1, i})
		}
		if r > 0 {
			d.pairs = append(d.pairs, [2]int{i - cols, i})
		}
		if r > 0 && c > 0 {
			d.pairs = append(d.pairs, [2]int{i - cols - 1, i})
		}
	}
	smooth, err := gmrf.Prior{Grid: grid.Grid{Rows: (n + cols - 1) / cols, Cols: cols}, Range: float64(cols) / 3,
		SD: 0.42, KnownLevel: true}.Draw(expfam.Stream(seed, "peers/smooth"))
	if err != nil {
		return nil, err
	}
	rng := expfam.Stream(seed, "peers")
	for i := range d.rate {
		d.e[i], d.rate[i] = math.Exp(2.3*rng.Float64()), math.Exp(smooth[i]+0.27*rng.NormFloat64())
		d.y[i] = expfam.Poisson{}.Rand(d.rate[i], expfam.Given(d.e[i]), rng)
	}
	return d, nil
}

// scotland is lip cancer in 56 districts with its covariate, whose posterior is known by 80,000 draws of nutpie
// (expfam/graph/testdata/scotland.py).
func scotland() (*districts, error) {
	folder := filepath.Join("..", "expfam", "graph", "testdata")
	var s struct {
		Y, E, X []float64
		Edges   map[string][][2]int
	}
	var known map[string]struct {
		SD        []float64   `json:"risk_sd"`
		Quantiles [][]float64 `json:"risk_quantiles"` // at .01, .03 to .99
	}
	for name, to := range map[string]any{"scotland.json": &s, "scotland_reference.json": &known} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = json.Unmarshal(text, to)
		}
		if err != nil {
			return nil, fmt.Errorf("peers: %s: %w", name, err)
		}
	}
	d := &districts{pairs: s.Edges["connected"], y: s.Y, e: s.E, x: s.X, sd: known["connected"].SD, chain: &estimate{}}
	floats.Scale(0.1, d.x)
	for _, q := range known["connected"].Quantiles {
		d.chain.median = append(d.chain.median, (q[24]+q[25])/2)
		d.chain.low = append(d.chain.low, q[0]/4+q[1]*3/4)
		d.chain.high = append(d.chain.high, q[49]/4+q[48]*3/4)
	}
	return d, nil
}

func (d *districts) prior() (graph.BYM2, error) {
	neighbours, err := graph.Edges(len(d.e), d.pairs)
	return graph.BYM2{Neighbours: neighbours, LevelSD: 3}, err
}

func (d *districts) write(dir string) error {
	x := d.x
	if x == nil {
		x = make([]float64, len(d.y))
	}
	from, to := make([]float64, len(d.pairs)), make([]float64, len(d.pairs))
	for k, p := range d.pairs {
		from[k], to[k] = float64(p[0]+1), float64(p[1]+1)
	}
	if err := writeColumns(filepath.Join(dir, "areas.csv"), []string{"y", "e", "x"}, d.y, d.e, x); err != nil {
		return err
	}
	return writeColumns(filepath.Join(dir, "edges.csv"), []string{"i", "j"}, from, to)
}

func (d *districts) ours() (estimate, error) {
	area, err := d.prior()
	if err != nil {
		return estimate{}, err
	}
	prior := expfam.Prior(gp.Unknown{Of: area})
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	if d.x != nil {
		like.Operator = operator.Design(mat.NewDense(len(d.x), 1, d.x))
		slope, err := gp.New(nil, mat.NewSymDense(1, []float64{1}))
		if err != nil {
			return estimate{}, err
		}
		prior = expfam.Product(prior, slope)
	}
	obs, err := like.Observe(expfam.Data{Y: [][]float64{d.y}, Known: [][]float64{d.e}})
	if err != nil {
		return estimate{}, err
	}
	post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{Seed: 1, Fresh: true})
	if err != nil {
		return estimate{}, err
	}
	draws, n := post.X.RawMatrix().Rows, len(d.y)
	risk := mat.NewDense(draws, n, nil)
	risk.Apply(func(k, i int, _ float64) float64 {
		eta := post.X.At(k, i)
		if d.x != nil {
			eta += d.x[i] * post.X.At(k, n)
		}
		return math.Exp(eta)
	}, risk)
	return of(&expfam.Draws{X: risk}), nil
}

func (d *districts) peers() []peer {
	return []peer{{"TMB, Laplace", "r/tmb.R", ""}, {"mgcv, mrf of rank 300, REML", "r/mgcv.R", ""},
		{"PyMC, nutpie", "python/bym2.py", ""}}
}

func (d *districts) score(e estimate) string {
	if d.chain == nil {
		return errorAndCoverage(e, d.rate)
	}
	off, wide := make([]float64, len(d.sd)), make([]float64, len(d.sd))
	for i, sd := range d.sd {
		off[i] = math.Abs(e.median[i]-d.chain.median[i]) / sd
		wide[i] = (e.high[i] - e.low[i]) / (d.chain.high[i] - d.chain.low[i])
	}
	return fmt.Sprintf("medians %.3f sd from 80,000 draws, widths of 95%% intervals %.3f of theirs",
		stat.Mean(off, nil), stat.Mean(wide, nil))
}

// errorAndCoverage describes an estimate by the mean absolute error of its medians, and the share of intervals that
// contain the truth.
func errorAndCoverage(e estimate, truth []float64) string {
	off, in := make([]float64, len(truth)), make([]float64, len(truth))
	for i, v := range truth {
		off[i] = math.Abs(e.median[i] - v)
		if e.low[i] <= v && v <= e.high[i] {
			in[i] = 1
		}
	}
	return fmt.Sprintf("error %.4f, 95%% intervals hold %.3f", stat.Mean(off, nil), stat.Mean(in, nil))
}
