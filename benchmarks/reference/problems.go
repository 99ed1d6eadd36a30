package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// problems are the posteriors of the set, with data that are simulated from the prior.
func problems() ([]*Problem, error) {
	line, square := lattice{1, 20}, lattice{5, 5}
	map24 := districts{4, 6, 1}
	weekly := districts{3, 3, 5}
	all := []*Problem{
		// lines
		{Name: "poisson-line", Family: "poisson", Place: line, Mean: 1, SD: 0.8, Length: 4},
		{Name: "gamma-line", Family: "gamma", Place: line, SD: 1, Length: 6},
		{Name: "binomial-line", Family: "binomial", Place: line, Mean: -1, SD: 1, Length: 4, Sizes: repeat(20, 10)},
		// lattices
		{Name: "poisson-lattice", Family: "poisson", Place: square, SD: 1, Length: 2},
		{Name: "bernoulli-lattice", Family: "binomial", Place: square, SD: 1.5, Length: 3},
		{Name: "negbinomial-lattice", Family: "negbinomial", Place: square, SD: 0.8, Length: 2},
		// districts of unequal people
		{Name: "poisson-districts", Family: "poisson", Place: map24, SD: 0.7, Sizes: unequal(24, 1, 30)},
		{Name: "binomial-districts", Family: "binomial", Place: map24, Mean: -1, SD: 0.9, Sizes: unequal(24, 2, 60)},
		// districts and weeks
		{Name: "poisson-weeks", Family: "poisson", Place: weekly, Mean: 0.5, SD: 0.8, Length: 3},
		{Name: "binomial-weeks", Family: "binomial", Place: weekly, Mean: -1, SD: 0.8, Length: 3, Sizes: repeat(45, 6)},
		{Name: "bernoulli-weeks", Family: "binomial", Place: weekly, SD: 1, Length: 3},
		// operators
		{Name: "poisson-blur", Family: "poisson", Place: line, Mean: 2, SD: 0.8, Length: 4, See: blur(20)},
		{Name: "binomial-blocks", Family: "binomial", Place: square, SD: 1.2, Length: 2, See: blocks(5),
			Sizes: repeat(16, 12)},
		{Name: "poisson-sums", Family: "poisson", Place: square, Mean: 0.5, SD: 0.8, Length: 2, See: rays(5),
			Sum: true},
		{Name: "normal-rays", Family: "normal", Place: square, SD: 1, Length: 2, See: rays(5)},
		// rare events
		{Name: "poisson-rare", Family: "poisson", Place: square, Mean: -2.5, SD: 1, Length: 2},
		{Name: "bernoulli-rare", Family: "binomial", Place: line, Mean: -3, SD: 1.2, Length: 4},
		{Name: "binomial-rare", Family: "binomial", Place: map24, Mean: -6, SD: 1, Sizes: unequal(24, 50, 1000)},
		// unknown numbers
		{Name: "poisson-unknown", Family: "poisson", Place: line, Mean: 1,
			Unknown: []Unknown{{"sd", 0.8, 0.5}, {"length", 4, 0.5}}},
		{Name: "binomial-unknown", Family: "binomial", Place: map24, Mean: -1, Sizes: unequal(24, 2, 60),
			Unknown: []Unknown{{"sd", 0.9, 0.7}}},
		{Name: "nb2-unknown", Family: "nb2", Place: square, Mean: 1.5, SD: 0.8, Length: 2,
			Unknown: []Unknown{{"dispersion", 0.3, 0.7}}},
		// hard: a funnel, volatilities, and counts that fix sums and nothing else
		{Name: "bernoulli-funnel", Family: "binomial", Place: line, Length: 4, Longer: 4,
			Unknown: []Unknown{{"sd", 1, 1}}},
		{Name: "variance-unknown", Family: "variance", Place: lattice{1, 30}, Mean: -1,
			Unknown: []Unknown{{"sd", 0.8, 0.7}, {"length", 8, 0.7}}},
		{Name: "poisson-totals", Family: "poisson", Place: line, Mean: 1, SD: 1, Length: 3, See: totals(20, 5),
			Sum: true, Sizes: repeat(4, 20), Longer: 20},
	}
	for i, p := range all {
		p.Seed = uint64(i + 1)
		if err := p.simulate(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return all, nil
}

// repeat returns n times a size.
func repeat(n int, size float64) []float64 {
	sizes := make([]float64, n)
	for i := range sizes {
		sizes[i] = size
	}
	return sizes
}

// unequal returns n whole numbers from least to most, equally far apart on a logarithmic scale, in mixed order.
func unequal(n int, least, most float64) []float64 {
	sizes := make([]float64, n)
	for i := range sizes {
		at := float64(7*i%n) / float64(n-1) // 7 and n have no common factor
		sizes[i] = math.Round(least * math.Pow(most/least, at))
	}
	return sizes
}

// blur returns the binomial blur of five cells, whose weights have the sum 1 at the ends too.
func blur(n int) *mat.Dense {
	h := mat.NewDense(n, n, nil)
	for i := range n {
		row, sum := h.RawRowView(i), 0.0
		for d, w := range []float64{1, 4, 6, 4, 1} {
			if j := i + d - 2; j >= 0 && j < n {
				row[j] = w
				sum += w
			}
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return h
}

// blocks returns the means of all 2×2 blocks of a square lattice.
func blocks(side int) *mat.Dense {
	n := side - 1
	h := mat.NewDense(n*n, side*side, nil)
	for k := range n * n {
		for d := range 4 {
			h.Set(k, (k/n+d/2)*side+k%n+d%2, 0.25)
		}
	}
	return h
}

// rays returns the sums along all rows and columns of a square lattice, and along its diagonals.
func rays(side int) *mat.Dense {
	h := mat.NewDense(2*side+2, side*side, nil)
	for i := range side {
		for j := range side {
			h.Set(i, i*side+j, 1)
			h.Set(side+i, j*side+i, 1)
		}
		h.Set(2*side, i*side+i, 1)
		h.Set(2*side+1, i*side+side-1-i, 1)
	}
	return h
}

// totals returns the sums of consecutive cells.
func totals(n, each int) *mat.Dense {
	h := mat.NewDense(n/each, n, nil)
	for j := range n {
		h.Set(j/each, j, 1)
	}
	return h
}
