package decide

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/calibrate"
)

// Problem is a decision: in which districts to act. The loss of a set A of districts is
//
//	L(A, θ) = Σ_{d∈A} N_d act(θ_d) + Σ_{d∉A} N_d leave(θ_d),
//
// for N_d people in district d. The set of least expected loss is a sum over draws; with a budget it is the solution of
// a knapsack problem, which is found exactly.
type Problem struct {
	Loss Loss
	// People has the number of people in each district. [grid.Field.SumOnto] and operator.Polygons make it of a raster.
	// Default: 1 each.
	People []float64
	// Costs is what acting costs in each district, in the unit of Budget. Default: 1 each.
	Costs []float64
	// Budget bounds the sum of the costs. Default 0: no bound.
	Budget float64
	Names  []string // of the districts; nil: they have numbers
}

// Choice is the solution of a [Problem]. Losses are in the unit of the loss per person times people.
type Choice struct {
	Act  []bool // for each district
	Cost float64
	// Loss is the expected loss of the choice, Nothing that of acting nowhere, and Everywhere that of acting
	// everywhere, whatever the budget.
	Loss, Nothing, Everywhere float64
	// Gain is the expected loss that acting in each district saves; it is negative where it is better to leave.
	Gain []float64
	// Perfect is the value of perfect information: Loss minus the expected loss of one who knows θ, and so of the best
	// set for each draw.
	Perfect float64
	// PerfectOf is the value of knowing θ of one district alone. It is nil if there is a budget, by which
	// the districts depend on each other.
	PerfectOf []float64
}

// Districts returns the numbers of the districts in which the choice acts.
func (c Choice) Districts() []int {
	var districts []int
	for d, act := range c.Act {
		if act {
			districts = append(districts, d)
		}
	}
	return districts
}

// table has the losses of every draw and district.
type table struct {
	save  *mat.Dense // (draws, districts): the loss that acting saves
	leave []float64  // of each draw: the loss of acting nowhere
	costs []float64
}

func (p Problem) read(d calibrate.Draws) (*table, error) {
	if p.Loss == nil {
		return nil, errors.New("decide: there is no Loss; set one, for example to decide.Threshold{At: 0.2, Missed: " +
			"4, False: 1}")
	}
	if err := p.Loss.Check(); err != nil {
		return nil, err
	}
	draws, districts := d.Dims()
	if draws < 1 || districts < 1 {
		return nil, fmt.Errorf("decide: %d draws of %d districts; give at least one of each", draws, districts)
	}
	for _, s := range []struct {
		name   string
		values []float64
	}{{"People", p.People}, {"Costs", p.Costs}} {
		if s.values != nil && len(s.values) != districts {
			return nil, fmt.Errorf("decide: %d %s for %d districts; give one number for each", len(s.values), s.name,
				districts)
		}
		for k, v := range s.values {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("decide: %s of %s is %g; it must be at least 0", s.name, p.name(k), v)
			}
		}
	}
	if !(p.Budget >= 0) {
		return nil, fmt.Errorf("decide: a budget of %g; give a positive one, or 0 for none", p.Budget)
	}
	t := &table{mat.NewDense(draws, districts, nil), make([]float64, draws), p.Costs}
	if t.costs == nil {
		t.costs = make([]float64, districts)
		floats.AddConst(1, t.costs)
	}
	for i := range draws {
		for k := range districts {
			people := 1.0
			if p.People != nil {
				people = p.People[k]
			}
			act, leave := p.Loss.Of(d.At(i, k))
			if s := act + leave; math.IsNaN(s) || math.IsInf(s, 0) {
				return nil, fmt.Errorf("decide: the loss of %s in draw %d, where θ = %g, is %g if one acts and %g if "+
					"not; both must be finite", p.name(k), i, d.At(i, k), act, leave)
			}
			t.save.Set(i, k, people*(leave-act))
			t.leave[i] += people * leave
		}
	}
	return t, nil
}

func (p Problem) name(k int) string {
	if k < len(p.Names) {
		return fmt.Sprintf("district %q", p.Names[k])
	}
	return fmt.Sprintf("district %d", k)
}

// best returns the set of the largest saving, and its saving.
func (p Problem) best(save, costs []float64) ([]bool, float64) {
	if p.Budget > 0 {
		return knapsack(save, costs, p.Budget)
	}
	act, total := make([]bool, len(save)), 0.0
	for k, s := range save {
		if s > 0 {
			act[k], total = true, total+s
		}
	}
	return act, total
}

// Choose returns the set of districts of least expected loss. The draws have a column for each district: θ of the
// district, such as the mean of its people's prevalence, which [expfam.Posterior.Through] and calibrate.Map make.
func (p Problem) Choose(d calibrate.Draws) (*Choice, error) {
	t, err := p.read(d)
	if err != nil {
		return nil, err
	}
	draws, districts := t.save.Dims()
	c := &Choice{Gain: make([]float64, districts), Nothing: floats.Sum(t.leave) / float64(draws)}
	for i := range draws {
		floats.AddScaled(c.Gain, 1/float64(draws), t.save.RawRowView(i))
	}
	var saved float64
	c.Act, saved = p.best(c.Gain, t.costs)
	c.Loss, c.Everywhere = c.Nothing-saved, c.Nothing-floats.Sum(c.Gain)
	for k, in := range c.Act {
		if in {
			c.Cost += t.costs[k]
		}
	}
	for i := range draws {
		_, known := p.best(t.save.RawRowView(i), t.costs)
		c.Perfect += known / float64(draws)
	}
	c.Perfect = max(0, c.Perfect-saved) // rounding may make it negative
	if p.Budget > 0 {
		return c, nil
	}
	c.PerfectOf = make([]float64, districts)
	for k := range districts {
		for i := range draws {
			c.PerfectOf[k] += max(0, t.save.At(i, k)) / float64(draws)
		}
		c.PerfectOf[k] = max(0, c.PerfectOf[k]-max(0, c.Gain[k]))
	}
	return c, nil
}

// Regret returns how much more the set act costs than the best set, if the truth is theta.
func (p Problem) Regret(act []bool, theta []float64) (float64, error) {
	t, err := p.read(truth(theta))
	if err != nil {
		return 0, err
	}
	if len(act) != len(theta) {
		return 0, fmt.Errorf("decide: a choice of %d districts and a truth of %d", len(act), len(theta))
	}
	save := t.save.RawRowView(0)
	_, most := p.best(save, t.costs)
	for k, in := range act {
		if in {
			most -= save[k]
		}
	}
	return most, nil
}

// truth is one draw of all districts.
type truth []float64

func (x truth) Dims() (int, int)    { return 1, len(x) }
func (x truth) At(_, k int) float64 { return x[k] }
