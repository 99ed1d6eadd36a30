// Package grid has data on lattices: the geometry of a lattice, fields of one number per cell, points that are counted
// in cells, and the discrete Cox process of the paper's section 4.2.
//
//	truth, err := scenes.ReadPhoto("boat.png", 64, 64)
//	data, err := grid.Cox{Grid: truth.Grid, Replicates: 10}.Simulate(truth.Values)
//	post, err := diffusion.Sample(learned, data.Likelihood, data.Seen, diffusion.Sampler{})
//
// A field on a lattice is a vector, row after row ([Grid.Index]). Row 0 is the top row unless the Y axis says
// otherwise. Package raster reads and writes fields, and package scenes has priors that are made of images.
//
// Package expfam does not import this package.
package grid
