package expfam

import "time"

// SetSaving changes the time between two saves of a training's state, and
// returns what puts it back.
func SetSaving(d time.Duration) (restore func()) {
	before := saving
	saving = d
	return func() { saving = before }
}
