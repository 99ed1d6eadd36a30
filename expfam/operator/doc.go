// Package operator has linear maps H from the d cells of x₀ to n data. They are for
// likelihoods whose data depend on more than one cell:
//
//	η = H x₀ + offset,  θ_k = g⁻¹(η_k),
//
// [expfam.SumOf] turns such a map into sums of intensities: θ_k = Σⱼ H_kj g⁻¹(x₀ⱼ) + offset_k.
//
//   - [Convolution] is a blur, [Downsample] a coarser image;
//   - [Areas] are sums or means over areas that are given by labels of cells, and [Polygons]
//     are sums or means over districts with outlines;
//   - [Points] are values at places between the centres of cells;
//   - [Radon] is integrals along rays through a grid, as in tomography;
//   - [Select] looks at some cells, and [Fourier] at some frequencies of a line. [Sparse] and
//     [Dense] are given by any matrix;
//   - [Compose] applies one operator after another. [Stack] joins the data of operators on
//     the same cells. [Blocks] adds operators that each have their own cells, for example
//     for covariates ([Design]);
//   - [Scale] and [Offset] multiply and add numbers.
//
// An operator is a struct literal. Kinds that build a matrix are used by their address:
//
//	blur := &operator.Convolution{Rows: 64, Cols: 64, Kernel: operator.Gaussian{SD: 2}}
//	seen := operator.Compose{&operator.Downsample{Rows: 64, Cols: 64}, blur}
//
// The matrix is made once, at the first use, so do not change fields after that. Check says in one sentence what is
// wrong with an operator, such as an area without cells. Every other method of a wrong operator panics with that error.
//
// All kinds implement [expfam.RowOperator], and their gradients are exact. Cells of a grid
// are numbered row after row, as in package grid.
package operator
