package expfam

import (
	"errors"
	"fmt"
	"strings"

	g "github.com/gomlx/gomlx/core/graph"
)

// Likelihood is p(y | x₀) = ∏ⱼ p(yⱼ | θⱼ = g⁻¹(x₀ⱼ)).
type Likelihood struct {
	Family Family
	Link   Link // default: Family.DefaultLink()
}

var errNoFamily = errors.New("likelihood: there is no family; set Family, for example to expfam.Poisson{}")

func (l Likelihood) link() Link {
	if l.Link == nil && l.Family != nil {
		return l.Family.DefaultLink()
	}
	return l.Link
}

// Check reports whether there is a family, and a link that fits it.
func (l Likelihood) Check() error {
	_, err := l.Increasing()
	return err
}

// Increasing reports whether θ rises with x, after the checks of [Likelihood.Check].
func (l Likelihood) Increasing() (bool, error) {
	if l.Family == nil {
		return false, errNoFamily
	}
	return checkLink(l.link(), l.Family.Natural(), l.Family.String())
}

// String is "family with theta = link", part of the key of stored results.
func (l Likelihood) String() string {
	if l.Family == nil {
		return "no likelihood"
	}
	return fmt.Sprintf("%v with theta = %v", l.Family, l.link())
}

// LaTeX is the model of one observation, without delimiters.
func (l Likelihood) LaTeX() string {
	if l.Family == nil {
		return ""
	}
	inverse := `\mathrm{` + latexText(l.link().String()) + `}`
	if m, ok := l.link().(interface{ LaTeX() string }); ok {
		inverse = m.LaTeX()
	}
	return fmt.Sprintf(`y \mid x \sim \mathrm{%s}\left(\theta\right), \quad \theta = %s`, latexText(l.Family.String()), inverse)
}

var latexEscapes = strings.NewReplacer(`\`, `\backslash `, `_`, `\_`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `%`, `\%`, `&`, `\&`, `#`, `\#`, `^`, `\wedge `, ` `, `\ `)

func latexText(s string) string { return latexEscapes.Replace(s) }

// Coordinate is x ↦ u(g⁻¹(x)), u the coordinate of the family's conjugate: the
// argument of [Conjugate.NegLogDensity] in the amortised objective.
func (l Likelihood) Coordinate() func(x *g.Node) *g.Node {
	u := l.Family.Conjugate().Coordinate()
	link := l.link()
	if e, ok := LinkFormula(link); ok {
		return u.Substitute(e).Graph
	}
	natural := l.Family.Natural()
	return func(x *g.Node) *g.Node { return u.Graph(natural.inside(link.Inverse(x))) }
}
