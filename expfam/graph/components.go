package graph

import "slices"

// Components returns the connected components, each as the ascending numbers of its areas, in the order of their first
// areas. An area without neighbours is a component by itself.
func (n *Neighbours) Components() [][]int {
	seen := make([]bool, len(n.Of))
	var all [][]int
	for first := range n.Of {
		if seen[first] {
			continue
		}
		seen[first] = true
		part := []int{first}
		for k := 0; k < len(part); k++ {
			for _, j := range n.Of[part[k]] {
				if j >= 0 && j < len(seen) && !seen[j] {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		slices.Sort(part)
		all = append(all, part)
	}
	return all
}

// Islands returns the areas without neighbours.
func (n *Neighbours) Islands() (islands []int) {
	for i, of := range n.Of {
		if len(of) == 0 {
			islands = append(islands, i)
		}
	}
	return islands
}
