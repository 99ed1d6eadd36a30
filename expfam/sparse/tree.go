package sparse

// rowsOf returns, for every row of the permuted matrix, the columns left of the diagonal in which it has entries.
func rowsOf(a *Symmetric, place []int) [][]int32 {
	of := make([][]int32, a.N)
	degree := make([]int, a.N)
	visit := func(f func(i, j int)) {
		for j := range a.N {
			for _, i := range a.Row[a.Start[j]+1 : a.Start[j+1]] {
				f(max(place[i], place[j]), min(place[i], place[j]))
			}
		}
	}
	visit(func(i, _ int) { degree[i]++ })
	all := make([]int32, 0, len(a.Row)-a.N)
	for i, d := range degree {
		of[i] = all[len(all) : len(all) : len(all)+d]
		all = all[:len(all)+d]
	}
	visit(func(i, j int) { of[i] = append(of[i], int32(j)) })
	return of
}

// eliminationTree returns the parent of every column: the row of the first entry of L below its diagonal, or −1 (Liu
// 1990, SIAM J. Matrix Anal. Appl. 11).
func eliminationTree(rows [][]int32) []int {
	parent, ancestor := make([]int, len(rows)), make([]int, len(rows))
	for i, row := range rows {
		parent[i], ancestor[i] = -1, -1
		for _, c := range row {
			for j := int(c); j != i; {
				next := ancestor[j]
				ancestor[j] = i
				if next < 0 {
					parent[j] = i
					break
				}
				j = next
			}
		}
	}
	return parent
}

// postorder returns the columns of a tree with all descendants of a column directly before it.
func postorder(parent []int) []int {
	n := len(parent)
	child, sibling := make([]int, n+1), make([]int, n)
	for j := range child {
		child[j] = -1
	}
	for j := n - 1; j >= 0; j-- {
		p := parent[j]
		if p < 0 {
			p = n
		}
		sibling[j], child[p] = child[p], j
	}
	order := make([]int, 0, n)
	for stack := []int{n}; len(stack) > 0; {
		top := stack[len(stack)-1]
		if c := child[top]; c >= 0 {
			child[top] = sibling[c]
			stack = append(stack, c)
			continue
		}
		stack = stack[:len(stack)-1]
		if top < n {
			order = append(order, top)
		}
	}
	return order
}

// counts returns the number of entries of every column of L, the diagonal included. Row i of L has the columns on the
// paths of the tree from the entries of row i of A to i.
func counts(rows [][]int32, parent []int) []int {
	count, mark := make([]int, len(rows)), make([]int, len(rows))
	for i, row := range rows {
		count[i], mark[i] = 1, i
		for _, c := range row {
			for j := int(c); mark[j] != i; j = parent[j] {
				mark[j] = i
				count[j]++
			}
		}
	}
	return count
}
