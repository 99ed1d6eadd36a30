package certify

import (
	"errors"

	"github.com/expfam/lab/expfam/internal/zarr"
)

// readFolder reads a folder of ArviZ.
func readFolder(path string) (Draws, error) {
	tree, err := zarr.Read(path)
	if err != nil {
		return Draws{}, err
	}
	g, ok := tree.Group("sample_stats")
	x, hasDraws := g.Array("unconstrained_draw")
	s, hasGradients := g.Array("gradient")
	if !ok || !hasDraws || !hasGradients {
		return Draws{}, errors.New("the group sample_stats has no unconstrained_draw and gradient; sample with " +
			"nutpie's store_unconstrained and store_gradient, or write a .npz as docs/certify.md says")
	}
	var names []string
	if a, ok := g.Array("unconstrained_parameter"); ok {
		names, _ = a.Data.([]string)
	}
	return drawsOf(array{x.Shape, x.Floats()}, array{s.Shape, s.Floats()}, names)
}
