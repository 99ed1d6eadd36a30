package certify

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/internal/certify"
)

const (
	// disagreement is the R-hat of a parameter from which chains lie in different places (Vehtari et al. 2021).
	disagreement = 1.05
	// wideSpread is the Spread from which draws are more spread out than the scores explain. It is 1 of a normal
	// posterior, 2 of Student's distribution with 3 degrees of freedom, and more of separate modes.
	wideSpread = 2.5
	// longTail is the Tail from which few draws have the information. It is .08 of a normal posterior.
	longTail = 0.3
)

// tail returns the share of the sum of squared scores that the largest hundredth of them has.
func tail(scores []float64) float64 {
	squares := make([]float64, len(scores))
	var sum, top float64
	for i, v := range scores {
		squares[i] = v * v
		sum += squares[i]
	}
	slices.Sort(squares)
	for _, v := range squares[len(squares)-len(squares)/100:] {
		top += v
	}
	return top / sum
}

// rhat returns the R-hat of a parameter, each chain being split in two; independent draws are one chain.
func (c *comparison) rhat(k int) float64 {
	return certify.RHat(certify.Chains(mat.Col(nil, k, c.X), 2*max(1, c.Chains)))
}

// signs notes what the data show of what no score sees.
func (c *comparison) signs(r *Report) {
	most := func(of func(Parameter) float64) Parameter {
		return slices.MaxFunc(r.Parameters, func(a, b Parameter) int {
			if of(a) < of(b) {
				return -1
			}
			return 1
		})
	}
	if p := most(func(p Parameter) float64 { return p.RHat }); p.RHat > disagreement {
		r.split = true
		r.Notes = append(r.Notes, fmt.Sprintf("parts of the chains lie in different places (R-hat %.2f of %s): if "+
			"each stays in a mode of its own, nothing here tells whether the modes have their weights", p.RHat, p.Name))
	}
	if p := most(func(p Parameter) float64 { return p.Spread }); p.Spread > wideSpread {
		what := "a long tail or a funnel, whose ends no draw may have reached"
		x := slices.Clone(mat.Col(nil, c.at(p.Name), c.X))
		if stat.ExKurtosis(x, nil) < 0 {
			what = "separate modes, whose weights no score tells"
		}
		r.Notes = append(r.Notes, fmt.Sprintf("the variance of %s is %.1f times what the scores explain, as of %s",
			p.Name, p.Spread, what))
	}
	if p := most(func(p Parameter) float64 { return p.Tail }); p.Tail > longTail {
		r.Notes = append(r.Notes, fmt.Sprintf("a hundredth of the draws has %.0f%% of the information about %s, as in "+
			"the neck of a funnel: its standard errors are not to be trusted; reparametrise", 100*p.Tail, p.Name))
	}
}

func (c *comparison) at(name string) int { return slices.Index(c.Names, name) }
