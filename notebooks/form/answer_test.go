package form

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/internal/must"
)

// A file keeps one number as it is, and the mean and the standard deviation of many draws to a hundredth.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "answer.csv")
	must.Do(t, Keep(path, []float64{0.123456}))
	must.Equal(t, must.Get(Kept(path)())(t)[0], 0.1235, "one number")
	var draws []float64
	for k := range 5000 {
		draws = append(draws, distuv.Normal{Mu: 30, Sigma: 2}.Quantile((float64(k*2357%5000)+0.5)/5000))
	}
	must.Do(t, Keep(path, draws))
	got := must.Get(Kept(path)())(t)
	mean, sd := stat.MeanStdDev(got, nil)
	must.Be(t, len(got) == mostKept && math.Abs(mean-30) < 0.02 && math.Abs(sd-2) < 0.02, "%d draws, %g ± %g", len(got),
		mean, sd)
	must.Refuse(Kept(filepath.Join(t.TempDir(), "none.csv"))())(t, "form.Keep(")
}

var keeps = regexp.MustCompile(`form\.(Keep|Kept)\("(answers/[^"]*)"`)

// A lesson that checks a guess by a file also writes this file, before the guess, and the file is there.
func TestAnswers(t *testing.T) {
	found := 0
	for _, l := range lessons(t) {
		var kept []string
		for _, c := range l.cells {
			for _, m := range keeps.FindAllStringSubmatch(strings.Join(c.Source, ""), -1) {
				if kept = append(kept, m[2]); m[1] == "Kept" {
					found++
					must.Be(t, slices.Contains(kept[:len(kept)-1], m[2]), "%s: no cell before the guess writes %s",
						l.name, m[2])
					draws := must.Get(Kept(filepath.Join("..", m[2]))())(t, l.name)
					must.Be(t, len(draws) > 0, "%s: %s is empty", l.name, m[2])
				}
			}
		}
	}
	must.Be(t, found >= 6, "%d guesses are checked by files", found)
}
