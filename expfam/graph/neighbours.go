package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/land"
)

// Neighbours is an undirected graph of areas. Do not change its fields after the first use.
type Neighbours struct {
	// Names are the names or codes of the areas, as text. Default: their numbers.
	Names []string
	// Of has the neighbours of each area, as numbers of areas in ascending order.
	Of [][]int
	// Regions are the areas with their outlines, from which maps are drawn. [Borders] and [Neighbours.On] set them.
	// Nil: the graph has no map.
	Regions []land.Region

	once sync.Once
	made structure

	scaled, tabulated sync.Once
	scales            scales
}

// Len returns the number of areas.
func (n *Neighbours) Len() int { return len(n.Of) }

// Name returns the name of an area, or its number.
func (n *Neighbours) Name(i int) string {
	if i < len(n.Names) {
		return n.Names[i]
	}
	return fmt.Sprint(i)
}

// Check refuses neighbours that are not mutual, areas that are their own neighbours, neighbours that stand twice, and
// names that stand twice.
func (n *Neighbours) Check() error {
	if n == nil || len(n.Of) == 0 {
		return errors.New("graph: there are no areas; give Neighbours, as Borders, ReadGAL and Edges make them")
	}
	if n.Names != nil && len(n.Names) != len(n.Of) {
		return fmt.Errorf("graph: %d Names of %d areas; give one for each area, or none", len(n.Names), len(n.Of))
	}
	if err := distinct("areas", n.Names); err != nil {
		return err
	}
	for i, of := range n.Of {
		for k, j := range of {
			switch {
			case j < 0 || j >= len(n.Of):
				return fmt.Errorf("graph: area %s has the neighbour %d; areas have the numbers 0 to %d", n.Name(i), j,
					len(n.Of)-1)
			case j == i:
				return fmt.Errorf("graph: area %s is its own neighbour; leave that out", n.Name(i))
			case k > 0 && of[k-1] == j:
				return fmt.Errorf("graph: area %s has the neighbour %s twice; leave one out", n.Name(i), n.Name(j))
			case k > 0 && of[k-1] > j:
				return fmt.Errorf("graph: the neighbours of area %s are not in ascending order; sort them", n.Name(i))
			}
			if _, mutual := slices.BinarySearch(n.Of[j], i); !mutual {
				return fmt.Errorf("graph: area %s has the neighbour %s, which does not have %s; add one of the two, "+
					"or leave the other out", n.Name(i), n.Name(j), n.Name(i))
			}
		}
	}
	return nil
}

// distinct refuses names that stand twice.
func distinct(what string, names []string) error {
	first := map[string]int{}
	for i, name := range names {
		if at, twice := first[name]; twice {
			return fmt.Errorf("graph: %s %d and %d both have the name %q; give each its own", what, at, i,
				name)
		}
		first[name] = i
	}
	return nil
}

// checked returns the neighbours with their lists sorted, if they pass Check.
func (n *Neighbours) checked() (*Neighbours, error) {
	for _, of := range n.Of {
		slices.Sort(of)
	}
	return n, n.Check()
}

// In returns the same graph with the areas in the order of names, such as the rows of a table. Every area must stand
// there once. A name that is not found is an error with the nearest names.
func (n *Neighbours) In(names []string) (*Neighbours, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	if err := distinct("areas", names); err != nil {
		return nil, err
	}
	own := make([]string, n.Len())
	place := map[string]int{}
	for i := range own {
		own[i] = n.Name(i)
		place[own[i]] = i
	}
	now := make([]int, n.Len()) // the new number of an area
	for i := range now {
		now[i] = -1
	}
	for k, name := range names {
		i, found := place[name]
		if !found {
			return nil, fmt.Errorf("graph: row %d is %q, which is no area of the graph; the nearest names are %s", k,
				name, nearest.List(name, own, 3))
		}
		now[i] = k
	}
	if i := slices.Index(now, -1); i >= 0 {
		return nil, fmt.Errorf("graph: area %s of the graph is in none of the %d rows; the nearest names there are %s",
			own[i], len(names), nearest.List(own[i], names, 3))
	}
	out := &Neighbours{Names: slices.Clone(names), Of: make([][]int, len(names))}
	for i, of := range n.Of {
		for _, j := range of {
			out.Of[now[i]] = append(out.Of[now[i]], now[j])
		}
	}
	if len(n.Regions) == n.Len() {
		out.Regions = make([]land.Region, n.Len())
		for i, r := range n.Regions {
			out.Regions[now[i]] = r
		}
	}
	return out.checked()
}

// Pairs returns the number of pairs of neighbours.
func (n *Neighbours) Pairs() (pairs int) {
	for _, of := range n.Of {
		pairs += len(of)
	}
	return pairs / 2
}

// String tells the size of the graph and names its islands, with a digest of the names and pairs.
func (n *Neighbours) String() string {
	if n == nil {
		return "no areas"
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q", n.Names)
	for _, of := range n.Of {
		binary.Write(hash, binary.LittleEndian, int64(len(of)))
		for _, j := range of {
			binary.Write(hash, binary.LittleEndian, int64(j))
		}
	}
	text := fmt.Sprintf("%d areas, %d pairs", n.Len(), n.Pairs())
	if c := len(n.Components()); c > 1 {
		text += fmt.Sprintf(", %d components", c)
	}
	if islands := n.Islands(); len(islands) > 0 {
		text += fmt.Sprintf(", islands %s", n.list(islands))
	}
	return fmt.Sprintf("%s (%x)", text, hash.Sum(nil)[:6])
}

// list names up to five areas.
func (n *Neighbours) list(areas []int) string {
	var names []string
	for k, i := range areas {
		if k == 5 {
			names = append(names, fmt.Sprintf("%d more", len(areas)-k))
			break
		}
		names = append(names, n.Name(i))
	}
	return strings.Join(names, ", ")
}

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
