// Package operator has linear maps H from the d cells of x₀ to n data, for likelihoods whose
// data look at more than one cell:
//
//	η = H x₀ + offset,  θ_k = g⁻¹(η_k),
//
// or, as an [expfam.SumOf], sums of intensities θ_k = Σⱼ H_kj g⁻¹(x₀ⱼ) + offset_k.
//
//   - [Convolution] is a blur, [Downsample] a coarser image;
//   - [Areas] are sums and means over labels of cells, [Polygons] over districts with outlines;
//   - [Points] are places between the centres of cells;
//   - [Radon] has rays through a grid, as in tomography;
//   - [Select] looks at some cells, [Sparse] and [Dense] are any matrix;
//   - [Compose] is one operator after another, [Stack] several of the same cells, [Blocks]
//     several of cells of their own, as for covariates ([Design]);
//   - [Scale] and [Offset] multiply and add numbers.
//
// An operator is a literal, for kinds with a matrix the address of one:
//
//	blur := &operator.Convolution{Rows: 64, Cols: 64, Kernel: operator.Gaussian{SD: 2}}
//	seen := operator.Compose{&operator.Downsample{Rows: 64, Cols: 64}, blur}
//
// The matrix is made once, when it is first asked for: fields are not to be changed after
// that. Check says in one sentence what is wrong with an operator, such as rows that look at
// nothing, and every other method panics with that error.
//
// All kinds implement [expfam.RowOperator], and their gradients are exact. Numbers of cells
// on a grid count row after row, as in package grid.
package operator
