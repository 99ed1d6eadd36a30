package sparse

import "slices"

// Symmetric is a sparse symmetric matrix of n rows. The rows of the lower triangle of column j are
// Row[Start[j]:Start[j+1]], ascending, with the diagonal first. Value has an entry for each of them.
type Symmetric struct {
	N     int
	Start []int
	Row   []int
	Value []float64
}

// New returns the matrix of zeros whose pattern has the diagonal and the given pairs of a row and a column, in either
// order. Pairs may stand several times.
func New(n int, pairs [][2]int) *Symmetric {
	count := make([]int, n+1)
	for _, p := range pairs {
		count[min(p[0], p[1])+1]++
	}
	for j := range n {
		count[j+1] += count[j]
	}
	rows, next := make([]int, len(pairs)), slices.Clone(count)
	for _, p := range pairs {
		j := min(p[0], p[1])
		rows[next[j]] = max(p[0], p[1])
		next[j]++
	}
	a := &Symmetric{N: n, Start: make([]int, 1, n+1), Row: make([]int, 0, n+len(pairs))}
	for j := range n {
		column := rows[count[j]:count[j+1]]
		slices.Sort(column)
		a.Row = append(a.Row, j)
		for _, i := range column {
			if i != a.Row[len(a.Row)-1] {
				a.Row = append(a.Row, i)
			}
		}
		a.Start = append(a.Start, len(a.Row))
	}
	a.Value = make([]float64, len(a.Row))
	return a
}

// Index returns the index of entry (i, j) in Value, and −1 if the pattern does not have it.
func (a *Symmetric) Index(i, j int) int {
	if i < j {
		i, j = j, i
	}
	k, found := slices.BinarySearch(a.Row[a.Start[j]:a.Start[j+1]], i)
	if !found {
		return -1
	}
	return a.Start[j] + k
}

// Mul writes A x to y for k columns x, which stand beside each other, and the given values of the pattern.
func (a *Symmetric) Mul(value, y, x []float64, k int) {
	clear(y)
	for j := range a.N {
		from, own := x[j*k:(j+1)*k], y[j*k:(j+1)*k]
		for e := a.Start[j]; e < a.Start[j+1]; e++ {
			v, i := value[e], a.Row[e]
			other := x[i*k:][:len(own)]
			if i == j {
				for c, w := range other {
					own[c] += v * w
				}
				continue
			}
			to := y[i*k:][:len(own)]
			for c, w := range from {
				to[c] += v * w
				own[c] += v * other[c]
			}
		}
	}
}

// adjacency returns the neighbours of every row: the rows of its entries off the diagonal.
func (a *Symmetric) adjacency() [][]int32 {
	degree := make([]int, a.N)
	for j := range a.N {
		for _, i := range a.Row[a.Start[j]+1 : a.Start[j+1]] {
			degree[i]++
			degree[j]++
		}
	}
	all, of := make([]int32, 0, 2*(len(a.Row)-a.N)), make([][]int32, a.N)
	for i, d := range degree {
		of[i] = all[len(all) : len(all) : len(all)+d]
		all = all[:len(all)+d]
	}
	for j := range a.N {
		for _, i := range a.Row[a.Start[j]+1 : a.Start[j+1]] {
			of[i], of[j] = append(of[i], int32(j)), append(of[j], int32(i))
		}
	}
	return of
}
