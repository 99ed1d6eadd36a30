package expfam

// Observations are the data of d cells, reduced to what the likelihood needs:
// one [Term] a cell. A cell without data has the zero Term, and adds exactly
// 0 to the evidence and to its gradient.
type Observations []Term

// Data are raw observations, before a likelihood reduces them.
type Data struct {
	// Y[i][j] is replicate i of cell j, of any number of replicates.
	Y [][]float64
	// Known[i][j] is the known constant of Y[i][j] (σ, exposure, trials,
	// successes, shape, scale, mean); one row serves all replicates.
	// Default: the family's own constant.
	Known [][]float64
	// Missing[i][j] leaves Y[i][j] out; one row serves all replicates.
	// Default: nothing is missing.
	Missing [][]bool
}
