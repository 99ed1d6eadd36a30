package live

// Checkbox is a choice between yes and no.
type Checkbox struct {
	Label string
	Value bool
	When  When
}

func (c *Checkbox) prepare() error { return nil }

func (c *Checkbox) set(v any) (bool, error) {
	b, err := decode[bool](c.Label, v)
	if err != nil {
		return false, err
	}
	return assign(&c.Value, b), nil
}

func (c *Checkbox) text() string {
	if c.Value {
		return "yes"
	}
	return "no"
}

func (c *Checkbox) spec() spec {
	return spec{Kind: "checkbox", Label: c.Label, When: c.When, Value: c.Value}
}
