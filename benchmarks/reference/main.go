// Command reference keeps posteriors whose answers are known by two samplers: Hamiltonian Monte Carlo of this library
// and nutpie's NUTS of the same model in PyMC (models.py; model.stan has it for Stan).
//
//	cd benchmarks && go run ./reference make [NAME...]         # writes data/NAME.json and data/NAME.npz, in minutes
//	python reference/models.py nutpie reference/data /tmp/nutpie    # draws of nutpie; also laplace, advi, fullrank_advi
//	go run ./reference draw ours /tmp/ours                     # draws of this library's sampler; also dps, paper
//	go run ./reference score /tmp/nutpie /tmp/ours             # any folders of draws: NAME.npz with the array draws
//
// The score has for each problem and folder the root mean square of the differences of the means in standard
// deviations, the mean ratio of standard deviations to the reference's, and the verdict of the certificate, whose
// gradients it computes itself.
package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/expfam/hmc"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("reference: ")
	args := append(os.Args[1:], "", "")
	var err error
	switch {
	case args[0] == "make":
		err = each(os.Args[2:], makeOne)
	case args[0] == "draw" && args[2] != "":
		err = drawAll(args[1], args[2], os.Args[4:])
	case args[0] == "score" && args[1] != "":
		err = scoreAll(os.Args[2:])
	default:
		err = errors.New("call it as `go run ./reference make`, `… draw ours FOLDER` or `… score FOLDER...`")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// each calls do for the named problems, or for all.
func each(names []string, do func(*Problem) error) error {
	all, err := problems()
	if err != nil {
		return err
	}
	for _, p := range all {
		if len(names) > 0 && !slices.Contains(names, p.Name) {
			continue
		}
		if err := do(p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// makeOne draws from a problem by chains, and writes its files.
func makeOne(p *Problem) error {
	obs, err := p.observations()
	if err != nil {
		return err
	}
	prior, err := p.prior()
	if err != nil {
		return err
	}
	o := hmc.Options{Chains: 4, Warmup: 1000, Draws: 10000 * max(1, p.Longer), Seed: p.Seed, Fresh: true}
	if len(p.Unknown)+p.Longer > 0 {
		o.Warmup, o.Accept = 3000, 0.985
	}
	var post *expfam.Posterior
	if len(p.Unknown) > 0 {
		post, err = hmc.Joint(prior, p.likelihood(), obs, o)
	} else {
		post, err = hmc.Sample(prior.(hmc.Prior), p.likelihood(), obs, o)
	}
	if err != nil {
		return err
	}
	a := p.describe()
	if err := a.store(p, p.columns(post), o.Chains, 4*max(1, p.Longer)); err != nil {
		return err
	}
	fmt.Printf("%-20s  %.0f s, R-hat %.4f, %.0f effective draws: %s\n", p.Name, post.Info.Seconds,
		post.Info.Diagnostics["rhat"], post.Info.Diagnostics["ess_bulk"], a.Certificate.Verdict)
	return nil
}

// scoreAll prints the scores of folders as a table.
func scoreAll(folders []string) error {
	fmt.Print("| problem |")
	for _, f := range folders {
		fmt.Printf(" %s |", filepath.Base(f))
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("---|", len(folders)))
	return each(nil, func(p *Problem) error {
		a, err := answered(p.Name)
		if err != nil {
			return err
		}
		fmt.Printf("| %s |", p.Name)
		for _, f := range folders {
			d, err := certify.ReadDraws(filepath.Join(f, p.Name+".npz"))
			if errors.Is(err, os.ErrNotExist) {
				fmt.Print(" |")
				continue
			}
			if err != nil {
				return err
			}
			s, err := a.score(p, d)
			if err != nil {
				return err
			}
			fmt.Printf(" %s, %s, %s%s |", decimals(s.mean), decimals(s.width), s.Verdict, costOf(f, p.Name))
		}
		fmt.Println()
		return nil
	})
}

// decimals writes a number with three decimals and no zero before the point.
func decimals(v float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", v), "0") }

// columns returns the draws of the cells and of the logarithms of the unknown numbers.
func (p *Problem) columns(post *expfam.Posterior) *mat.Dense {
	n, cells := post.Dims()
	x := mat.NewDense(n, cells+len(p.Unknown), nil)
	x.Slice(0, n, 0, cells).(*mat.Dense).Copy(post.X)
	for k, q := range post.Parameters {
		for i, v := range q.Draws {
			x.Set(i, cells+k, math.Log(v))
		}
	}
	return x
}
