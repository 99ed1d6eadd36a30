package problem

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// Maps of a shelf are the quartiles of the draws, rounded, and the data name their file.
func TestMaps(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	g, like := grid.Grid{Rows: 3, Cols: 4}, expfam.Likelihood{Family: expfam.Poisson{}}
	prior, shelf := gp.RBF{Cells: 12}, Shelf{Dir: filepath.Join(t.TempDir(), "maps")}
	sampler := diffusion.Sampler{Draws: 19, Seed: 1, Engine: enginetest.Open(t, "go")}
	obs := must.Get(like.Observe1(3, 0, 4, 9, 7, 2, 1, 0, 2, 6, 1, 1))(t)
	maps := func(s Shelf, g grid.Grid, obs expfam.Observations) [][]float64 {
		return must.Get(s.Maps("a b", g, like, obs, prior, sampler))(t)
	}
	maps(shelf, g, obs)
	_, err := os.Stat(shelf.Dir)
	must.Be(t, os.IsNotExist(err), "a file, though nobody asked for new ones")
	drawn := maps(Shelf{Dir: shelf.Dir, Fresh: true}, g, obs)
	post := must.Get(diffusion.Sample(prior, like, obs, sampler))(t)
	n, sorted := 19, make([]float64, 19)
	for j := range 12 {
		mat.Col(sorted, j, post.Theta().X)
		slices.Sort(sorted)
		for k, at := range []int{(n+1)/4 - 1, n / 2, 3*(n+1)/4 - 1} {
			must.Be(t, math.Abs(drawn[k][j]-sorted[at]) <= mapStep/2+1e-9, "%s of cell %d is %g, want %g",
				mapNames[k], j, drawn[k][j], sorted[at])
		}
	}
	loaded := maps(shelf, g, obs)
	for k := range loaded {
		must.Be(t, slices.Equal(loaded[k], drawn[k]), "map %d of the file is another", k)
	}
	_, err = shelf.Maps("a b", grid.Grid{Rows: 4, Cols: 3}, like, obs, prior, sampler)
	must.Be(t, err != nil && strings.Contains(err.Error(), "3 by 4 cells, the data 4 by 3"), "another grid: %v", err)
	other := slices.Clone(obs)
	other[0].Stat++
	must.Be(t, shelf.path("a", "tif", like, obs, prior, sampler) != shelf.path("a", "tif", like, other, prior, sampler),
		"other data have the same file")
}

// The painted city fills the range of images, and its river is the lowest.
func TestCity(t *testing.T) {
	x := City(64, 1)
	must.Be(t, slices.Min(x) == -1 && slices.Max(x) == 1, "x₀ is %g to %g", slices.Min(x), slices.Max(x))
	must.Be(t, slices.Equal(x, City(64, 1)) && !slices.Equal(x, City(64, 2)), "the seed does not select the city")
	must.Equal(t, len(City(16, 1)), 256, "cells of a city whose blocks are the least")
	for col := range 64 {
		lowest := 1.0
		for row := range 64 {
			lowest = min(lowest, x[row*64+col])
		}
		must.Be(t, lowest == -1, "column %d has no river", col)
	}
}
