package live

import (
	"fmt"
	"math"
)

// Button counts how often it was pressed; every press redraws.
type Button struct {
	Label   string
	Seconds float64 // what a press is expected to take, shown on it; 0: nothing is shown
	Pressed int
}

func (b *Button) prepare() error {
	if !(b.Seconds >= 0) || math.IsInf(b.Seconds, 1) {
		return fmt.Errorf("live: %q: %g seconds: give a positive finite number or 0", b.Label, b.Seconds)
	}
	return nil
}

func (b *Button) set(v any) (bool, error) {
	n, err := decode[float64](b.Label, v)
	if err != nil {
		return false, err
	}
	return assign(&b.Pressed, int(n)), nil
}

func (b *Button) text() string { return "" }

func (b *Button) spec() spec {
	return spec{Kind: "button", Label: b.Label, Seconds: b.Seconds, Value: b.Pressed}
}
