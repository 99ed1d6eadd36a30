// Package byhand holds the figures of the lesson "Diffusion by hand", and the parts of it that are too long for a cell:
// one unknown number whose prior is a mixture of normal densities ([Number]), a small network that learns to remove
// noise ([Network]), the slope of an evidence ([Number.Bend]), and cells that are alike ([Alike]). Everything is plain
// Go, so the figures follow a slider in milliseconds, also in a page.
package byhand

import "github.com/expfam/lab/expfam/level"

// schedule is the diffusion of the paper: β from 0.001 to 20.
var schedule level.VP

// Slope is a function of x_t and t: a score, or a part of one.
type Slope func(x, t float64) float64
