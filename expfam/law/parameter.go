package law

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Parameter is an unknown number of a model besides the cells of x₀, such as a length scale, a dispersion or the
// reproduction number of a simulator. Its law is its prior, in its own unit.
type Parameter struct {
	Name string // "length scale"
	Unit string // "km"; "" if it has none
	Law  Law
}

// CheckAll refuses a parameter without a name, a name that two parameters have, and a law that [Check] refuses.
func CheckAll(all []Parameter) error {
	for i, p := range all {
		if p.Name == "" {
			return fmt.Errorf("parameter %d has no name; give one", i)
		}
		if slices.ContainsFunc(all[:i], func(q Parameter) bool { return q.Name == p.Name }) {
			return fmt.Errorf("two parameters have the name %q; give each a name of its own, as the Label of a prior "+
				"of package graph does", p.Name)
		}
		if err := Check(p.Law); err != nil {
			return fmt.Errorf("parameter %q: %w", p.Name, err)
		}
	}
	return nil
}

// Replace returns the parameters with the given laws in place of their own. It refuses laws of names that no parameter
// has.
func Replace(all []Parameter, laws Laws) ([]Parameter, error) {
	all = slices.Clone(all)
	var names []string
	for i, p := range all {
		names = append(names, fmt.Sprintf("%q", p.Name))
		if l, ok := laws[p.Name]; ok {
			all[i].Law = l
		}
	}
	for name := range laws {
		if !slices.ContainsFunc(all, func(p Parameter) bool { return p.Name == name }) {
			return nil, fmt.Errorf("a law is given for %q, which is not unknown here; the unknown parameters are: %s",
				name, strings.Join(names, ", "))
		}
	}
	return all, CheckAll(all)
}

// Draw returns independent values of the parameters, drawn from their laws.
func Draw(rng *rand.Rand, all []Parameter) []float64 {
	scores := make([]float64, len(all))
	for k := range scores {
		scores[k] = rng.NormFloat64()
	}
	return Values(all, scores)
}

// Values returns the values of parameters at scores, in their own units; see [At].
func Values(all []Parameter, scores []float64) []float64 {
	values := make([]float64, len(all))
	for k, p := range all {
		values[k] = At(p.Law, scores[k])
	}
	return values
}

// LogDensity returns the log density of scores up to a constant. It is −∞ beyond ±7.
func LogDensity(scores []float64) (sum float64) {
	for _, v := range scores {
		if math.Abs(v) > Most {
			return math.Inf(-1)
		}
		sum -= v * v / 2
	}
	return sum
}
