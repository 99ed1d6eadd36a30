package certify

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// mostJoint is the number of parameters beyond which scores count as uncorrelated, because the joint information takes
// the cube of their number.
const mostJoint = 800

// information is what the scores of some draws say of the posterior's shape: J = Cov(s) = D P D with the standard
// deviations D and the correlations P, which are shrunk. For a normal posterior J is the precision. Directions are
// whitened by J and not by the draws, because draws that are too wide would be whitened to the right width.
type information struct {
	centre []float64  // means of the draws
	sd     []float64  // D
	root   *mat.Dense // P^½; nil if P = I
	back   *mat.Dense // P^-½
	whole  *mat.Dense // P⁻¹
}

// informationOf returns the information of some draws, with P shrunk towards I as far as the noise of its entries asks
// (Schäfer and Strimmer 2005, Statistical Applications in Genetics 4, 32, target D).
func informationOf(x, s *mat.Dense) *information {
	n, m := s.Dims()
	info := &information{centre: make([]float64, m), sd: make([]float64, m)}
	unit := mat.NewDense(n, m, nil)
	for k := range m {
		info.centre[k] = stat.Mean(mat.Col(nil, k, x), nil)
		column := mat.Col(nil, k, s)
		mean, sd := stat.MeanStdDev(column, nil)
		info.sd[k] = math.Max(sd, math.SmallestNonzeroFloat64*0x1p60)
		for i, v := range column {
			unit.Set(i, k, (v-mean)/info.sd[k])
		}
	}
	if m == 1 || m > mostJoint {
		return info
	}
	p := mat.NewSymDense(m, nil)
	p.SymOuterK(1/float64(n-1), unit.T())
	var noise, squares float64
	for i := range m {
		for j := range i {
			r := p.At(i, j)
			noise += (1 - r*r) * (1 - r*r) / float64(n-1)
			squares += r * r
		}
	}
	shrink := 1.0
	if squares > 0 {
		shrink = math.Max(1e-6, math.Min(noise/squares, 1))
	}
	for i := range m {
		p.SetSym(i, i, 1)
		for j := range i {
			p.SetSym(i, j, (1-shrink)*p.At(i, j))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(p, true) {
		return info
	}
	values := eigen.Values(nil)
	var v mat.Dense
	eigen.VectorsTo(&v)
	power := func(exponent float64) *mat.Dense {
		var left, out mat.Dense
		left.Apply(func(_, k int, a float64) float64 {
			return a * math.Pow(math.Max(values[k], 1e-10*values[m-1]), exponent)
		}, &v)
		out.Mul(&left, v.T())
		return &out
	}
	info.root, info.back, info.whole = power(0.5), power(-0.5), power(-1)
	return info
}

// efficient returns the scores by each parameter alone in the parameter's standard deviations,
// (J⁻¹s)_k / √(J⁻¹)_kk: their variance is about 1, and moving the other parameters does not change them. It also
// returns 1/√(J⁻¹)_kk, which standardises the parameter.
func (f *information) efficient(s []float64) (scores, scale []float64) {
	m := len(s)
	scores, scale = make([]float64, m), make([]float64, m)
	unit := make([]float64, m)
	for k, v := range s {
		unit[k] = v / f.sd[k]
	}
	for k := range m {
		if f.whole == nil {
			scores[k], scale[k] = unit[k], f.sd[k]
			continue
		}
		var sum float64
		for j, v := range f.whole.RawRowView(k) {
			sum += v * unit[j]
		}
		c := math.Sqrt(f.whole.At(k, k))
		scores[k], scale[k] = sum/c, f.sd[k]/c
	}
	return scores, scale
}

// white returns z = P^½ D (x − x̄) and u = P^-½ D⁻¹ s of draws, for which E[u] = 0 and E[z uᵀ] = −I.
func (f *information) white(x, s *mat.Dense) (z, u *mat.Dense) {
	z, u = mat.DenseCopyOf(x), mat.DenseCopyOf(s)
	z.Apply(func(_, k int, v float64) float64 { return (v - f.centre[k]) * f.sd[k] }, z)
	u.Apply(func(_, k int, v float64) float64 { return v / f.sd[k] }, u)
	if f.root == nil {
		return z, u
	}
	var a, b mat.Dense
	a.Mul(z, f.root)
	b.Mul(u, f.back)
	return &a, &b
}

// weights returns what a direction v of z is of the standardised parameters, with length 1.
func (f *information) weights(v []float64) []float64 {
	out := v
	if f.root != nil {
		var a mat.VecDense
		a.MulVec(f.root, mat.NewVecDense(len(v), v))
		out = a.RawVector().Data
	}
	// In units of each parameter's own standard deviation, that a strongly correlated pair is not blown up.
	scaled := make([]float64, len(out))
	var norm float64
	for k, a := range out {
		if f.whole != nil {
			a *= math.Sqrt(f.whole.At(k, k))
		}
		scaled[k] = a
		norm = math.Hypot(norm, a)
	}
	for k := range scaled {
		scaled[k] /= norm
	}
	return scaled
}
