package graph_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/tables"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// weekly is the likelihood of the counts.
var weekly = expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}

// outbreak returns districts, and a prior of the logarithms of their weekly rates. There are 3 by 4 districts, and with
// -full 10 by 14. With EXPFAM_TEST_DATA as well, a folder with areal/neighbourhood_BYBW.txt of the package surveillance
// of R, the 140 districts are those of Bavaria and Baden-Württemberg.
func outbreak(t testing.TB, weeks int) (*graph.Neighbours, *graph.Separable) {
	areas := rook(t, 3, 4)
	if *fulltest.Full {
		areas = rook(t, 10, 14)
		path := filepath.Join(os.Getenv("EXPFAM_TEST_DATA"), "areal/neighbourhood_BYBW.txt")
		if rows, err := tables.Read(path); err == nil {
			names, matrix := must.Get2(rows.Matrix())(t)
			areas = must.Get(graph.Adjacent(names, matrix))(t)
		}
	}
	return areas, must.Get(graph.SpaceTime{Time: graph.Walk{Cells: weeks, SD: 0.6},
		Area:        graph.BYM2{Neighbours: areas, SD: 0.5, Mixing: 0.7},
		Interaction: graph.TypeIV, InteractionSD: 0.3, LevelSD: 1}.Field())(t)
}

// reported draws rates from the field, and counts from the rates.
func reported(t testing.TB, field *graph.Separable, set uint64) (rates []float64, data expfam.Data) {
	x := make([]float64, field.Dim())
	field.Draw(expfam.Stream(set, "coverage"), x)
	rates = must.Get(weekly.Theta(x))(t)
	return rates, must.Get(weekly.Simulate(rates, nil, 1, set))(t)
}

// forecast returns a posterior of all rates from the counts of the first cells.
func forecast(t testing.TB, field *graph.Separable, data expfam.Data, first int) *expfam.Posterior {
	seen := slices.Clone(data.Y[0])
	for j := first; j < len(seen); j++ {
		seen[j] = math.NaN()
	}
	obs := must.Get(weekly.Observe1(seen...))(t)
	return must.Get(diffusion.Sample(field, weekly, obs, diffusion.Sampler{Draws: 400, Seed: 1, Fresh: true}))(t)
}

// TestForecasts compares log scores of the four weeks held back with those of the endemic-epidemic model of hhh4, which
// testdata/endemic.py fits. Ours are higher on average over the sets, because the counts are drawn from its prior; the
// course of all districts together may favour the other one in a single set. It needs -full and EXPFAM_TEST_PYTHON, a
// Python that has PyMC.
func TestForecasts(t *testing.T) {
	python := os.Getenv("EXPFAM_TEST_PYTHON")
	if python == "" || !*fulltest.Full {
		t.Skip("PyMC takes minutes: run with -full, and set EXPFAM_TEST_PYTHON to a Python that has it")
	}
	const weeks, sets = 56, 6
	areas, field := outbreak(t, weeks)
	n, folder, better := areas.Len(), t.TempDir(), make([]float64, sets)
	var pairs bytes.Buffer
	for i, of := range areas.Of {
		for _, j := range of {
			if i < j {
				fmt.Fprintf(&pairs, "%d,%d\n", i, j)
			}
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "pairs.csv"), pairs.Bytes(), 0o600))
	for set := range uint64(sets) {
		_, data := reported(t, field, set)
		var table bytes.Buffer
		for j, y := range data.Y[0] {
			fmt.Fprintf(&table, "%g%c", y, map[bool]rune{true: '\n', false: ','}[j%n == n-1])
		}
		must.Do(t, os.WriteFile(filepath.Join(folder, "counts.csv"), table.Bytes(), 0o600))
		command := exec.Command(python, "testdata/endemic.py", filepath.Join(folder, "counts.csv"),
			filepath.Join(folder, "pairs.csv"))
		command.Stderr = os.Stderr
		printed := must.Get(command.Output())(t)

		post, obs := forecast(t, field, data, (weeks-4)*n), must.Get(weekly.Observe(data))(t)
		for ahead := range 4 {
			cells := make([]int, n)
			for i := range cells {
				cells[i] = (weeks-4+ahead)*n + i
			}
			scores := must.Get(calibrate.LogScore(post, obs, cells))(t)
			var theirs float64
			must.Get(fmt.Fscan(bytes.NewReader(bytes.Split(printed, []byte("\n"))[ahead]), &theirs))(t)
			t.Logf("set %d, %d ahead: log score %.3f, endemic-epidemic %.3f", set, ahead+1, scores.Mean().Mean, theirs)
			better[set] += (scores.Mean().Mean - theirs) / 4
		}
	}
	mean, sd := stat.MeanStdDev(better, nil)
	t.Logf("log scores of four weeks are %.3f ± %.3f higher", mean, sd/math.Sqrt(sets))
	must.Be(t, mean > 2*sd/math.Sqrt(sets), "log scores are %.3f higher on %d sets: %.3f", mean, sets, better)
}
