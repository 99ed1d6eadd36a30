package form

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/store"
)

// mostKept is how many draws of an answer a file keeps: enough for a histogram, and 2 kB.
const mostKept = 400

// Keep writes the answer of a prediction to a file beside the lesson, from which Kept reads it: draws with four digits
// in increasing order, or one number. Of more than 400 draws it keeps evenly spaced quantiles. The page of a lesson
// then checks guesses without the network, the data and the sampler that made the answer.
func Keep(path string, draws []float64) error {
	sorted := slices.Sorted(slices.Values(draws))
	n := min(len(sorted), mostKept)
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, "%.4g\n", sorted[(2*k+1)*len(sorted)/(2*n)])
	}
	return store.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// Kept returns the draws of a Guess that Keep has written.
func Kept(path string) func() ([]float64, error) {
	return func() (draws []float64, err error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("form: answer of a prediction: %w: run the cell with form.Keep(%q, …)", err, path)
		}
		for _, line := range strings.Fields(string(data)) {
			x, err := strconv.ParseFloat(line, 64)
			if err != nil {
				return nil, fmt.Errorf("form: %s: %w: run the cell with form.Keep again", path, err)
			}
			draws = append(draws, x)
		}
		return draws, nil
	}
}
