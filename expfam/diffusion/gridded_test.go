package diffusion_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// resizable is a prior of a square that serves squares of any size.
type resizable struct {
	gp.RBF
	side int
}

func (r resizable) Lattice() (rows, cols int) { return r.side, r.side }

func (r resizable) Grid(rows, cols int) (expfam.Prior, error) {
	if rows != cols {
		return nil, fmt.Errorf("%d×%d cells", rows, cols)
	}
	return resizable{gp.RBF{Cells: rows * rows}, rows}, nil
}

// Data sets together look at the same cells, so a prior of a grid stays on its grid, or goes to that of one data set.
func TestGridOfDataTogether(t *testing.T) {
	prior := resizable{gp.RBF{Cells: 4}, 2}
	s := Sampler{Draws: 2, Engine: enginetest.Open(t, "go"), Method: Multistep{N: 5}, Fresh: true}
	for _, cells := range []int{4, 9} {
		obs := observe(t, normal, make([]float64, cells)...)
		for sets := range 4 {
			like := expfam.Together(slices.Repeat([]expfam.Likelihood{normal}, sets+1)...)
			post := must.Get(Sample(prior, like, slices.Repeat(obs, sets+1), s))(t)
			_, got := post.Dims()
			must.Equal(t, got, cells, sets+1, "data sets: draws of", "cells")
		}
	}
	must.Refuse(Sample(prior, normal, make(expfam.Observations, 6), s))(t, "data of 6 cells and a prior of 2×2")
}
