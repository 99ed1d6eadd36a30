package joint

import (
	"context"
	"slices"
	"sync"

	"github.com/expfam/lab/expfam/latent"
)

// mostModes is the largest number of numbers that modes of nodes may take.
const mostModes = 1 << 26

// modes has modes of a field with a sparse precision, at nodes of the parameters. Searches start at the mode of the
// nearest node. Modes that are found enter when [modes.settle] is called, so that a search does not depend on what
// other goroutines have found by then.
type modes struct {
	mu      sync.Mutex
	lattice *lattice
	at      map[[8]int][]float64
	found   map[[8]int][]float64
	size    int
	around  *expansion // takes the place of nodes, if it is there
}

// near returns the modes from the best of which the search at scores starts.
func (m *modes) near(t []float64) [][]float64 {
	if m.around != nil {
		return [][]float64{m.around.at(t), m.around.mode}
	}
	if mode := m.beside(t); mode != nil {
		return [][]float64{mode}
	}
	return nil
}

// beside returns the mode of a node near scores, or nil.
func (m *modes) beside(t []float64) []float64 {
	if m.lattice == nil {
		return m.at[[8]int{}]
	}
	z := m.lattice.nearest(t)
	if mode, ok := m.at[z]; ok {
		return mode
	}
	for k := range t {
		for _, s := range []int{-1, 1} {
			beside := z
			beside[k] += s
			if mode, ok := m.at[beside]; ok {
				return mode
			}
		}
	}
	return m.at[[8]int{}]
}

// add keeps the mode at scores, if they are a node.
func (m *modes) add(t, mode []float64) {
	if m.around != nil || m.lattice == nil {
		return // whichever goroutine is last would win
	}
	z := m.lattice.nearest(t)
	if !slices.Equal(m.lattice.node(z), t) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += len(mode); m.size < mostModes {
		if m.found == nil {
			m.found = map[[8]int][]float64{}
		}
		m.found[z] = mode
	}
}

// settle makes the modes that were found known to searches.
func (m *modes) settle() {
	if m == nil {
		return
	}
	if m.at == nil {
		m.at = map[[8]int][]float64{}
	}
	for z, mode := range m.found {
		m.at[z] = mode
	}
	clear(m.found)
}

// on changes to the nodes of a lattice, whose centre has the given mode.
func (m *modes) on(l *lattice, centre []float64) {
	m.lattice, m.at, m.found = l, map[[8]int][]float64{{}: centre}, nil
}

// mode returns Laplace's approximation of the field at scores.
func (m *model) mode(t []float64) (*latent.Around, error) {
	values := m.values(t)
	data, err := m.tuner(values[m.own:])
	if err != nil {
		return nil, err
	}
	a, err := m.sparse.Mode(context.Background(), values[:m.own], data, m.modes.near(t)...)
	if err == nil {
		m.modes.add(t, a.Mode)
	}
	return a, err
}

// about returns coordinates in which the field at scores is near N(0, I).
func (m *model) about(t []float64) (target, error) {
	values := m.values(t)
	data, err := m.tuner(values[m.own:])
	if err != nil {
		return nil, err
	}
	a, err := m.sparse.About(values[:m.own], data, m.modes.near(t)...)
	if err != nil {
		return nil, err
	}
	return a, a.Whiten()
}
