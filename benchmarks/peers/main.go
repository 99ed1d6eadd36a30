// Command peers maps simulated districts by this library and by the programs that people use for it, one after the
// other in one run, and prints their seconds and errors:
//
//	cd benchmarks && go run ./peers 1024 3136
//
// It needs R with TMB and mgcv (Debian: r-cran-tmb, r-cran-mgcv). Counts are Poisson with rates exp(η) times expected
// numbers from 1 to 10, and η is BYM2 with sd .5, of which .7 is structured, on a planar graph. Seconds are those of a
// processor and those of waiting; compiling TMB's template is not among them. Errors are of exp(η) in all districts.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
)

// districts are counts whose rates are known.
type districts struct {
	prior graph.BYM2
	pairs [][2]int
	eta   []float64
	e, y  []float64
}

// simulate draws districts on a lattice of so many columns with diagonals.
func simulate(n, cols int, seed uint64) (*districts, error) {
	d := &districts{e: make([]float64, n), y: make([]float64, n), eta: make([]float64, n)}
	for i := range n {
		r, c := i/cols, i%cols
		if c > 0 {
			d.pairs = append(d.pairs, [2]int{i - 1, i})
		}
		if r > 0 {
			d.pairs = append(d.pairs, [2]int{i - cols, i})
		}
		if r > 0 && c > 0 {
			d.pairs = append(d.pairs, [2]int{i - cols - 1, i})
		}
	}
	neighbours, err := graph.Edges(n, d.pairs)
	if err != nil {
		return nil, err
	}
	d.prior = graph.BYM2{Neighbours: neighbours, LevelSD: 3}
	truth := d.prior
	truth.SD, truth.Mixing, truth.LevelSD = 0.5, 0.7, 0.1
	field, err := truth.Gaussian()
	if err != nil {
		return nil, err
	}
	rng := expfam.Stream(seed, "peers")
	field.Draw(rng, d.eta)
	for i := range d.y {
		d.e[i] = math.Exp(2.3 * rng.Float64())
		d.y[i] = expfam.Poisson{}.Rand(math.Exp(d.eta[i]), expfam.Given(d.e[i]), rng)
	}
	return d, nil
}

// estimate is a posterior of exp(η): its median and the ends of its 95% interval in every district.
type estimate struct{ median, low, high []float64 }

// ours makes 500 draws.
func (d *districts) ours() (estimate, error) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	obs, err := like.Observe(expfam.Data{Y: [][]float64{d.y}, Known: [][]float64{d.e}})
	if err != nil {
		return estimate{}, err
	}
	post, err := diffusion.Sample(gp.Unknown{Of: d.prior}, like, obs, diffusion.Sampler{Seed: 1, Fresh: true})
	if err != nil {
		return estimate{}, err
	}
	theta := post.Theta()
	low, high := theta.EqualTailed(0.95)
	return estimate{theta.Quantile(0.5), low, high}, nil
}

// byR runs a script of R, which reads areas.csv and edges.csv in its folder and writes the mean and the sd of η.
func byR(script, dir string) (estimate, error) {
	path, err := filepath.Abs(filepath.Join("peers", "r", script))
	if err != nil {
		return estimate{}, err
	}
	cmd := exec.Command("Rscript", path)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Run(); err != nil {
		return estimate{}, fmt.Errorf("%s: %w", script, err)
	}
	rows, err := readNumbers(filepath.Join(dir, "eta.csv"))
	if err != nil {
		return estimate{}, err
	}
	var e estimate
	for _, row := range rows {
		e.median = append(e.median, math.Exp(row[0]))
		e.low, e.high = append(e.low, math.Exp(row[0]-1.96*row[1])), append(e.high, math.Exp(row[0]+1.96*row[1]))
	}
	return e, nil
}

// readNumbers reads the rows of a file of numbers below a header.
func readNumbers(path string) (rows [][]float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, fmt.Errorf("%s: %d lines (%w)", path, len(records), err)
	}
	for _, record := range records[1:] {
		var row []float64
		for _, text := range record {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// write writes the districts for R.
func (d *districts) write(dir string) error {
	areas, edges := "y,e\n", "i,j\n"
	for i, y := range d.y {
		areas += fmt.Sprintf("%g,%.17g\n", y, d.e[i])
	}
	for _, p := range d.pairs {
		edges += fmt.Sprintf("%d,%d\n", p[0]+1, p[1]+1)
	}
	if err := os.WriteFile(filepath.Join(dir, "areas.csv"), []byte(areas), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "edges.csv"), []byte(edges), 0o644)
}

// score returns the mean absolute error and the share of districts whose interval has the truth.
func (d *districts) score(e estimate) (off, inside float64) {
	errors, in := make([]float64, len(d.eta)), make([]float64, len(d.eta))
	for i, eta := range d.eta {
		theta := math.Exp(eta)
		errors[i] = math.Abs(e.median[i] - theta)
		if e.low[i] <= theta && theta <= e.high[i] {
			in[i] = 1
		}
	}
	return stat.Mean(errors, nil), stat.Mean(in, nil)
}

// processor returns the seconds of processors that this process and its children have taken.
func processor() (seconds float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err != nil {
			log.Fatal(err)
		}
		seconds += time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
	}
	return seconds
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	dir, err := os.MkdirTemp("", "peers-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	fmt.Println("| districts | program | processor, s | waiting, s | error of the rate | 95% intervals hold |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, arg := range flag.Args() {
		n, err := strconv.Atoi(arg)
		if err != nil {
			log.Fatal(err)
		}
		d, err := simulate(n, int(math.Sqrt(float64(n))), 1)
		if err == nil {
			err = d.write(dir)
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, by := range []struct {
			name string
			make func() (estimate, error)
		}{
			{"expfam, 500 draws", d.ours},
			{"TMB, Laplace", func() (estimate, error) { return byR("tmb.R", dir) }},
			{"mgcv, mrf of rank 300, REML", func() (estimate, error) { return byR("mgcv.R", dir) }},
		} {
			began, used := time.Now(), processor()
			e, err := by.make()
			if err != nil {
				log.Print(err)
				continue
			}
			waited, used := time.Since(began).Seconds(), processor()-used
			off, inside := d.score(e)
			fmt.Printf("| %d | %s | %.2f | %.2f | %.4f | %.3f |\n", n, by.name, used, waited, off, inside)
		}
	}
}
