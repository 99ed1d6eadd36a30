// Package sparse has sparse symmetric matrices and their Cholesky factors.
//
//	a := sparse.New(n, pairs)                       // the pattern; values are set by a.Value
//	s := sparse.Analyse(a, sparse.MinimumDegree(a)) // once for a pattern
//	f := s.Factor()
//	err := f.Refactor(a.Value)                      // again and again, without allocation
//	f.Solve(x, work, 1)                             // x becomes A⁻¹x
//
// A factor has L with P A Pᵀ = L Lᵀ, for a permutation P that keeps L sparse, such as that of [MinimumDegree]. L is
// computed in supernodes, which are groups of columns with the same rows, by the multifrontal method (Duff & Reid 1983,
// ACM TOMS 9; Liu 1992, SIAM Review 34). [Factor.Inverse] computes the entries of A⁻¹ in the pattern of A, without the
// others (Takahashi, Fagan & Chen 1973).
//
// # Reading order
//
// symmetric.go, degree.go, tree.go, supernodes.go, symbolic.go, factor.go, solve.go, inverse.go.
package sparse
