package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/internal/must"
)

// read returns what the files have of a problem.
func read(t *testing.T, p Problem) (a answer, file raster.Array) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("data", p.Name+".json")))(t)
	must.Do(t, json.Unmarshal(text, &a))
	return a, must.Get(raster.ReadNPY(filepath.Join("data", p.Name+".npy")))(t)
}

// The data of the files are those of the seeds, and the table's formulas have the slopes of the library's likelihoods.
func TestProblems(t *testing.T) {
	for _, p := range problems() {
		t.Run(p.Name, func(t *testing.T) {
			a, file := read(t, p)
			must.Be(t, slices.Equal(a.Y, p.Y) && a.Family == p.Family, "data %v, of the seed %v", a.Y, p.Y)
			like, cells := p.likelihood(), len(p.Y)
			obs := must.Get(like.Observe1(p.Y...))(t)
			data := must.Get(like.Forward(cells))(t).LogLikelihood(obs)
			x := mat.NewDense(1, cells, file.Values[:cells])
			with, slope := p.scores(x).RawRowView(0), make([]float64, cells)
			data.LogLikSlope(x.RawRowView(0), slope)
			none := p
			none.Y = make([]float64, cells) // whose slope by the table is a − b A'
			for i, y := range p.Y {
				e := math.Exp(x.At(0, i))
				prior := none.scores(x).RawRowView(0)[i]
				switch { // what remains of the table without a datum
				case p.Family == "poisson":
					prior += e
				case p.Family == "gamma":
					prior -= shape
				default:
					_, b, _ := none.terms()
					first, _, _ := none.terms()
					prior -= first[i] - b[i]*e/(1+e)
				}
				if got := with[i] - prior; math.Abs(got-slope[i]) > 1e-5*(1+math.Abs(slope[i])) {
					t.Errorf("cell %d with the datum %v: slope %v, of the library %v", i, y, got, slope[i])
				}
			}
		})
	}
}

// The reference's own draws agree, and are found out if they are moved by a fifth of a standard deviation.
func TestScore(t *testing.T) {
	for _, p := range problems() {
		a, file := read(t, p)
		mean, width, r, err := a.score(file)
		// A fifth of the 20,000 draws: .5 to 2 times √(.8/4000) = .014.
		must.Be(t, err == nil && mean < 0.03 && math.Abs(width-1) < 0.02 && r.Verdict == certify.Agrees,
			"%s: %v, %v, %v, %v", p.Name, mean, width, r, err)
		for i := range file.Values {
			file.Values[i] += 0.2 * a.SDs[i%len(a.SDs)]
		}
		mean, _, r, err = a.score(file)
		must.Be(t, err == nil && math.Abs(mean-0.2) < 0.03 && r.Verdict == certify.Wrong, "%s: %v, %v, %v", p.Name, mean,
			r, err)
	}
}
