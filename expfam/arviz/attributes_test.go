package arviz

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// TestOneChain: the reason for a single chain names a number of draws that makes four of at least two.
func TestOneChain(t *testing.T) {
	d := Data{Posterior: &expfam.Posterior{Likelihood: expfam.Likelihood{Family: expfam.Poisson{}}}}
	for draws, want := range map[int]string{1: "8 would make 4", 2: "8 would make 4", 3: "8 would make 4",
		7: "8 would make 4", 11: "8 would make 4", 499: "496 would make 4"} {
		got := d.attributes(&layout{chains: fold(draws), draws: draws})["chains"].(string)
		must.Be(t, strings.HasPrefix(got, "1 chain") && strings.HasSuffix(got, want), "%d draws: %s", draws, got)
	}
}
