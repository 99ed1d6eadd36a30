package expfam

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/law"
)

// Likelihood is p(y | x₀) = ∏ⱼ p(yⱼ | θⱼ = g⁻¹(x₀ⱼ)), or with an operator H p(y | x₀) =
// ∏_k p(y_k | θ_k = g⁻¹((H x₀)_k)). [Together] joins several likelihoods.
type Likelihood struct {
	Family Family
	Link   Link // default: Family.DefaultLink()
	// Operator determines which cells each datum depends on. Default: datum j depends on cell
	// j. Package operator has blurs, areas, points, rays and matrices.
	Operator Operator
	// Unknown names constants of the family or of the link that are inferred with the field, with their laws:
	//
	//	expfam.Likelihood{Family: expfam.NB2{}, Unknown: law.Laws{"dispersion": nil}}
	//
	// A nil law is the default of the family. The named constants of a link need a law.
	Unknown law.Laws

	parts []Likelihood // the likelihoods of several data sets, one for each; see [Together]
}

var errNoFamily = errors.New("likelihood: there is no family; set Family, for example to expfam.Poisson{}")

// link returns Link, or the family's default if Link is nil.
func (l Likelihood) link() Link {
	if l.Link == nil && l.Family != nil {
		return l.Family.DefaultLink()
	}
	return l.Link
}

// Check returns the error of [Likelihood.Terms].
func (l Likelihood) Check() error {
	_, err := l.Terms()
	return err
}

// String returns "family with theta = link", which is part of the key of stored results.
func (l Likelihood) String() string {
	if l.Family == nil {
		return "no likelihood"
	}
	if l.parts != nil {
		return l.names()
	}
	text := fmt.Sprintf("%v with theta = %v", l.Family, l.link())
	if l.Operator != nil {
		text += fmt.Sprintf(" of %v", l.Operator)
	}
	if len(l.Unknown) > 0 {
		text += " and unknown " + strings.Join(slices.Sorted(maps.Keys(l.Unknown)), ", ")
	}
	return text
}

// LaTeX returns the model of one observation in LaTeX, without delimiters.
func (l Likelihood) LaTeX() string {
	if l.Family == nil {
		return ""
	}
	link := l.link()
	inverse := `\mathrm{` + latexText(link.String()) + `}`
	if m, ok := link.(interface{ LaTeX() string }); ok {
		inverse = m.LaTeX()
	}
	return fmt.Sprintf(`y \mid x \sim \mathrm{%s}\left(\theta\right), \quad \theta = %s`, latexText(l.Family.String()),
		inverse)
}

var latexEscapes = strings.NewReplacer(`\`, `\backslash `, `_`, `\_`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `%`, `\%`, `&`,
	`\&`, `#`, `\#`, `^`, `\wedge `, ` `, `\ `)

func latexText(s string) string { return latexEscapes.Replace(s) }
