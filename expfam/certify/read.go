package certify

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/npy"
)

// Read reads draws from a file .npz of NumPy, as numpy.savez writes it, with the arrays
//
//	draws      (chains, draws, parameters), or (draws, parameters) if they are independent
//	gradients  the same shape: the gradient of the log posterior at each draw
//	names      (parameters): texts; without them the parameters are x[0], x[1], …
//
// or from a folder in Zarr 3 of ArviZ, with unconstrained_draw and gradient in the group sample_stats, as nutpie stores
// them on request.
func Read(path string) (Draws, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Draws{}, fmt.Errorf("certify: %w", err)
	}
	var d Draws
	if info.IsDir() {
		d, err = readFolder(path)
	} else {
		d, err = readArchive(path)
	}
	if err != nil {
		return Draws{}, fmt.Errorf("certify: %s: %w", path, err)
	}
	return d, nil
}

// readArchive reads a file .npz.
func readArchive(path string) (Draws, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return Draws{}, fmt.Errorf("it is no .npz (%w); write it by numpy.savez, or give a Zarr folder", err)
	}
	defer archive.Close()
	var draws, gradients array
	var names []string
	for _, f := range archive.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if name != "draws" && name != "gradients" && name != "names" {
			continue
		}
		data, err := member(f)
		if err != nil {
			return Draws{}, fmt.Errorf("%s: %w", name, err)
		}
		switch name {
		case "draws":
			draws.shape, draws.values, err = npy.Decode(data)
		case "gradients":
			gradients.shape, gradients.values, err = npy.Decode(data)
		default:
			names, err = npy.Texts(data)
		}
		if err != nil {
			return Draws{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return drawsOf(draws, gradients, names)
}

// member reads one array of the archive.
func member(f *zip.File) ([]byte, error) {
	const most = 1 << 33
	if f.UncompressedSize64 > most {
		return nil, fmt.Errorf("it has %d bytes, more than %d; keep every tenth draw", f.UncompressedSize64, most)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// array is numbers in C order.
type array struct {
	shape  []int
	values []float64
}

// drawsOf puts draws, gradients and names together.
func drawsOf(draws, gradients array, names []string) (Draws, error) {
	var d Draws
	switch {
	case draws.shape == nil || gradients.shape == nil:
		return d, fmt.Errorf("it has no arrays draws and gradients; docs/certify.md has the ten lines that write them")
	case len(draws.shape) != 2 && len(draws.shape) != 3:
		return d, fmt.Errorf("draws has the shape %v; it needs (chains, draws, parameters)", draws.shape)
	case fmt.Sprint(draws.shape) != fmt.Sprint(gradients.shape):
		return d, fmt.Errorf("draws has the shape %v and gradients %v; give the gradient of each draw", draws.shape,
			gradients.shape)
	}
	m := draws.shape[len(draws.shape)-1]
	if len(draws.shape) == 3 {
		d.Chains = draws.shape[0]
	}
	n := len(draws.values) / m
	d.X, d.S = mat.NewDense(n, m, draws.values), mat.NewDense(n, m, gradients.values)
	if d.Names = names; names == nil {
		for k := range m {
			d.Names = append(d.Names, fmt.Sprintf("x[%d]", k))
		}
	}
	return d, d.check()
}
