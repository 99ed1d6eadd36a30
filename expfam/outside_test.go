package expfam_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// painted is a prior that has the images of a simulator, without moments.
type painted struct{ scenes.Procedural }

func (painted) Moments(*graph.Node, level.Nodes) (mean, variance *graph.Node) { return nil, nil }

// seen are the likelihoods of the tests below, and how often they look at each cell.
var seen = []struct {
	name   string
	like   Likelihood
	visits int
}{
	{"counts", Likelihood{Family: Poisson{}}, 10},
	{"few counts", Likelihood{Family: Poisson{}}, 1},
	{"binomial", Likelihood{Family: Binomial{Trials: 20}, Link: MustLink("sigmoid(3*x)")}, 1},
	{"normal", Likelihood{Family: Normal{SD: 0.2}}, 1},
	{"falling", Likelihood{Family: Poisson{}, Link: MustLink("exp(1-x)")}, 3},
}

// Of data of the simulator's own images, at most the stated share is said to lie outside.
func TestRightDataLieInside(t *testing.T) {
	p, x, outside := painted{scenes.Procedural{Rows: 32, Cols: 32}}, make([]float64, 32*32), 0
	sets := fulltest.N(20, 500)
	for seed := range sets {
		c := seen[seed%len(seen)]
		p.Draw(Stream(uint64(seed), "right data"), x)
		data := must.Get(c.like.Simulate(must.Get(c.like.Theta(x))(t), nil, c.visits, uint64(seed)))(t)
		f := must.Get(c.like.Forward(p.Dim()))(t)
		if o := f.Outside(p, must.Get(c.like.Observe(data))(t)); o != nil {
			outside++
			t.Logf("%s, image %d: %v", c.name, seed, o)
		}
	}
	must.Be(t, outside <= sets/100, "%d of %d right data sets are said to lie outside", outside, sets)
}

// Twenty kinds of wrong counts of ten visits in five images each: how many of the five are said to lie outside, with
// cells that are wrong. Fourteen kinds always are, and two where the image is not dark. The others are images that the
// prior may have, or single cells of 0 that it may explain, and nothing is said of them.
func TestWrongDataLieOutside(t *testing.T) {
	const side, visits = 32, 10
	p, like := painted{scenes.Procedural{Rows: side, Cols: side}}, Likelihood{Family: Poisson{}}
	f := must.Get(like.Forward(p.Dim()))(t)
	all := func(int, int) bool { return true }
	cell := func(i, j int) bool { return i == 20 && j == 11 }
	edge := func(i, j int) bool { return i == 0 || j == 0 || i == side-1 || j == side-1 }
	text := func(i, j int) bool { return strings.Contains("0123 14 25 68 79", fmt.Sprint((i/2)%8, j%3)) && i < 10 }
	type wrong struct {
		name  string
		where func(i, j int) bool
		to    func(total, i, j int) int // of the total of the visits
		found int                       // of five images
	}
	constant := func(v int) func(total, i, j int) int { return func(int, int, int) int { return v } }
	times := func(v float64) func(total, i, j int) int {
		return func(total, _, _ int) int { return int(math.Round(v * float64(total))) }
	}
	for _, c := range []wrong{
		{"per hundred", all, times(100), 5},
		{"in tens", all, times(0.1), 5},
		{"exposures of a third", all, times(3), 4},
		{"one visit for ten", all, times(0.1), 5},
		{"all zero", all, constant(0), 5},
		{"all 255", all, constant(255), 5},
		{"a hot cell", cell, constant(150), 5},
		{"a missing value as 9999", cell, constant(9999), 5},
		{"missing values as 0", func(i, j int) bool { return i > 8 && i < 14 && j > 3 && j < 9 }, constant(0), 5},
		{"a dead row", func(i, _ int) bool { return i == 7 }, constant(0), 5},
		{"a bright column", func(_, j int) bool { return j == 7 }, constant(60), 5},
		{"edges of zeros", edge, constant(0), 5},
		{"edges of 90", edge, constant(90), 5},
		{"white text", text, constant(255), 5},
		{"black text", text, constant(0), 0},
		{"every second row lost", func(i, _ int) bool { return i%2 == 1 }, constant(0), 5},
		{"a quarter four times exposed", func(i, j int) bool { return i < 16 && j < 16 }, times(4), 3},
		{"turned upside down", all, func(total, _, _ int) int { return total }, 0},
		{"grey text", text, constant(10), 0},
		{"one typical value", all, constant(12), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, found, right := make([]float64, side*side), 0, 0
			const images = 5
			for image := range images {
				rng := Stream(uint64(image), "wrong data")
				p.Draw(rng, x)
				obs := make(Observations, len(x))
				for k := range x {
					at := k
					if c.name == "turned upside down" {
						at = len(x) - 1 - k
					}
					total := poisson(rng, visits*math.Exp(x[at]))
					if i, j := k/side, k%side; c.where(i, j) {
						total = c.to(total, i, j)
					}
					obs[k] = Term{Stat: float64(total), Size: visits}
				}
				o := f.Outside(p, obs)
				if o == nil {
					continue
				}
				found++
				for _, k := range o.Cells {
					if c.where(k/side, k%side) {
						right++
						break
					}
				}
				if image == 0 {
					t.Log(o)
				}
			}
			must.Be(t, found == c.found && right == found, "%d of %d are said to lie outside, %d with wrong cells",
				found, images, right)
		})
	}
}

// poisson draws a Poisson count of a mean up to some hundreds.
func poisson(rng *rand.Rand, mean float64) (n int) {
	for at := rng.ExpFloat64(); at < mean; at += rng.ExpFloat64() {
		n++
	}
	return n
}
