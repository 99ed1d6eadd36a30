package graph

import (
	"errors"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/latent"
)

// errDense says that an interaction has no sparse precision.
var errDense = errors.New("graph: only interactions of intrinsic priors have sparse precisions: Walk, and ICAR and " +
	"BYM2 without islands")

// Sparse returns the prior by its precision; see gp.Unknown. Main effects enter as they are: that their means are taken
// out is a matter of the level
//
//	x₀ = Level′ + time + area + interaction,  Level′ + means of the effects ~ N(Level, LevelSD²).
func (p SpaceTime) Sparse() (*latent.Field, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	times, areas := p.Time.Dim(), p.Area.Dim()
	cells, t, a := times*areas, len(p.Time.Unknown()), len(p.Area.Unknown())
	var all []latent.Effect
	whole := p.whole()
	var level latent.Column
	main := make([]latent.Column, areas) // the main effects of each area
	nodes := 0
	for k, f := range []gp.Family{p.Time, p.Area} {
		s, ok := f.(sparsePrior)
		if !ok {
			return nil, errDense
		}
		parts, err := s.effects()
		if err != nil {
			return nil, err
		}
		if k == 0 && whole { // the walk
			parts = parts[1:]
		}
		for _, part := range parts {
			rows, at, first, last := part.Rows, part.At, 0, t
			if k == 1 {
				first, last = t, t+a
			}
			part.At = func(values []float64) ([]float64, float64, error) { return at(values[first:last]) }
			part.Rows = make([][]latent.Entry, cells)
			for c := range cells {
				if k == 0 {
					part.Rows[c] = rows[c/areas]
				} else if !whole {
					part.Rows[c] = rows[c%areas]
				}
			}
			for i := 0; i < areas && k == 1; i++ {
				for _, e := range rows[i] {
					main[i] = append(main[i], latent.Entry{Node: nodes + e.Node, Weight: e.Weight})
				}
			}
			if !part.centred {
				for _, row := range rows {
					for _, e := range row {
						level = append(level, latent.Entry{Node: nodes + e.Node, Weight: e.Weight / float64(len(rows))})
					}
				}
			}
			nodes += part.Nodes
			all = append(all, part.Effect)
		}
	}
	if p.Interaction != NoInteraction {
		for _, of := range main {
			for k := range of {
				of[k].Node -= nodes
			}
		}
		interaction, err := p.interaction(main)
		if err != nil {
			return nil, err
		}
		all = append(all, interaction)
		nodes += interaction.Nodes
	}
	mean := make([]float64, cells)
	for i := range mean {
		mean[i] = p.Level
	}
	if p.LevelSD == 0 && level == nil {
		return latent.Sum(mean, latent.Shared{}, all...), nil
	}
	if level == nil {
		return latent.Sum(mean, latent.Shared{}, append(all, common(cells, p.LevelSD))...), nil
	}
	free := common(cells, 1)
	free.Terms, free.Ground = []latent.Term{{{Value: 0}}}, []int{0}
	precision := hard
	if p.LevelSD > 0 {
		precision = 1 / (p.LevelSD * p.LevelSD)
	}
	shared := latent.Shared{Columns: []latent.Column{append(level, latent.Entry{Node: nodes, Weight: 1})},
		Weights: []float64{precision}}
	return latent.Sum(mean, shared, append(all, free)...), nil
}
