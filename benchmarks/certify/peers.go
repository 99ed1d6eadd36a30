package certify

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// discrepancy returns the probability that exact draws have as large a kernelised Stein discrepancy, with the inverse
// multiquadric kernel (1 + |x−y|²/h²)^-½ of standardised draws, h² being their median, and a wild bootstrap for
// independent draws (Chwialkowski et al. 2016; Gorham and Mackey 2017).
func discrepancy(rng *rand.Rand, x, s *mat.Dense, bootstraps int) float64 {
	n, d := x.Dims()
	z, u := mat.DenseCopyOf(x), mat.DenseCopyOf(s)
	for k := range d {
		mean, sd := stat.MeanStdDev(mat.Col(nil, k, x), nil)
		for i := range n {
			z.Set(i, k, (z.At(i, k)-mean)/sd)
			u.Set(i, k, u.At(i, k)*sd)
		}
	}
	h := float64(2 * d)
	stein := make([][]float64, n)
	for i := range stein {
		stein[i] = make([]float64, n)
	}
	var observed float64
	for i := range n {
		for j := range i + 1 {
			var r, ss, sx float64
			a, b, p, q := z.RawRowView(i), z.RawRowView(j), u.RawRowView(i), u.RawRowView(j)
			for k := range d {
				e := a[k] - b[k]
				r += e * e
				ss += p[k] * q[k]
				sx += (p[k] - q[k]) * e
			}
			g := 1 + r/h
			root := 1 / math.Sqrt(g)
			v := ss*root + sx*root/(g*h) + float64(d)*root/(g*h) - 3*r*root/(g*g*h*h)
			stein[i][j], stein[j][i] = v, v
			observed += v
			if i != j {
				observed += v
			}
		}
	}
	larger := 1
	sign := make([]float64, n)
	for range bootstraps {
		for i := range sign {
			sign[i] = float64(2*rng.IntN(2) - 1)
		}
		var sum float64
		for i, row := range stein {
			var part float64
			for j, v := range row {
				part += v * sign[j]
			}
			sum += part * sign[i]
		}
		if sum >= observed {
			larger++
		}
	}
	return float64(larger) / float64(bootstraps+1)
}

// largestRHat is the largest R-hat of a parameter over the halves of chains.
func largestRHat(x *mat.Dense, chains int) float64 {
	n, d := x.Dims()
	pieces := 2 * chains
	length := n / pieces
	var largest float64
	for k := range d {
		values := mat.Col(nil, k, x)
		var within float64
		means := make([]float64, pieces)
		for c := range means {
			mean, variance := stat.MeanVariance(values[c*length:(c+1)*length], nil)
			means[c] = mean
			within += variance / float64(pieces)
		}
		plus := within*float64(length-1)/float64(length) + stat.Variance(means, nil)
		largest = math.Max(largest, math.Sqrt(plus/within))
	}
	return largest
}
