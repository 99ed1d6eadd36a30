package grid

import (
	"math"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

func count(cells []bool) (n int) {
	for _, c := range cells {
		if c {
			n++
		}
	}
	return n
}

func TestHoldOut(t *testing.T) {
	// The paper: 13 108 of 256 × 256 cells.
	held, err := HoldOut{}.Cells(Grid{Rows: 256, Cols: 256}, expfam.Stream(1, "a"))
	must.Be(t, err == nil && count(held) == 13108, "%d held out, %v; want 13108", count(held), err)
	again, _ := HoldOut{}.Cells(Grid{Rows: 256, Cols: 256}, expfam.Stream(1, "a"))
	other, _ := HoldOut{}.Cells(Grid{Rows: 256, Cols: 256}, expfam.Stream(2, "a"))
	must.Be(t, slices.Equal(held, again) && !slices.Equal(held, other), "the cells don't depend on the seed alone")

	masked := Grid{Rows: 20, Cols: 30, Outside: make([]bool, 600)}
	for j := range 100 {
		masked.Outside[j*5] = true
	}
	for _, c := range []struct{ fraction, want float64 }{{0.3, 150}, {0.001, 1}} {
		held, err := HoldOut{Fraction: c.fraction}.Cells(masked, expfam.Stream(1, "b"))
		must.Be(t, err == nil && count(held) == int(c.want),
			"fraction %g of 500: %d held out, %v", c.fraction, count(held), err)
		for j, h := range held {
			must.Be(t, !h || !masked.Outside[j], "cell %d is outside and held out", j)
		}
	}

	g := Grid{Rows: 20, Cols: 30}
	held, err = HoldOut{Fraction: 0.25, Block: 4}.Cells(g, expfam.Stream(1, "c"))
	if n := count(held); err != nil || n < 150 || n >= 150+16 {
		t.Errorf("%d cells in blocks, %v; want 150 and less than a block more", n, err)
	}
	for j, h := range held { // a block is held out as a whole
		r, c := g.Cell(j)
		must.Be(t, h == held[g.Index(r/4*4, c/4*4)], "cell (%d, %d) is not with its block", r, c)
	}
	for _, bad := range []HoldOut{{Fraction: 1}, {Fraction: -0.1}, {Fraction: math.NaN()}, {Block: -1}} {
		_, err := bad.Cells(g, expfam.Stream(1, "d"))
		must.Be(t, err != nil, "%+v: accepted", bad)
	}
}

func TestCoxCountsAndSizes(t *testing.T) {
	// Latitudes from 0° to 80°: areas shrink, and some cells are outside.
	g := Grid{Rows: 9, Cols: 40, X: Axis{Step: 2}, Y: Axis{First: 80, Step: -10}, Radius: 10,
		Outside: make([]bool, 360)}
	for j := range 30 {
		g.Outside[7*j] = true
	}
	x0 := make([]float64, g.Len())
	for j := range x0 {
		if x0[j] = math.Sin(float64(j)); g.Outside[j] {
			x0[j] = math.NaN()
		}
	}
	c := Cox{Grid: g, Replicates: 20, Seed: 3}
	d := must.Get(c.Simulate(x0))(t)
	area := g.Areas()
	var sum, mean float64
	for j := range x0 {
		term := d.Seen[j]
		if d.IsHeld[j] {
			term = d.Held[j]
			must.Need(t, d.Seen[j] == (expfam.Term{}), "cell %d is held out and seen", j)
		} else if d.Held[j] != (expfam.Term{}) {
			t.Fatalf("cell %d is seen and held out", j)
		}
		if g.Outside[j] {
			must.Need(t, term == (expfam.Term{}) && d.Theta[j] == 0, "cell %d is outside and has %+v", j, term)
			continue
		}
		if want := 20 * area[j]; math.Abs(term.Size/want-1) > 1e-12 || d.Theta[j] != math.Exp(x0[j]) {
			t.Fatalf("cell %d: size %g, want N|S| = %g; θ = %g", j, term.Size, want, d.Theta[j])
		}
		sum += term.Stat
		mean += term.Size * d.Theta[j]
	}
	// A sum of Poisson counts is a Poisson count.
	must.Be(t, math.Abs(sum-mean) <= 4*math.Sqrt(mean), "%g points, want %g ± %g", sum, mean, math.Sqrt(mean))
	must.Equal(t, count(d.IsHeld), 66, "cells held out of 330")
}

func TestCoxReplicatesAreNested(t *testing.T) {
	g, x0 := Grid{Rows: 16, Cols: 16}, make([]float64, 256)
	few := must.Get(Cox{Grid: g, Replicates: 1, Seed: 9}.Simulate(x0))(t)
	many := must.Get(Cox{Grid: g, Seed: 9}.Simulate(x0))(t)
	must.Be(t, slices.Equal(few.IsHeld, many.IsHeld), "other cells are held out")
	for j := range x0 {
		must.Be(t, few.Seen[j].Stat <= many.Seen[j].Stat && (few.IsHeld[j] || many.Seen[j].Size == 50),
			"cell %d: %+v of 1, %+v of 50", j, few.Seen[j], many.Seen[j])
	}
}

func TestCoxOfAnotherLinkAndItsRefusals(t *testing.T) {
	g := Grid{Rows: 8, Cols: 8}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")}
	d, err := Cox{Grid: g, Likelihood: like, Replicates: 2, HoldOut: HoldOut{None: true}}.Simulate(make([]float64, 64))
	must.Be(t, err == nil && d.Theta[5] == math.Exp(5) && count(d.Held.Missing()) == 64 && count(d.Seen.Missing()) == 0,
		"%+v, %v", d, err)
	for name, c := range map[string]struct {
		cox Cox
		n   int
	}{
		"short field": {Cox{Grid: g}, 63},
		"no grid":     {Cox{}, 0},
		"replicates":  {Cox{Grid: g, Replicates: -1}, 64},
		"link":        {Cox{Grid: g, Likelihood: expfam.Likelihood{Link: expfam.IdentityLink}}, 64},
	} {
		_, err := c.cox.Simulate(make([]float64, c.n))
		must.Be(t, err != nil, "%s: accepted", name)
	}
}
