package live

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Control is one of *Slider, *Range, *Choice, *Text, *Checkbox, *Button and *Mask. Its value fields change only between
// two calls of a panel's Draw, on the goroutine that calls Draw.
type Control interface {
	spec() spec              // returns what the front end has to know
	prepare() error          // fills in defaults and refuses impossible fields
	set(v any) (bool, error) // stores a value that JSON decoded, and reports whether it changed
	text() string            // returns the value for readers without controls, "" for none
}

// When says which movements of a control redraw.
type When int

const (
	// OnMove redraws with every movement; of a Text, when typing pauses.
	OnMove When = iota
	// OnRelease redraws when the pointer or key is let go; of a Text, with Enter.
	OnRelease
	// OnButton redraws when the panel's Run button is pressed.
	OnButton
)

// spec describes a control to the front end.
type spec struct {
	Kind    string   `json:"kind"`
	Label   string   `json:"label"`
	When    When     `json:"when"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Step    float64  `json:"step"`
	Log     bool     `json:"log,omitempty"`
	Options []string `json:"options,omitempty"`
	Columns int      `json:"columns,omitempty"`
	Rows    int      `json:"rows,omitempty"`
	Seconds float64  `json:"seconds,omitempty"`
	Value   any      `json:"value"`

	text string // the value for readers without controls, "" for none
}

// specs describes the controls with their present values.
func (p Panel) specs() []spec {
	out := []spec{}
	for _, c := range p.Controls {
		s := c.spec()
		s.text = c.text()
		out = append(out, s)
	}
	return out
}

// values returns the values of specs.
func values(specs []spec) []any {
	out := []any{}
	for _, s := range specs {
		out = append(out, s.Value)
	}
	return out
}

// decode returns a value with the type that a control needs.
func decode[T any](label string, v any) (T, error) {
	t, ok := v.(T)
	if !ok {
		return t, fmt.Errorf("live: %q: the front end sent %T for %T", label, v, t)
	}
	return t, nil
}

// assign stores a value and reports whether that changed anything.
func assign[T comparable](at *T, v T) bool {
	changed := *at != v
	*at = v
	return changed
}

// limits checks the ends and the step of a scale.
func limits(label string, low, high, step float64, log bool) error {
	switch {
	case !(low < high) || math.IsInf(high-low, 0):
		return fmt.Errorf("live: %q: limits %g to %g: give Min below Max, both finite", label, low, high)
	case log && low <= 0:
		return fmt.Errorf("live: %q: a logarithmic scale from %g: give a positive Min", label, low)
	case !(step >= 0) || math.IsInf(step, 1):
		return fmt.Errorf("live: %q: step %g: give a positive one, or 0 for a continuous scale", label, step)
	}
	return nil
}

// tidy rounds to 12 significant digits, which removes the rounding errors of differences.
func tidy(v float64) float64 {
	t, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		return v
	}
	return t
}

// number prints a value for a person, with four significant digits, as the program of the page does: 30000 and not
// 3e+04.
func number(v float64) string {
	short := strconv.FormatFloat(v, 'g', 4, 64)
	rounded, err := strconv.ParseFloat(short, 64)
	if a := math.Abs(rounded); err != nil || a >= 1e21 || a < 1e-6 {
		return short
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// jsonText returns JSON that can stand inside a script element, because encoding/json writes <, > and & as escapes.
func jsonText(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("live: %w", err)
	}
	return string(data), nil
}
