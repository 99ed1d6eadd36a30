package diffusion

import (
	"slices"

	"github.com/expfam/lab/expfam"
)

// Graded is a prior that is cheaper to evaluate at high noise, where a part of it has nothing to say, such as the
// finest grids of a learn.Pyramid. A step evaluates the prior of the grade of its noise level. Each grade has graphs of
// its own, so grades are few. They rise with the noise, and Moments of a Graded prior itself are right at every level.
type Graded interface {
	expfam.Prior
	// Grade returns the grade of a noise level, in units of x₀.
	Grade(sigma float64) int
	// Graded returns the prior of a grade, of the same cells.
	Graded(grade int) expfam.Prior
}

// program is a kind of step at a grade of the prior, which has a graph of its own.
type program struct {
	kind  kind
	grade int // 0 of a prior that is not [Graded]
}

// program returns the program of a step.
func (s *setup) program(step Step) program {
	p := program{kind: step.kind()}
	if g, ok := s.prior.(Graded); ok {
		p.grade = g.Grade(step.Level.Sigma())
	}
	return p
}

// programs returns the programs of the steps of a trajectory, each once, by kind and grade.
func (s *setup) programs(steps []Step) (all []program) {
	for _, step := range steps {
		if p := s.program(step); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b program) int {
		if a.kind != b.kind {
			return int(a.kind - b.kind)
		}
		return a.grade - b.grade
	})
	return all
}

// served returns the prior of a grade.
func (s *setup) served(grade int) expfam.Prior {
	if g, ok := s.prior.(Graded); ok {
		return g.Graded(grade)
	}
	return s.prior
}
