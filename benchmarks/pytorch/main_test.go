package main

import (
	"context"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestRounds: without a round there is no median, and nothing is started.
func TestRounds(t *testing.T) {
	for _, rounds := range []int{0, -1} {
		must.Err(t, run(context.Background(), "no python", 64, 1, rounds), "-rounds", "at least 1")
	}
}

func TestMedian(t *testing.T) {
	must.Equal(t, median([]float64{3, 1, 2}), 2)
	must.Equal(t, median([]float64{4, 1, 3, 2}), 2.5)
}
