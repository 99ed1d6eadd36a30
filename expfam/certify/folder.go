package certify

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/zarr"
)

// readFolder reads a folder of ArviZ.
func readFolder(path string) (Draws, error) {
	const group = "sample_stats"
	x, err := zarr.ReadArray(path, group, "unconstrained_draw")
	var s, names zarr.Array
	if err == nil {
		s, err = zarr.ReadArray(path, group, "gradient")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Draws{}, fmt.Errorf("there are no arrays unconstrained_draw and gradient in Zarr 3 in the group %s; "+
			"sample with nutpie's store_unconstrained and store_gradient, or write a .npz as docs/certify.md says",
			group)
	}
	if err != nil {
		return Draws{}, err
	}
	names, err = zarr.ReadArray(path, group, "unconstrained_parameter")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Draws{}, err
	}
	texts, _ := names.Data.([]string)
	xs, ss := x.Floats(), s.Floats()
	if slices.ContainsFunc(xs, math.IsNaN) || slices.ContainsFunc(ss, math.IsNaN) {
		return Draws{}, errors.New("some draws or gradients are NaN, as are chunks that are not written yet; write " +
			"the folder to its end, or leave out draws that failed")
	}
	return together(array{x.Shape, xs}, array{s.Shape, ss}, texts)
}
