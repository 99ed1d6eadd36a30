package live

import "fmt"

// Text is a line that a person types, such as a formula.
type Text struct {
	Label, Value string
	// Check returns an error for a text that is refused. The error is shown beside the field, and the value stays as it
	// was. Nil accepts every text.
	Check func(string) error
	When  When
}

func (t *Text) check(v string) error {
	if t.Check == nil {
		return nil
	}
	return t.Check(v)
}

func (t *Text) prepare() error {
	if err := t.check(t.Value); err != nil {
		return fmt.Errorf("live: %q: %q to begin with: %w", t.Label, t.Value, err)
	}
	return nil
}

func (t *Text) set(v any) (bool, error) {
	s, err := decode[string](t.Label, v)
	if err != nil || s == t.Value {
		return false, err
	}
	if err := t.check(s); err != nil {
		return false, err
	}
	return assign(&t.Value, s), nil
}

func (t *Text) text() string { return t.Value }

func (t *Text) spec() spec { return spec{Kind: "text", Label: t.Label, When: t.When, Value: t.Value} }
