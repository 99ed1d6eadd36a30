package main

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/certify"
)

const folder = "reference/data"

// answer is what a file NAME.json has: the problem for other languages, and the answer.
type answer struct {
	Name, Family  string
	Y, Sizes      []float64   // data, and exposures or trials
	H             [][]float64 // the rows of H; null: datum k is of cell k
	Sum           bool        // η is log H eˣ, not H x
	PriorMean, SD float64
	Covariance    [][]float64 // K; of unknown numbers at their medians
	Distance      [][]float64 // if the length is unknown: K = sd² exp(−Distance/length)
	Unknown       []Unknown
	Names         []string // of the columns of draws: the cells, and logarithms of the unknown numbers
	Means, SDs    []float64
	Draws         int             // that gave these; NAME.npz has 10,000 of them
	Certificate   *certify.Report // of the draws in NAME.npz
}

// describe returns what is known of a problem before its answer.
func (p *Problem) describe() *answer {
	a := &answer{Name: p.Name, Family: p.Family, Y: p.Y, Sizes: p.Sizes, Sum: p.Sum, PriorMean: p.Mean, SD: p.SD,
		Covariance: rows(p.Cov(nil)), Unknown: p.Unknown}
	if p.Sizes == nil {
		a.Sizes = repeat(p.data(), 1)
	}
	if p.See != nil {
		a.H = rows(p.See)
	}
	for i := range p.cells() {
		a.Names = append(a.Names, fmt.Sprintf("x[%d]", i))
	}
	for _, u := range p.Unknown {
		a.Names = append(a.Names, "log "+u.Name)
		switch u.Name {
		case "sd":
			a.SD = u.Median
		case "length":
			l := p.Place.(lattice)
			d := mat.NewDense(l.cells(), l.cells(), nil)
			d.Apply(func(i, j int, _ float64) float64 { return l.distance(i, j) }, d)
			a.Distance = rows(d)
		}
	}
	return a
}

func rows(m mat.Matrix) (all [][]float64) {
	n, _ := m.Dims()
	for i := range n {
		all = append(all, mat.Row(nil, i, m))
	}
	return all
}

// answered reads the answer of a problem.
func answered(name string) (*answer, error) {
	text, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err != nil {
		return nil, err
	}
	a := new(answer)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// store writes the files of a problem. Chains of post are one behind the other.
func (a *answer) store(p *Problem, x *mat.Dense, chains, kept int) error {
	n, m := x.Dims()
	a.Draws = n
	some := mat.NewDense(n/kept, m, nil)
	for i := range n / kept {
		for k, v := range x.RawRowView(i * kept) {
			some.Set(i, k, float64(short(v)))
		}
	}
	for k := range m {
		mean, sd := stat.MeanStdDev(mat.Col(nil, k, x), nil)
		a.Means, a.SDs = append(a.Means, mean), append(a.SDs, sd)
	}
	var err error
	if a.Certificate, err = certify.Check(certify.Draws{X: some, S: p.scores(some), Chains: chains, Names: a.Names},
		certify.Options{}); err != nil {
		return err
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, a.Name+".json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return write(filepath.Join(folder, a.Name+".npz"), some, chains)
}

// short rounds a number to 13 binary digits, an error of at most .00012 of it, which halves the files.
func short(v float64) float32 {
	const drop = 11 // of float32's 24
	bits := math.Float32bits(float32(v)) + 1<<(drop-1)
	return math.Float32frombits(bits &^ (1<<drop - 1))
}

// write writes draws as float32 in a file .npz with the array draws, (chains, draws, parameters), or (draws,
// parameters) of no chains.
func write(path string, x *mat.Dense, chains int) error {
	n, m := x.Dims()
	size := fmt.Sprintf("%d, %d", n, m)
	if chains > 0 {
		size = fmt.Sprintf("%d, %d, %d", chains, n/chains, m)
	}
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", size)
	const whole, before = 128, 10 // bytes of the header with what stands before it
	out := fmt.Appendf([]byte("\x93NUMPY\x01\x00"), "\x76\x00%-*s\n", whole-before-1, header)
	for i := range n {
		for _, v := range x.RawRowView(i) {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	member, err := archive.Create("draws.npy")
	if err != nil {
		return err
	}
	if _, err := member.Write(out); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return file.Close()
}

// score is how far draws are from an answer.
type score struct {
	mean, width float64 // root mean square error of the means in sd, mean ratio of standard deviations
	*certify.Report
}

// score compares draws with the answer of a problem.
func (a *answer) score(p *Problem, d certify.Draws) (s score, err error) {
	if _, m := d.X.Dims(); m != len(a.Means) {
		return s, fmt.Errorf("draws of %d parameters; the problem has %d: the cells, and logarithms of unknown "+
			"numbers", m, len(a.Means))
	}
	d.Names, d.S = a.Names, p.scores(d.X)
	for k := range a.Means {
		m, sd := stat.MeanStdDev(mat.Col(nil, k, d.X), nil)
		e := (m - a.Means[k]) / a.SDs[k]
		s.mean += e * e / float64(len(a.Means))
		s.width += sd / a.SDs[k] / float64(len(a.Means))
	}
	s.mean = math.Sqrt(s.mean)
	s.Report, err = certify.Check(d, certify.Options{})
	return s, err
}
