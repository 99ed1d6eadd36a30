package expfam_test

import (
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// Two draws of three cells through sums and means of θ = exp(x).
func TestThrough(t *testing.T) {
	post := &Posterior{X: mat.NewDense(2, 3, []float64{0, 0, 0, 1, 1, 1}), Likelihood: Likelihood{Family: Poisson{}},
		Info: Info{Method: "exact", Rows: 1, Cols: 3}}
	e := post.At(1, 0)
	sums := must.Get(post.Through(&operator.Areas{Labels: []int{0, 0, 1}, Weights: []float64{2, 3, 4}}))(t)
	for i, scale := range []float64{1, e} {
		near(t, "sum of the first", sums.At(i, 0), 5*scale, 1e-14)
		near(t, "sum of the second", sums.At(i, 1), 4*scale, 1e-14)
	}
	means := must.Get(post.Through(&operator.Areas{Labels: []int{0, 0, -1}, Weights: []float64{2, 3, 4},
		Mean: true}))(t)
	near(t, "mean", means.At(1, 0), e, 1e-14)
	what, how := means.Describe()
	must.Be(t, what == "2 independent draws of weighted means over 1 areas of 3 cells" && how == "exact",
		"%q, %q", what, how)
	for says, op := range map[string]RowOperator{
		"looks at 2 cells and the posterior has 3": &operator.Areas{Labels: []int{0, 0}}, "there is no operator": nil,
		"1 of 2 areas have no cell: area 0": &operator.Areas{Labels: []int{1, 1, 1}}} {
		must.Refuse(post.Through(op))(t, says)
	}
	must.Refuse((*Posterior)(nil).Through(&operator.Areas{Labels: []int{0}}))(t)
	must.Refuse((*Posterior)(nil).Predictive(1, nil))(t, "the posterior is nil")
	path := filepath.Join(t.TempDir(), "none")
	for _, p := range []*Posterior{nil, {}} {
		for _, err := range []error{p.Check(), p.Save(path), p.WriteCSV(path), p.WriteNPY(path), p.WriteNPY32(path)} {
			must.Err(t, err, "the posterior is nil")
		}
	}
}

// noOffset is an operator that gives no number for any datum.
type noOffset struct{ *operator.Select }

func (noOffset) Offset() []float64 { return []float64{} }

func TestOffsetsHaveANumberForEachDatum(t *testing.T) {
	like := Likelihood{Family: Normal{}, Operator: noOffset{&operator.Select{Cells: 3}}}
	must.Refuse(like.Forward(3))(t, "has 3 data and an offset of 0")
}

func TestPart(t *testing.T) {
	post := &Posterior{X: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}),
		Likelihood: Likelihood{Family: Poisson{}, Operator: &operator.Areas{Labels: []int{0, 0, 0}}}}
	part := must.Get(post.Part([]int{2, 0}))(t)
	if got := part.X.RawRowView(1); !slices.Equal(got, []float64{6, 4}) || part.Likelihood.Operator != nil ||
		part.At(0, 1) != post.At(0, 0) {
		t.Errorf("%v, %v", got, part.Likelihood)
	}
	for says, cells := range map[string][]int{"at least one cell": nil, "cell 3 of a posterior of 3": {3},
		"cell -1 of": {-1}} {
		must.Refuse(post.Part(cells))(t, says)
	}
}

// Shares of what the data look at are merged with each other, and neither with shares of cells nor of another data set.
func TestSeenIsARunOfItsOwn(t *testing.T) {
	like := Likelihood{Family: Normal{}}
	both := Together(like, like)
	share := func(first int) *Posterior {
		x := mat.NewDense(1, 2, []float64{float64(first), 7})
		return &Posterior{X: x, Likelihood: both, Info: Info{Method: "exact", First: first, Run: "a run"}}
	}
	one, two := Must(share(0).Seen()), Must(share(1).Seen())
	must.Equal(t, must.Get(Merge(one[1], two[1]))(t).X.At(1, 0), 1, "shares of one data set")
	for what, other := range map[string]*Posterior{"the cells": share(1), "another data set": two[0]} {
		merged, err := Merge(one[1], other)
		must.Be(t, err != nil, "merged with %s as %v", what, merged)
	}
	none := share(0)
	none.Info.Run = ""
	must.Equal(t, Must(none.Seen())[0].Info.Run, "", "of no known run")
}
