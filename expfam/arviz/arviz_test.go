package arviz

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/zarr"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

func TestSaveAndLoad(t *testing.T) {
	for name, d := range cases(t) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "post.zarr")
			if name == "exp" {
				d.Posterior.Info.Local = &expfam.LocalVariance{Ratio: 1.5, More: 0.25, Less: 0.75, Replicates: 40}
				draws, _ := d.Posterior.Dims()
				l := law.Parameter{Name: "length scale", Unit: "km", Law: law.HalfNormal{SD: 2}}
				d.Posterior.AddParameter(l, law.Grid(l.Law, draws))
			}
			must.Do(t, d.Save(dir))
			got := must.Get(Load(dir, d.Posterior.Likelihood))(t)
			must.Be(t, mat.Equal(got.Posterior.X, d.Posterior.X) && reflect.DeepEqual(got.Obs, d.Obs) &&
				reflect.DeepEqual(got.Coefficients, d.Coefficients),
				"draws, %v or %v differ", got.Obs, got.Coefficients)
			must.Be(t, reflect.DeepEqual(got.Posterior.Parameters, d.Posterior.Parameters),
				"parameters %v, want %v", got.Posterior.Parameters, d.Posterior.Parameters)
			must.Be(t, reflect.DeepEqual(got.Posterior.Info, d.Posterior.Info) &&
				reflect.DeepEqual(got.Posterior.Stats, d.Posterior.Stats),
				"info %+v, want %+v", got.Posterior.Info, d.Posterior.Info)
			must.Refuse(Load(dir, expfam.Likelihood{Family: expfam.Exponential{}}))(t,
				"give the likelihood it was made with")
		})
	}
}

// Two data sets on one field, each with its name and dimension; counts of several
// replicates, which no single observation replicates, go without a posterior predictive group.
func TestSeveralDataSets(t *testing.T) {
	like := expfam.Together(expfam.Likelihood{Family: expfam.Poisson{}},
		expfam.Likelihood{Family: expfam.Bernoulli{}, Link: expfam.SigmoidLink})
	obs := expfam.Observations{{Stat: 3, Size: 1}, {}, {Stat: 1, Size: 2}, {Stat: 2, Size: 3}}
	post := &expfam.Posterior{X: mat.NewDense(8, 2, []float64{0, 1, 1, 0, 2, 1, 1, 2, 0, 0, 1, 1, 0.5, 0.5, 0.2, 0.1}),
		Likelihood: like}
	dir := filepath.Join(t.TempDir(), "post.zarr")
	d := Data{Posterior: post, Obs: obs, Names: []string{"counts", "positives"}}
	must.Do(t, d.Save(dir))
	must.Equal(t, must.Get(Load(dir, like))(t).Obs, obs, "observations")
	must.Get(os.Stat(filepath.Join(dir, "log_likelihood", "positives", "zarr.json")))(t)
	_, err := os.Stat(filepath.Join(dir, "posterior_predictive"))
	must.Be(t, errors.Is(err, os.ErrNotExist), "replicated data of several replicates a cell")
}

// What was given is written, and read back where Load can: the grid and the quantity of the posterior, labels of data
// that are all cells of a map, and the weights of operators.
func TestLabelsWeightsAndGrid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "map.zarr")
	d := small()
	d.Grid, d.Labels = grid.Grid{Rows: 2, Cols: 3}, []string{"a", "b", "c", "d", "e", "f"}
	d.Posterior.Info.Rows, d.Posterior.Info.Cols, d.Posterior.Info.Quantity = 2, 3, "a rate"
	must.Do(t, d.Save(dir))
	got := expfam.Must(Load(dir, d.Posterior.Likelihood))
	if rows, cols := got.Posterior.Shape(); rows != 2 || cols != 3 || got.Posterior.Info.Quantity != "a rate" {
		t.Errorf("%d rows and %d columns of %q", rows, cols, got.Posterior.Info.Quantity)
	}
	array := func(dir, group, name string) zarr.Array {
		t.Helper()
		g, ok := expfam.Must(zarr.Read(dir)).Group(group)
		a, found := g.Array(name)
		must.Need(t, ok && found, "there is no %s/%s", group, name)
		return a
	}
	a := array(dir, "observed_data", "datum_label")
	must.Be(t, reflect.DeepEqual(a.Data, d.Labels) && reflect.DeepEqual(a.Shape, []int{2, 3}),
		"labels %v of shape %v", a.Data, a.Shape)

	// Two sums of six cells, alone and after a data set without an operator.
	rows := []float64{1, 2, 0, 0, 0, 0.5, 0, 0, 3, 0, 1, 0}
	sums := expfam.Likelihood{Family: expfam.Poisson{},
		Operator: expfam.SumOf{Operator: &operator.Dense{Matrix: mat.NewDense(2, 6, rows)}}}
	for _, c := range []struct {
		like expfam.Likelihood
		name string
		n    int
	}{{sums, "weights", 2}, {expfam.Together(expfam.Likelihood{Family: expfam.Bernoulli{}}, sums), "weights_y1", 8}} {
		obs := slices.Repeat(expfam.Observations{{Stat: 1, Size: 1}}, c.n)
		dir := filepath.Join(t.TempDir(), "sums.zarr")
		must.Do(t, (Data{Posterior: &expfam.Posterior{X: small().Posterior.X, Likelihood: c.like}, Obs: obs}).Save(dir))
		a := array(dir, "constant_data", c.name)
		must.Be(t, reflect.DeepEqual(a.Floats(), rows) && reflect.DeepEqual(a.Shape, []int{2, 6}),
			"%s %v of shape %v", c.name, a.Floats(), a.Shape)
	}
}

