package learn

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/expfam/lab/expfam"
)

// SetSaving changes the time between two saves of a training's state, and returns what puts it back.
func SetSaving(d time.Duration) (restore func()) {
	before := saving
	saving = d
	return func() { saving = before }
}

// ScaleOf estimates the scale of a prior from n draws.
func ScaleOf(sim expfam.Simulator, n int, rng *rand.Rand) (Scale, error) {
	return scaleOf(context.Background(), sim, n, rng)
}

// NetworkKey is the key under which Train stores its result, or why there is none.
func NetworkKey(sim expfam.Simulator, t Training) (string, error) {
	t, err := t.orDefault()
	if err != nil {
		return "", err
	}
	return t.key(sim, "score", t.scoreObjective)
}
