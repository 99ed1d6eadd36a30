package expfam

import (
	"fmt"
	"maps"
	"slices"

	"github.com/expfam/lab/expfam/law"
)

// tunable is a family with a constant that may be unknown: the dispersion of [NB2], the correlation of [BetaBinomial],
// the standard deviation of [Normal] and [LogNormal], or the shape of [Gamma] and [Weibull]. [Likelihood.Unknown] lists
// the constants that are inferred with the field.
type tunable interface {
	Family
	// Constant returns the constant with its default law, and the value that the family has, 0 if none is set.
	Constant() (p law.Parameter, own float64)
	// Tuned returns the family with a value of the constant.
	Tuned(value float64) Family
	// Reference is the value under which data are reduced while the constant is unknown.
	Reference() float64
	// TunedTerm returns the term, under a value of the constant, of data that have the term t under the reference. It
	// refuses a term that another value has reduced, as far as the term shows it.
	TunedTerm(t Term, value float64) (Term, error)
}

// Unknowns returns the unknown constants with their laws: those of the family, then those of the link by name, for one
// data set after the other. With several data sets their names end with the number of the data set.
func (l Likelihood) Unknowns() (all []law.Parameter, err error) {
	for i, part := range l.Parts() {
		own, err := part.unknowns()
		if err != nil {
			return nil, err
		}
		if len(l.parts) > 1 {
			for k := range own {
				own[k].Name = fmt.Sprintf("%s of data set %d", own[k].Name, i)
			}
		}
		all = append(all, own...)
	}
	return all, nil
}

// unknowns returns the unknown constants of one data set.
func (l Likelihood) unknowns() (all []law.Parameter, err error) {
	if len(l.Unknown) == 0 {
		return nil, nil
	}
	if l.Family == nil {
		return nil, errNoFamily
	}
	names := slices.Sorted(maps.Keys(l.Unknown))
	if _, p, own, ok := l.tunable(); ok {
		if own != 0 {
			return nil, fmt.Errorf("likelihood: the %s of %v is given and unknown; leave one of the two out", p.Name,
				l.Family)
		}
		if given := l.Unknown[p.Name]; given != nil {
			p.Law = given
		}
		all = append(all, p)
		names = slices.DeleteFunc(names, func(name string) bool { return name == p.Name })
	}
	link, _ := l.link().(*formulaLink)
	for _, name := range names {
		if link == nil || !slices.Contains(link.open.Constants(), name) {
			return nil, fmt.Errorf("likelihood: %q is unknown, and neither %v nor the link %v has a constant of that "+
				"name; %s", name, l.Family, l.link(), l.constantsHint())
		}
		if l.Unknown[name] == nil {
			return nil, fmt.Errorf("likelihood: the constant %q of the link %v is unknown and has no law; give one, "+
				"such as law.LogNormal{Median: 1, SD: 0.5}", name, link.open)
		}
		all = append(all, law.Parameter{Name: name, Law: l.Unknown[name]})
	}
	return all, law.CheckAll(all)
}

// constantsHint lists which constants may be unknown.
func (l Likelihood) constantsHint() string {
	if t, ok := l.Family.(tunable); ok {
		p, _ := t.Constant()
		return fmt.Sprintf("%q may be unknown, and constants that the link has by name", p.Name)
	}
	return "constants that the link has by name may be unknown, as s in MustLink(\"sigmoid(s*x)\", Constants{\"s\": 1})"
}

// With returns the likelihood with values of its [Likelihood.Unknowns], in their order, and the observations reduced
// under these values.
func (l Likelihood) With(values []float64, obs Observations) (Likelihood, Observations, error) {
	if l.parts == nil {
		return l.with(values, obs)
	}
	parts, all, first := make([]Likelihood, len(l.parts)), make(Observations, 0, len(obs)), 0
	for i, part := range l.parts {
		own, err := part.unknowns()
		if err != nil {
			return l, nil, err
		}
		n := len(obs) - first
		if part.Operator != nil {
			if err := checkOperator(part.Operator); err != nil {
				return l, nil, err
			}
			n, _ = part.Operator.Dims()
		} else if i+1 < len(l.parts) {
			n = cellsOf(l.parts, len(obs))
		}
		if n > len(obs)-first || len(own) > len(values) {
			return l, nil, fmt.Errorf("likelihood: %d observations are too few for %d data sets", len(obs),
				len(l.parts))
		}
		var terms Observations
		if parts[i], terms, err = part.with(values[:len(own)], obs[first:first+n]); err != nil {
			return l, nil, fmt.Errorf("data set %d: %w", i, err)
		}
		all, values, first = append(all, terms...), values[len(own):], first+n
	}
	return Together(parts...), all, nil
}

// cellsOf returns the number of cells at which the likelihoods of so many data look: that of an operator, or an equal
// share of the data if none of them has an operator.
func cellsOf(parts []Likelihood, data int) int {
	for _, part := range parts {
		if part.Operator != nil && checkOperator(part.Operator) == nil {
			_, cells := part.Operator.Dims()
			return cells
		}
	}
	return data / len(parts)
}

// with is [Likelihood.With] of one data set.
func (l Likelihood) with(values []float64, obs Observations) (Likelihood, Observations, error) {
	if len(l.Unknown) == 0 {
		return l, obs, nil
	}
	open, err := l.unknowns()
	if err != nil {
		return l, nil, err
	}
	if len(values) != len(open) {
		return l, nil, fmt.Errorf("likelihood: %d values of %d unknown constants", len(values), len(open))
	}
	if t, _, _, ok := l.tunable(); ok { // its constant is the first
		own := make(Observations, len(obs))
		for j, c := range obs {
			if c == (Term{}) {
				continue
			}
			if own[j], err = t.TunedTerm(c, values[0]); err != nil {
				return l, nil, fmt.Errorf("%s %d: %w", placeName(l.Operator == nil), j, err)
			}
		}
		obs, l.Family, open, values = own, t.Tuned(values[0]), open[1:], values[1:]
	}
	constants := Constants{}
	for k, p := range open {
		constants[p.Name] = values[k]
	}
	if link, ok := l.Link.(*formulaLink); ok && len(constants) > 0 {
		bound := maps.Clone(link.values)
		maps.Copy(bound, constants)
		e, err := link.open.Bind(bound)
		if err != nil {
			return l, nil, fmt.Errorf("link: %w", err)
		}
		l.Link = &formulaLink{e, link.open, bound}
	}
	l.Unknown = nil
	return l, obs, nil
}

// tunable returns the family with its constant and the value of it that is set, if the constant is unknown.
func (l Likelihood) tunable() (t tunable, p law.Parameter, own float64, ok bool) {
	if t, ok = l.Family.(tunable); ok {
		p, own = t.Constant()
		_, ok = l.Unknown[p.Name]
	}
	return t, p, own, ok
}

// reducer returns the family that reduces data: with its constant at the reference if it is unknown. It refuses known
// constants of the data that are the unknown one.
func (l Likelihood) reducer(d Data, by door) (Family, error) {
	t, p, own, ok := l.tunable()
	if !ok {
		return l.Family, nil
	}
	if own != 0 {
		return nil, fmt.Errorf("expfam: observe: the %s of %v is given and unknown; leave one of the two out", p.Name,
			l.Family)
	}
	if k, ok := l.Family.(interface{ known() knownConstant }); ok && d.Known != nil && k.known().role != ofTrials {
		return nil, fmt.Errorf("expfam: observe: the %s of %v is unknown, and %s gives it for each y: %s; leave one "+
			"of the two out", p.Name, l.Family, by.known, k.known().what)
	}
	return t.Tuned(t.Reference()), nil
}