func small() Data {
	x := mat.NewDense(40, 6, nil)
	rng := expfam.Stream(1, "small")
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	return Data{Posterior: &expfam.Posterior{X: x, Likelihood: like}, Obs: expfam.Must(like.Observe1(1, 2, 0, 4, 1, 1))}
}

// The sizes of a map, the quantity of a posterior of districts, the labels of complete data and the places of axes
// without a name are in the folder.
func TestMapsKeepTheirPlaces(t *testing.T) {
	d := small()
	d.Posterior.Info.Rows, d.Posterior.Info.Cols, d.Posterior.Info.Quantity = 2, 3, "cases"
	d.Grid = grid.Grid{Rows: 2, Cols: 3, X: grid.Axis{First: 30, Step: 0.5}, Y: grid.Axis{First: -1, Step: -0.5}}
	d.Labels = []string{"a", "b", "c", "d", "é", ""}
	dir := filepath.Join(t.TempDir(), "post.zarr")
	must.Do(t, d.Save(dir))
	got, err := Load(dir, d.Posterior.Likelihood)
	if err != nil || !reflect.DeepEqual(got.Posterior.Info, d.Posterior.Info) || !reflect.DeepEqual(got.Obs, d.Obs) {
		t.Errorf("info %+v, want %+v; %v", got.Posterior.Info, d.Posterior.Info, err)
	}
	tree := must.Get(zarr.Read(dir))(t)
	g, _ := tree.Group("observed_data")
	for name, want := range map[string]zarr.Array{
		"datum_label": {Dims: []string{"row", "column"}, Data: d.Labels},
		"row":         {Dims: []string{"row"}, Data: []float64{-1, -1.5}},
		"column":      {Dims: []string{"column"}, Data: []float64{30, 30.5, 31}},
	} {
		if a, _ := g.Array(name); !reflect.DeepEqual(a.Dims, want.Dims) || !reflect.DeepEqual(a.Data, want.Data) {
			t.Errorf("%s is %v of %v, want %v of %v", name, a.Data, a.Dims, want.Data, want.Dims)
		}
	}
}

