package benchmarks

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/expfam/store"
)

// These numbers are part of the keys of stored scores. operatorRevision goes up when a problem of the
// comparison or a method besides our own changes, and drawsRevision when our own draws do.
const (
	operatorRevision = 3
	drawsRevision    = 11
)

// TestOperatorImages scores what lies behind blurs, rays and areas on photographs and procedural images that no network
// has seen, beside random fields, Richardson-Lucy, OSEM, total variation, diffusion posterior sampling and DiffPIR:
// some of thirty images (-datasets) with -full, half of them photographs where there are enough; else a photograph of
// 16×16 cells behind one blur, without networks. Scores are stored image by image.
func TestOperatorImages(t *testing.T) {
	var images []problem.Image
	var prior expfam.Prior
	var field *gp.Stationary
	if *full {
		images, prior = imagesAndPrior(t, 20, 64)
		images, field = evenly(images, *dataSets), empiricalField(t, scenes.Procedural{Rows: 64, Cols: 64, Plain: true})
	} else {
		var err error
		if images, err = problem.Images("../notebooks/photos", 0, 16, 10, 1); err != nil {
			t.Fatal(err)
		}
		images = images[:1]
	}
	methods := operatorMethods(prior, field)
	var all []OperatorScore
	groups := [][]operatorMethod{methods}
	if *full { // our draws of all images come first, then what the judgement needs besides them, random fields last
		groups = [][]operatorMethod{methods[:1], methods[2:5], methods[1:2], methods[5:]}
	}
	for _, some := range groups {
		for _, i := range images {
			problems, err := OperatorImages(i)
			if err != nil {
				t.Fatal(err)
			}
			if !*full {
				problems = problems[:1]
			}
			for _, o := range problems {
				all = append(all, scoresOf(t, o, some)...)
			}
		}
	}
	if *full {
		cost(t, prior, images[0])
	}
	table := SummariseOperators(all)
	for _, s := range table {
		t.Log(s)
	}
	if *full {
		judgeOperators(t, table)
	}
	// 256 cells of which some thirty are independent, a standard error of 0.04: three times.
	if s := table[0]; !*full && !(s.PSNR.Mean > 15 && s.Cells.Mean > 0.83 && s.Lost == 0) {
		t.Errorf("the random field has a PSNR of %.2f dB, and its intervals hold %.3f of the cells", s.PSNR.Mean,
			s.Cells.Mean)
	}
}

// evenly returns n images at equal distances in the list, of photographs and of procedural images one half each. There
// are ten photographs at most.
func evenly(images []problem.Image, n int) (list []problem.Image) {
	first := slices.IndexFunc(images, func(i problem.Image) bool { return !i.Photo })
	photographs := min(n/2, first)
	for k := range photographs {
		list = append(list, images[k*first/photographs])
	}
	for k := range n - photographs {
		list = append(list, images[first+k*(len(images)-first)/(n-photographs)])
	}
	return list
}

// scoresOf are those of some methods. That the first fails is an error.
func scoresOf(t *testing.T, o OperatorImage, methods []operatorMethod) (all []OperatorScore) {
	t.Helper()
	for _, m := range methods {
		if m.name == "OSEM" && o.Subset == nil {
			continue
		}
		s, err := m.score(o)
		if errors.Is(err, expfam.ErrInterrupted) {
			t.Fatal(err)
		}
		if err != nil {
			if t.Logf("%s, %s, %s: %v", o.Name, o.Case, m.name, err); m.name == "expfam" {
				t.Fail()
			}
			continue
		}
		t.Logf("%+v", s)
		all = append(all, s)
	}
	return all
}

// judgeOperators asks for what the comparison should show.
func judgeOperators(t *testing.T, table []OperatorSummary) {
	t.Helper()
	for _, s := range table {
		least := 4 * s.Images / 5
		switch s.Method {
		case "expfam":
			for name, c := range map[string]float64{"cells": s.Cells.Mean, "areas": s.Areas.Mean} {
				if !(c >= 0.92 && c <= 0.97) {
					t.Errorf("%s: 95%% intervals of %s hold the truth in %.3f", s.Case, name, c)
				}
			}
			if s.Lost > 0 {
				t.Errorf("%s: %d draws are lost", s.Case, s.Lost)
			}
		case "GMRF":
			if s.BetterCRPS < least {
				t.Errorf("%s: CRPS is below that of the random field on %d of %d images", s.Case, s.BetterCRPS,
					s.Images)
			}
		case "Richardson-Lucy", "OSEM", "total variation": // stopped with the truth at hand
			if s.BetterPSNR < 3*s.Images/4 {
				t.Errorf("%s: PSNR is above that of %s on %d of %d images", s.Case, s.Method, s.BetterPSNR, s.Images)
			}
		}
	}
}

// cost logs the seconds of the same number of draws with and without operators, in one run.
func cost(t *testing.T, prior expfam.Prior, i problem.Image) {
	t.Helper()
	problems, err := OperatorImages(i)
	if err != nil {
		t.Fatal(err)
	}
	one := func(like expfam.Likelihood, obs expfam.Observations) float64 {
		post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: imageDraws, Batch: 8, Seed: 1,
			Fresh: true})
		if err != nil {
			t.Fatal(err)
		}
		return post.Info.Seconds / imageDraws
	}
	key := store.Key("operator cost", drawsRevision, imageDraws, i.Name)
	text, err := store.Once("operator-cost", key, store.JSON[string](), func() (string, error) {
		plain := one(i.Likelihood, i.Seen)
		out := fmt.Sprintf("%s: %.2f s a draw without an operator;", i.Name, plain)
		for _, o := range problems {
			out += fmt.Sprintf(" %s %.2f times that,", o.Case, one(o.Likelihood, o.Obs)/plain)
		}
		return out[:len(out)-1], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(text)
}
