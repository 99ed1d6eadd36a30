package graph

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/law"
)

// Type is the type of an interaction of times and areas (Knorr-Held 2000, Statistics in Medicine 19).
type Type int

// The types.
const (
	NoInteraction Type = iota
	TypeI              // independent in every area at every time
	TypeII             // an independent course in time of every area
	TypeIII            // an independent map at every time
	TypeIV             // courses in time of which neighbouring areas have similar ones
)

// SpaceTime is a field of areas and times: a level, a map, a course in time, and their interaction,
//
//	x₀(t, i) = Level + aᵢ + c_t + d_{t,i},  a ~ N(0, P K_area P),  c ~ N(0, P K_time P),
//	d ~ N(0, InteractionSD² P S_time P ⊗ P S_area P),
//
// where P subtracts the mean, so that each of the four is told apart from the others. S is the structure of the prior:
// [Neighbours.Structure] of [ICAR] and [BYM2], and the covariance of unit SD of the others; it is the identity for
// times in types I and III, and for areas in types I and II. Levels of Time and Area do not count. Cell t·areas + i is
// area i at time t; forecasts are times at the end without data.
type SpaceTime struct {
	Time gp.Family // Walk, AR1 or Seasonal
	Area gp.Family // ICAR, BYM2, Leroux, CAR or DAGAR
	// Interaction is the type of the interaction, by default none. InteractionSD is unknown if it is 0, by default with
	// P(SD > 1) = 0.01.
	Interaction    Type
	InteractionSD  float64
	Level, LevelSD float64
}

func (p SpaceTime) effect() effect {
	e := effect{"SpaceTime", "", nil, p.Level, p.LevelSD}
	if p.Interaction != NoInteraction {
		n := sd(p.InteractionSD)
		n.field, n.parameter.Name = "InteractionSD", "interaction sd"
		e.numbers = []number{n}
	}
	return e
}

// Check refuses impossible fields.
func (p SpaceTime) Check() error {
	if p.Time == nil || p.Area == nil {
		return errors.New("graph: SpaceTime needs a Time and an Area; give both")
	}
	for _, f := range []gp.Family{p.Time, p.Area} {
		if err := traits.Check(f); err != nil {
			return err
		}
		if _, ok := f.(numbered); !ok && p.Interaction != NoInteraction {
			return fmt.Errorf("graph: %v has no structure for an interaction; take a prior of package graph", f)
		}
	}
	if p.Interaction < NoInteraction || p.Interaction > TypeIV {
		return fmt.Errorf("graph: SpaceTime has the Interaction %d; take TypeI to TypeIV", p.Interaction)
	}
	return p.effect().check()
}

func (p SpaceTime) String() string {
	return fmt.Sprintf("space-time(%v, %v, type=%d%s)", p.Time, p.Area, p.Interaction, p.effect().text())
}

// Dim returns the number of cells, times × areas.
func (p SpaceTime) Dim() int { return p.Time.Dim() * p.Area.Dim() }

// Unknown returns the unknown numbers: of Time, named "time …", of Area, named "area …", and "interaction sd".
func (p SpaceTime) Unknown() []law.Parameter {
	all := append(prefixed("time", p.Time.Unknown()), prefixed("area", p.Area.Unknown())...)
	return append(all, p.effect().unknown()...)
}

// sides returns both sides and the standard deviation of the interaction.
func (p SpaceTime) sides(values []float64) (time, area side, interaction float64, err error) {
	if err := p.Check(); err != nil {
		return time, area, 0, err
	}
	t, a := len(p.Time.Unknown()), len(p.Area.Unknown())
	if len(values) < t+a {
		return time, area, 0, fmt.Errorf("graph: %v has unknown numbers; give them, or take gp.Unknown for few cells",
			p)
	}
	if time, err = sideOf(p.Time, values[:t], p.Interaction == TypeII || p.Interaction == TypeIV); err != nil {
		return time, area, 0, err
	}
	if area, err = sideOf(p.Area, values[t:t+a], p.Interaction == TypeIII || p.Interaction == TypeIV); err != nil {
		return time, area, 0, err
	}
	own, err := p.effect().values(p.effect().check, values[t+a:])
	if len(own) > 0 {
		interaction = own[0]
	}
	return time, area, interaction, err
}

// Given returns the mean and the covariance of all cells for given values of the unknown numbers; see [gp.Family]. It
// has (times·areas)² entries; Field needs none of them.
func (p SpaceTime) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	time, area, interaction, err := p.sides(values)
	if err != nil {
		return nil, nil, err
	}
	cov = mat.NewSymDense(p.Dim(), nil)
	addKronecker(cov, 1, ones(p.Time.Dim()), area.main)
	addKronecker(cov, 1, time.main, ones(p.Area.Dim()))
	if p.Interaction != NoInteraction {
		addKronecker(cov, interaction*interaction, time.structure, area.structure)
	}
	return p.effect().with(cov)
}

// Field returns the prior of known numbers, with exact moments for any number of cells.
func (p SpaceTime) Field() (*Separable, error) {
	time, area, interaction, err := p.sides(nil)
	if err != nil {
		return nil, err
	}
	along, t, ct, err := time.modes()
	if err != nil {
		return nil, err
	}
	cross, a, ca, err := area.modes()
	if err != nil {
		return nil, err
	}
	times, areas := float64(len(t)), float64(len(a))
	variances := mat.NewDense(len(t), len(a), nil)
	variances.Apply(func(k, i int, _ float64) float64 {
		switch {
		case k == 0 && i == 0:
			return times * areas * p.LevelSD * p.LevelSD
		case k == 0:
			return times * a[i]
		case i == 0:
			return areas * t[k]
		}
		return interaction * interaction * ct[k] * ca[i]
	}, variances)
	return separable(p.String(), p.Level, along, cross, variances)
}
