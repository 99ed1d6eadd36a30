package live

import (
	"fmt"
	"math"
	"slices"
)

// Slider is a number on a scale.
type Slider struct {
	Label    string
	Min, Max float64
	// Value is first the initial value, then the present one. A zero that is not on the scale means the middle of the
	// scale.
	Value float64
	Step  float64 // 0: continuous, in steps of 1/200 of the range
	Log   bool    // equal ratios at equal distances; Step is not used
	When  When
	// Frames is how many settings are drawn beforehand for readers without a kernel. 0 means 9 for the first slider of
	// a panel and none for the others; a negative number means none. If two sliders both have a number, all pairs of
	// their settings are drawn.
	Frames int
}

func (s *Slider) prepare() error {
	if err := limits(s.Label, s.Min, s.Max, s.Step, s.Log); err != nil {
		return err
	}
	if s.Value == 0 && !(s.Min <= 0 && 0 <= s.Max) {
		s.Value = s.at(0.5)
	}
	if !(s.Min <= s.Value && s.Value <= s.Max) {
		return fmt.Errorf("live: %q: value %g: give one in %g to %g", s.Label, s.Value, s.Min, s.Max)
	}
	return nil
}

// at returns the value at a share of the scale.
func (s *Slider) at(share float64) float64 {
	v := s.Min + share*(s.Max-s.Min)
	switch {
	case s.Log:
		v = s.Min * math.Pow(s.Max/s.Min, share)
	case s.Step > 0:
		v = s.Min + s.Step*math.Round((v-s.Min)/s.Step)
	}
	return min(max(tidy(v), s.Min), s.Max)
}

// stops returns n settings over the scale, and the present value among them.
func (s *Slider) stops(n int) []float64 {
	out := []float64{s.Value}
	for i := range n {
		out = append(out, s.at(float64(i)/float64(max(n-1, 1))))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *Slider) set(v any) (bool, error) {
	x, err := decode[float64](s.Label, v)
	if err != nil {
		return false, err
	}
	return assign(&s.Value, min(max(x, s.Min), s.Max)), nil
}

func (s *Slider) text() string { return number(s.Value) }

func (s *Slider) spec() spec {
	return spec{Kind: "slider", Label: s.Label, When: s.When, Min: s.Min, Max: s.Max, Step: s.Step, Log: s.Log,
		Value: s.Value}
}