func TestWhatCannotBeSaved(t *testing.T) {
	at := func(change func(d *Data)) Data { d := small(); change(&d); return d }
	there := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(there, "letter.txt"), []byte("dear"), 0o644))
	for want, c := range map[string]struct {
		d   Data
		dir string
	}{
		"there is no posterior":          {Data{}, "a"},
		"it exists already; set Replace": {small(), there},
		"is no Zarr folder":              {at(func(d *Data) { d.Replace = true }), there},
		"make it first":                  {small(), filepath.Join("none", "a")},
		"draw 3, cell 2":                 {at(func(d *Data) { d.Posterior.X.Set(3, 2, math.NaN()) }), "a"},
		"a grid of 2 by 2 for 6":         {at(func(d *Data) { d.Grid = grid.Grid{Rows: 2, Cols: 2} }), "a"},
		"5 observations":                 {at(func(d *Data) { d.Obs = d.Obs[:5] }), "a"},
		"2 names for 1 data sets":        {at(func(d *Data) { d.Names = []string{"a", "b"} }), "a"},
		"cannot be a folder":             {at(func(d *Data) { d.Names = []string{"a/b"} }), "a"},
		"7 numbers of diverg": {at(func(d *Data) {
			d.Posterior.Stats = map[string][]float64{"diverging": {0, 0, 0, 0, 0, 0, 1}}
		}), "a"},
		"1000 numbers of diverg": {at(func(d *Data) {
			stat := make([]float64, 1000)
			stat[999] = 1
			d.Posterior.Stats = map[string][]float64{"diverging": stat}
		}), "a"},
		"are not 7 chains":         {at(func(d *Data) { d.Posterior.Info.Chains = 7 }), "a"},
		"1 labels for 6 data":      {at(func(d *Data) { d.Labels = []string{"a"} }), "a"},
		"of data without the data": {at(func(d *Data) { d.Obs, d.Labels = nil, []string{"a"} }), "a"},
		"Outside has 1 cells": {at(
			func(d *Data) { d.Grid = grid.Grid{Rows: 2, Cols: 3, Outside: []bool{true}} }), "a"},
		"6 coefficients of 6 cells": {at(func(d *Data) { d.Coefficients = make([]string, 6) }), "a"},
		"none of the data of y":     {at(func(d *Data) { d.Obs = make(expfam.Observations, 6) }), "a"},
	} {
		t.Run(want, func(t *testing.T) {
			dir := c.dir
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(t.TempDir(), dir)
			}
			err := c.d.Save(dir)
			must.Be(t, err != nil && strings.Contains(err.Error(), want) &&
				strings.HasPrefix(err.Error(), "arviz: save "+dir+": ") && !strings.Contains(err.Error(), "\n"),
				"error %v", err)
			_, err = os.Stat(dir)
			must.Be(t, dir == there || errors.Is(err, os.ErrNotExist), "something was written")
		})
	}
	raw, err := os.ReadFile(filepath.Join(there, "letter.txt"))
	must.Be(t, err == nil && string(raw) == "dear", "a folder of somebody else was changed")
	must.Refuse(Load(there, expfam.Likelihood{}))(t, "no Zarr 3 folder")
}

// The test's program stands in for one that saves again and again until it is killed, or on a disk that is full.
func TestMain(m *testing.M) {
	dir := os.Getenv("EXPFAM_TEST_ZARR")
	if dir == "" {
		os.Exit(m.Run())
	}
	d := small()
	d.Replace = true
	if os.Getenv("EXPFAM_TEST_FULL") != "" {
		if !must.FileLimit(1000) {
			os.Exit(0)
		}
		fmt.Print(d.Save(dir))
		os.Exit(0)
	}
	for i := uint64(0); ; i++ {
		d.Posterior.Info.Seed = i
		if err := d.Save(dir); err != nil {
			fmt.Print(err)
			os.Exit(1)
		}
		if i == 0 {
			fmt.Println("first")
		}
	}
}

func TestKillsLeaveAWholeTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	want := small().Posterior.X
	for range fulltest.N(4, 60) {
		dir := filepath.Join(t.TempDir(), "post.zarr")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EXPFAM_TEST_ZARR="+dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		must.Do(t, err)
		if rng.IntN(4) > 0 { // else somewhere in the first one
			fmt.Fscanln(out, new(string))
		}
		time.Sleep(time.Duration(rng.IntN(30_000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			continue // before the end of the first
		}
		got, err := Load(dir, small().Posterior.Likelihood)
		must.Need(t, err == nil && mat.Equal(got.Posterior.X, want) && len(got.Obs) == 6, "after a kill: %v", err)
	}
}

func TestAFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "post.zarr")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EXPFAM_TEST_ZARR="+dir, "EXPFAM_TEST_FULL=1")
	out := must.Get(cmd.Output())(t)
	if len(out) == 0 {
		t.Skip("this system bounds no files")
	}
	must.Equal(t, string(out), "arviz: save "+dir+": file too large; nothing was written")
	left, _ := os.ReadDir(filepath.Dir(dir))
	must.Be(t, len(left) <= 0, "%v is left", left)
}

func TestReplace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "post.zarr")
	d := small()
	must.Do(t, d.Save(dir))
	d.Replace = true
	post, err := hmc.Sample(line{}, d.Posterior.Likelihood, d.Obs,
		hmc.Options{Draws: 50, Warmup: 100, Chains: 2, Seed: 1, Fresh: true})
	_, short := err.(*hmc.NotConverged)
	must.Need(t, err == nil || short, "%v", err)
	d.Posterior = post
	must.Do(t, d.Save(dir))
	got := expfam.Must(Load(dir, d.Posterior.Likelihood))
	must.Be(t, mat.Equal(got.Posterior.X, d.Posterior.X) && got.Posterior.Info.Chains == 2,
		"the old posterior is still there")
	left, _ := os.ReadDir(filepath.Dir(dir))
	must.Be(t, len(left) == 1, "%v is left", left)
}

