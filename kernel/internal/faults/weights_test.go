package faults

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// sealed are the files with a checksum: networks, inference networks, posteriors.
func sealed(t *testing.T) []format {
	dir := t.TempDir()
	training := learn.Training{Net: small, Steps: 2, Batch: 8, Engine: pure, Fresh: true}
	prior := must.Get(learn.Train(few, training))(t)
	inference := must.Get(learn.TrainInference(few, poisson, training))(t)
	post := must.Get(diffusion.Sample(few, poisson, data, diffusion.Sampler{Draws: 5, Method: short, Engine: pure,
		Fresh: true}))(t)
	written := func(name string, save func(path string) error) []byte {
		return bytesOf(t, filepath.Join(dir, name), save)
	}
	load := func(read func(path string) (string, error)) func(path string) (string, error) {
		return func(path string) (string, error) {
			content, err := read(path)
			if err != nil {
				return "", refused(err)
			}
			return content, nil
		}
	}
	return []format{
		{name: "network", sealed: true, ending: ".safetensors", bytes: 128 << 20,
			files: [][]byte{written("prior", prior.Save)}, read: load(func(path string) (string, error) {
				p, err := learn.Load(path, small)
				if err != nil {
					return "", err
				}
				return fmt.Sprint(p, p.Scale, p.Coupling(0.3)), nil
			})},
		{name: "inference network", sealed: true, ending: ".safetensors", bytes: 128 << 20,
			files: [][]byte{written("inference", inference.Save)}, read: load(func(path string) (string, error) {
				n, err := learn.LoadInference(path, poisson, small)
				if err != nil {
					return "", err
				}
				return fmt.Sprint(n, n.Scale), nil
			})},
		{name: "posterior", sealed: true, ending: ".safetensors", bytes: 128 << 20,
			files: [][]byte{written("posterior", post.Save)}, read: load(func(path string) (string, error) {
				p, err := expfam.LoadPosterior(path, poisson)
				if err != nil {
					return "", err
				}
				return fmt.Sprint(p.X.RawMatrix().Data, p.Info), nil
			})},
	}
}

func TestWeights(t *testing.T) {
	a := newArea("networks and posteriors")
	for _, f := range sealed(t) {
		testFormat(t, a, f, cases(60, 3000))
	}
}

// Files that were forged have a right checksum and impossible numbers.
func TestForgeries(t *testing.T) {
	a := newArea("forged numbers")
	dir := t.TempDir()
	for _, f := range sealed(t) {
		path := filepath.Join(dir, "valid"+f.ending)
		must.Do(t, os.WriteFile(path, f.files[0], 0o600))
		for range cases(20, 500) {
			file := must.Get(store.Read(path))(t)
			k := a.rng.IntN(len(file.Tensors))
			for slices.Contains(file.Tensors[k].Shape, 0) { // of an inference network, the coupling
				k = (k + 1) % len(file.Tensors)
			}
			tensor, value := &file.Tensors[k], pick(a.rng, math.NaN(), math.Inf(1), math.Inf(-1))
			at := 0
			what := fmt.Sprintf("%g", value)
			switch values := tensor.Data.(type) {
			case []float32:
				at = a.rng.IntN(len(values))
				values[at] = float32(value)
			case []float64:
				at = a.rng.IntN(len(values))
				values[at] = value
			}
			if a.rng.IntN(4) == 0 && tensor.Name != "report" { // which files of earlier versions lack
				file.Tensors = append(file.Tensors[:k:k], file.Tensors[k+1:]...)
				what = "no tensor"
			}
			forged := filepath.Join(dir, "forged"+f.ending)
			must.Do(t, store.Write(forged, file))
			name := strings.Clone(tensor.Name)
			a.try(t, fmt.Sprintf("%s with %s in %s[%d]", f.name, what, name, at), func() error {
				_, err := f.read(forged)
				if err == nil {
					return wrong("it is read")
				}
				return err
			})
		}
	}
}
