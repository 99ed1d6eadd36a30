package decide

import (
	"fmt"
	"math"
)

// Loss says what it costs to act in a district and to leave it, per person, if the truth is θ. Of is called for every
// draw and district. A loss of one's own is a type with these methods.
type Loss interface {
	String() string
	Of(theta float64) (act, leave float64)
	Check() error
}

// Threshold is the loss of a programme for districts in which θ is above a threshold: 1 in 5 infected, for example. A
// missed intervention costs Missed for each person of a district above the threshold in which nothing is done, and a
// false intervention costs False for each person of a district at or below it in which something is done. Without a
// budget it is best to act where P(θ > At) > False/(Missed + False).
type Threshold struct {
	At            float64
	Missed, False float64 // per person; at least 0
}

func (l Threshold) String() string {
	return fmt.Sprintf("above %g: missed %g, false %g a person", l.At, l.Missed, l.False)
}

// Check refuses costs that are negative or not finite.
func (l Threshold) Check() error {
	if !(l.Missed >= 0) || !(l.False >= 0) || math.IsInf(l.Missed+l.False, 0) || l.Missed+l.False == 0 ||
		math.IsNaN(l.At) {
		return fmt.Errorf("decide: loss: threshold %g with costs %g of a missed and %g of a false intervention; give "+
			"costs of at least 0, not both 0", l.At, l.Missed, l.False)
	}
	return nil
}

// Of implements [Loss].
func (l Threshold) Of(theta float64) (act, leave float64) {
	if theta > l.At {
		return 0, l.Missed
	}
	return l.False, 0
}