// line is a prior of six independent cells.
type line struct{}

func (line) Mean() []float64 { return make([]float64, 6) }
func (line) Cov() *mat.SymDense {
	c := mat.NewSymDense(6, nil)
	for i := range 6 {
		c.SetSym(i, i, 1)
	}
	return c
}

// BenchmarkSave is a posterior of an image: five groups, 131 MB.
func BenchmarkSave(b *testing.B) {
	g := grid.Grid{Rows: 64, Cols: 64}
	x := mat.NewDense(1000, g.Len(), nil)
	rng := expfam.Stream(1, "benchmark")
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	y := make([]float64, g.Len())
	for j := range y {
		y[j] = float64(j % 7)
	}
	d := Data{Posterior: &expfam.Posterior{X: x, Likelihood: like}, Obs: expfam.Must(like.Observe1(y...)), Grid: g,
		Replace: true}
	for name, d := range map[string]Data{"all groups": d,
		"draws alone": {Posterior: d.Posterior, Grid: g, Replace: true}} {
		b.Run(name, func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "post.zarr")
			for b.Loop() {
				must.Do(b, d.Save(dir))
			}
		})
	}
}

// Operators of one name with other weights are told apart.
func TestLoadTellsWeights(t *testing.T) {
	like := func(weight float64) expfam.Likelihood {
		rows := mat.NewDense(1, 6, []float64{1, 1, 0, 0, 0, weight})
		return expfam.Likelihood{Family: expfam.Poisson{},
			Operator: expfam.SumOf{Operator: &operator.Dense{Matrix: rows}}}
	}
	dir := filepath.Join(t.TempDir(), "sum.zarr")
	d := Data{Posterior: &expfam.Posterior{X: small().Posterior.X, Likelihood: like(2)},
		Obs: expfam.Observations{{Stat: 3, Size: 1}}}
	must.Do(t, d.Save(dir))
	got, err := Load(dir, like(2))
	must.Be(t, err == nil && mat.Equal(got.Posterior.X, d.Posterior.X), "the same operator: %v", err)
	must.Refuse(Load(dir, like(3)))(t, "the log-likelihood of datum 0 at the first draw is")
}

// The observation that a statistic belongs to, for one observation of each family. An observation of 0 has the
// statistic 0 under every standard deviation, and other draws of the same datum do not.
func TestObservationsOfStatistics(t *testing.T) {
	for _, c := range []struct {
		family   expfam.Family
		known    expfam.Known
		y, other float64
	}{
		{expfam.Normal{SD: 0.5}, expfam.Known{}, 0, 1.5}, {expfam.Normal{}, expfam.Given(0.5), 0, -2},
		{expfam.Normal{SD: 1e6}, expfam.Known{}, 300, -200},
		{expfam.Normal{SD: 0.5}, expfam.Known{}, 3, 1.5}, {expfam.LogNormal{SD: 0.5}, expfam.Known{}, 1, 2},
		{expfam.Pareto{}, expfam.Known{}, 1, 3},
		{expfam.Poisson{}, expfam.Given(4), 0, 3}, {expfam.Binomial{}, expfam.Given(8), 0, 5},
		{expfam.Gamma{Shape: 3}, expfam.Known{}, 2, 5},
		{expfam.Exponential{}, expfam.Known{}, 0, 5}, {expfam.NegativeBinomial{Successes: 3}, expfam.Known{}, 0, 5},
	} {
		back, ok := raw(c.family, expfam.Must(c.family.Reduce(c.y, c.known)))
		got := back(expfam.Must(c.family.Reduce(c.other, c.known)).Stat)
		must.Be(t, ok && math.Abs(got-c.other) <= 1e-9*math.Abs(c.other),
			"%v, after the observation %v: %v, %t; want %v", c.family, c.y, got, ok, c.other)
	}
	for _, y := range []float64{0, 2} { // the statistic is y²/2, which has two signs of y
		_, ok := raw(expfam.NormalVariance{}, expfam.Must(expfam.NormalVariance{}.Reduce(y, expfam.Known{})))
		must.Be(t, !ok, "y²/2 of %v is taken for an observation", y)
	}
	_, ok := raw(expfam.LogNormalVariance{}, expfam.Must(expfam.LogNormalVariance{}.Reduce(1, expfam.Known{})))
	must.Be(t, !ok, "(log y)²/2 of 1 is taken for an observation")
}
