package live

import (
	"fmt"
	"slices"
)

// Choice is a choice of one of several texts.
type Choice struct {
	Label   string
	Options []string
	Value   string // "" means the first option, unless "" is an option
	When    When
}

func (c *Choice) prepare() error {
	if len(c.Options) == 0 {
		return fmt.Errorf("live: %q: no options; give at least one", c.Label)
	}
	if c.Value == "" && !slices.Contains(c.Options, "") {
		c.Value = c.Options[0]
	}
	return c.check(c.Value)
}

func (c *Choice) check(v string) error {
	if !slices.Contains(c.Options, v) {
		return fmt.Errorf("live: %q: %q is none of the options %q", c.Label, v, c.Options)
	}
	return nil
}

func (c *Choice) set(v any) (bool, error) {
	s, err := decode[string](c.Label, v)
	if err == nil {
		err = c.check(s)
	}
	if err != nil {
		return false, err
	}
	return assign(&c.Value, s), nil
}

func (c *Choice) text() string { return c.Value }

func (c *Choice) spec() spec {
	return spec{Kind: "choice", Label: c.Label, When: c.When, Options: c.Options, Value: c.Value}
}
