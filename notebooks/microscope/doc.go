// Package microscope computes and draws the figures of the lesson on the evidence trick. They show one cell with one
// observation ([Cell]), and cells that are alike ([Exchangeable]), both exactly and by approximations.
package microscope

import "github.com/expfam/lab/viz"

// Colours of the ways to the evidence, the same in every figure of the lesson.
var (
	Exact     = viz.Ink
	Conjugate = viz.OkabeIto[0]
	Delta     = viz.OkabeIto[1] // the likelihood at the mean, as in DPS
	Corrected = viz.OkabeIto[2]
	Tempered  = viz.OkabeIto[3]
	Marginal  = viz.OkabeIto[4] // evidence by quadrature
)
