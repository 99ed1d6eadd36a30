// Package simulate has simulators with unknown parameters: an epidemic, a seasonal curve, a dose and its response, a
// blurred image. A prior that is trained on one of them infers the parameters with the curve, under any likelihood:
//
//	prior, err := learn.Train(simulate.Epidemic{}, learn.Training{})
//	post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{})
//	r0, err := post.Parameter("R0")
//
// [Model] makes a simulator of a function. Gaussian processes with unknown parameters are gp.Unknown.
//
// # Reading order
//
// model.go, epidemic.go, season.go, dose.go, image.go.
package simulate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/expfam/lab/expfam/law"
)

// Model is a simulator that a function makes; see [learn.ParametricSimulator]. The keys of stored results contain
// Name, the parameters and some draws.
type Model struct {
	Name    string
	Cells   int             // of the field
	Unknown []law.Parameter // drawn from their laws, independently
	// Field fills x, of length Cells, with a draw of the field given the values of Unknown, in their order and units.
	Field func(rng *rand.Rand, values, x []float64)
}

func (m Model) String() string { return m.Name + describe(m.Unknown) }

// describe returns the parameters with their laws.
func describe(all []law.Parameter) string {
	texts := make([]string, len(all))
	for k, p := range all {
		texts[k] = p.Name + " ~ " + law.Text(p.Law)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// Dim returns the number of cells of the field.
func (m Model) Dim() int { return m.Cells }

// Check refuses a model without name, cells, parameters or function, and parameters that [law.CheckAll] refuses.
func (m Model) Check() error {
	switch {
	case m.Name == "":
		return errors.New("simulate: the model has no Name; give one, which tells stored results apart")
	case m.Cells < 1:
		return fmt.Errorf("simulate: %s has %d Cells; give the length of the field", m.Name, m.Cells)
	case m.Field == nil:
		return fmt.Errorf("simulate: %s has no Field; give the function that draws it", m.Name)
	case len(m.Unknown) == 0:
		return fmt.Errorf("simulate: %s has no Unknown parameters; name at least one, with its law", m.Name)
	}
	if err := law.CheckAll(m.Unknown); err != nil {
		return fmt.Errorf("simulate: %s: %w", m.Name, err)
	}
	return nil
}

// Parameters returns Unknown.
func (m Model) Parameters() []law.Parameter { return m.Unknown }

// DrawGiven calls Field.
func (m Model) DrawGiven(rng *rand.Rand, values, x []float64) { m.Field(rng, values, x) }

// Draw fills x with a draw of the field whose parameters are drawn from their laws.
func (m Model) Draw(rng *rand.Rand, x []float64) { m.DrawGiven(rng, law.Draw(rng, m.Parameters()), x) }

// scatter adds independent normal noise to x.
func scatter(rng *rand.Rand, sd float64, x []float64) {
	for j := range x {
		x[j] += sd * rng.NormFloat64()
	}
}

// number is a number of a simulator, for [check].
type number struct {
	name  string
	value float64
}

// check refuses numbers that are not positive and finite, and impossible laws.
func check(simulator string, all []law.Parameter, laws law.Laws, numbers ...number) error {
	for _, n := range numbers {
		if !(n.value > 0) || math.IsInf(n.value, 1) {
			return fmt.Errorf("simulate: %s has a %s of %g; it must be positive and finite", simulator, n.name, n.value)
		}
	}
	if _, err := law.Replace(all, laws); err != nil {
		return fmt.Errorf("simulate: %s: %w", simulator, err)
	}
	return nil
}

// between refuses a law with values that its parameter cannot have.
func between(simulator string, p law.Parameter, low, high float64) error {
	if least, most := law.At(p.Law, -law.Most), law.At(p.Law, law.Most); !(least >= low && most <= high) {
		return fmt.Errorf("simulate: %s has a %s from %.3g to %.3g; give it a law of numbers from %g to %g", simulator,
			p.Name, least, most, low, high)
	}
	return nil
}

// replaced returns the parameters with the given laws in place of their own.
func replaced(all []law.Parameter, laws law.Laws) []law.Parameter {
	all, err := law.Replace(all, laws)
	if err != nil {
		panic(err) // Check returned it
	}
	return all
}
