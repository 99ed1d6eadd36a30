// Command reference keeps posteriors whose answers are known by two samplers: Hamiltonian Monte Carlo of this library
// and nutpie's NUTS of the same model in PyMC (models.py; model.stan has it for Stan).
//
//	cd benchmarks && go run ./reference make                   # writes data/NAME.json and data/NAME.npy, in minutes
//	python reference/models.py reference/data /tmp/nutpie      # draws of nutpie
//	go run ./reference score /tmp/nutpie                       # any folder of draws: NAME.npy, (draws, cells)
//
// The score has for each problem the root mean square of the differences of the means and the ratio of standard
// deviations to the reference's, and the certificate of the draws, whose gradients it computes itself.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/raster"
)

const folder = "reference/data"

func main() {
	log.SetFlags(0)
	log.SetPrefix("reference: ")
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "make":
		err = makeAll()
	case len(os.Args) == 3 && os.Args[1] == "score":
		err = scoreAll(os.Args[2])
	default:
		log.Fatal("call it as `go run ./reference make` or `go run ./reference score FOLDER`")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// answer is what a file NAME.json has of a problem.
type answer struct {
	Problem
	Covariance []float64 // K, row by row
	PriorMean  float64
	Means, SDs []float64 // of the posterior, by all draws of the chains
	Draws      int       // of them; NAME.npy has every fifth
}

const (
	chains = 4
	each   = 5000
	kept   = 5 // every fifth draw is in the file
)

// makeAll draws from all problems.
func makeAll() error {
	for _, p := range problems() {
		like := p.likelihood()
		obs, err := like.Observe1(p.Y...)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		post, err := hmc.Sample(prior{&p}, like, obs,
			hmc.Options{Chains: chains, Draws: each, Seed: p.Seed, Fresh: true})
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		n, cells := post.Dims()
		a := answer{Problem: p, PriorMean: p.Mean, Draws: n}
		some := mat.NewDense(n/kept, cells, nil)
		for i := range n / kept {
			some.SetRow(i, post.X.RawRowView(i*kept))
		}
		for k := range cells {
			mean, sd := stat.MeanStdDev(mat.Col(nil, k, post.X), nil)
			a.Means, a.SDs = append(a.Means, mean), append(a.SDs, sd)
			a.Covariance = append(a.Covariance, mat.Row(nil, k, p.Cov())...)
		}
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, p.Name+".json"), append(text, '\n'), 0o644); err != nil {
			return err
		}
		if err := write(filepath.Join(folder, p.Name+".npy"), some); err != nil {
			return err
		}
		fmt.Println(p.Name)
	}
	return scoreAll(folder)
}

// write writes draws of chains, (chains, draws, cells), as float32 in NumPy's format 1.0.
func write(path string, x *mat.Dense) error {
	n, cells := x.Dims()
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }", chains, n/chains, cells)
	const whole, before = 128, 10 // bytes of the header with what stands before it
	out := fmt.Appendf([]byte("\x93NUMPY\x01\x00"), "\x76\x00%-*s\n", whole-before-1, header)
	for i := range n {
		for _, v := range x.RawRowView(i) {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		}
	}
	return os.WriteFile(path, out, 0o644)
}

// scoreAll compares a folder of draws with the answers.
func scoreAll(dir string) error {
	fmt.Printf("%-20s  error of means (sd)   sd over the reference's   certificate\n", "problem")
	for _, p := range problems() {
		text, err := os.ReadFile(filepath.Join(folder, p.Name+".json"))
		if err != nil {
			return err
		}
		var a answer
		if err := json.Unmarshal(text, &a); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		file, err := raster.ReadNPY(filepath.Join(dir, p.Name+".npy"))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		mean, width, r, err := a.score(file)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		fmt.Printf("%-20s  %.3f                 %.3f                     %s: location %.2f sd, width %.2f\n", p.Name,
			mean, width, r.Verdict, r.Location, r.MeanWidth)
	}
	return nil
}

// score returns the root mean square error of the means, in standard deviations, the mean ratio of standard deviations,
// and the certificate.
func (a answer) score(file raster.Array) (mean, width float64, r *certify.Report, err error) {
	cells := len(a.Means)
	if n := len(file.Shape); n < 2 || file.Shape[n-1] != cells {
		return 0, 0, nil, fmt.Errorf("draws of shape %v; give (draws, %d) or (chains, draws, %d)", file.Shape, cells,
			cells)
	}
	d := certify.Draws{X: mat.NewDense(len(file.Values)/cells, cells, file.Values)}
	if len(file.Shape) == 3 {
		d.Chains = file.Shape[0]
	}
	for k := range cells {
		m, sd := stat.MeanStdDev(mat.Col(nil, k, d.X), nil)
		e := (m - a.Means[k]) / a.SDs[k]
		mean += e * e / float64(cells)
		width += sd / a.SDs[k] / float64(cells)
		d.Names = append(d.Names, fmt.Sprintf("x[%d]", k))
	}
	d.S = a.scores(d.X)
	r, err = certify.Check(d, certify.Options{})
	return math.Sqrt(mean), width, r, err
}
