package live

import "fmt"

// Range is an interval on a scale.
type Range struct {
	Label    string
	Min, Max float64
	// Low and High are first the initial interval, then the present one. Two zeros mean the complete scale.
	Low, High float64
	Step      float64 // 0: continuous, in steps of 1/200 of the range
	When      When
}

func (r *Range) prepare() error {
	if err := limits(r.Label, r.Min, r.Max, r.Step, false); err != nil {
		return err
	}
	if r.Low == 0 && r.High == 0 {
		r.Low, r.High = r.Min, r.Max
	}
	if !(r.Min <= r.Low && r.Low <= r.High && r.High <= r.Max) {
		return fmt.Errorf("live: %q: %g to %g: give Low and High in order, in %g to %g", r.Label, r.Low, r.High, r.Min,
			r.Max)
	}
	return nil
}

func (r *Range) set(v any) (bool, error) {
	ends, err := decode[[]any](r.Label, v)
	if err != nil {
		return false, err
	}
	var x [2]float64
	if len(ends) != len(x) {
		return false, fmt.Errorf("live: %q: the front end sent %d ends", r.Label, len(ends))
	}
	for i := range x {
		if x[i], err = decode[float64](r.Label, ends[i]); err != nil {
			return false, err
		}
		x[i] = min(max(x[i], r.Min), r.Max)
	}
	low := assign(&r.Low, min(x[0], x[1]))
	return assign(&r.High, max(x[0], x[1])) || low, nil
}

func (r *Range) text() string { return number(r.Low) + " to " + number(r.High) }

func (r *Range) spec() spec {
	return spec{Kind: "range", Label: r.Label, When: r.When, Min: r.Min, Max: r.Max, Step: r.Step,
		Value: [2]float64{r.Low, r.High}}
}
