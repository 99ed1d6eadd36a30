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

// ReadDraws reads the draws of a file .npz, which need no gradients: [Draws.S] is nil, and the caller computes it.
func ReadDraws(path string) (Draws, error) {
	draws, _, names, err := arraysOf(path)
	var d Draws
	if err == nil {
		d, err = drawsOf(draws, names)
	}
	if err != nil {
		return Draws{}, fmt.Errorf("certify: %s: %w", path, err)
	}
	return d, nil
}

// readArchive reads a file .npz.
func readArchive(path string) (Draws, error) {
	draws, gradients, names, err := arraysOf(path)
	if err != nil {
		return Draws{}, err
	}
	return together(draws, gradients, names)
}

// arraysOf returns the arrays of a file .npz; those that it lacks have no shape.
func arraysOf(path string) (draws, gradients array, names []string, err error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return draws, gradients, nil, fmt.Errorf("it is no .npz (%w); write it by numpy.savez, or give a Zarr folder",
			err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if name != "draws" && name != "gradients" && name != "names" {
			continue
		}
		data, err := member(f)
		if err != nil {
			return draws, gradients, nil, fmt.Errorf("%s: %w", name, err)
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
			return draws, gradients, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return draws, gradients, names, nil
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

// together puts draws, gradients and names together.
func together(draws, gradients array, names []string) (Draws, error) {
	switch {
	case draws.shape == nil || gradients.shape == nil:
		return Draws{}, fmt.Errorf("it has no arrays draws and gradients; docs/certify.md has the ten lines that " +
			"write them")
	case fmt.Sprint(draws.shape) != fmt.Sprint(gradients.shape):
		return Draws{}, fmt.Errorf("draws has the shape %v and gradients %v; give the gradient of each draw",
			draws.shape, gradients.shape)
	}
	d, err := drawsOf(draws, names)
	if err != nil {
		return d, err
	}
	n, m := d.X.Dims()
	d.S = mat.NewDense(n, m, gradients.values)
	return d, d.check()
}

// drawsOf puts draws and names together.
func drawsOf(draws array, names []string) (Draws, error) {
	d := Draws{Names: names}
	if n := len(draws.shape); n != 2 && n != 3 {
		return d, fmt.Errorf("draws has the shape %v; it needs (chains, draws, parameters)", draws.shape)
	}
	m := draws.shape[len(draws.shape)-1]
	if len(draws.shape) == 3 {
		d.Chains = draws.shape[0]
	}
	d.X = mat.NewDense(len(draws.values)/m, m, draws.values)
	for k := range m {
		if names == nil {
			d.Names = append(d.Names, fmt.Sprintf("x[%d]", k))
		}
	}
	return d, nil
}
