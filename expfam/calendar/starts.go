package calendar

import "time"

// Starts returns the first moment of each cell, such as the Monday of a week; viz.Days puts them on an axis of dates.
func (t *Times) Starts() []time.Time {
	out := make([]time.Time, t.Cells)
	for i := range out {
		out[i] = t.Unit.start(t.first + i)
	}
	return out
}
