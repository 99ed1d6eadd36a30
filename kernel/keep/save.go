package keep

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
)

// written is a block as an encoder wrote it.
type written struct {
	*block
	data []byte
	from []uint64 // the set of roots that lead to it, as bits
}

// save writes what the roots lead to, and then the manifest.
func (m *Memory) save() error {
	if m.failed != nil {
		return m.failed
	}
	w := m.newWalk()
	for _, r := range m.roots {
		w.from(region{r.p, r.of, 1})
	}
	others := m.others()
	for _, b := range m.loaded {
		if len(others[b.number]) > 0 {
			w.pin(b)
		}
	}
	g := w.join()
	e := &encoder{graph: g, edges: make([][]int, len(g.all)), needs: make([][]int, len(g.all)),
		names: map[int][]string{}}
	all := make([]written, len(g.all))
	for i, b := range g.all {
		start := len(e.out)
		if err := e.block(b); err != nil && b.bad == "" {
			b.bad = err.Error()
		}
		all[i] = written{block: b, data: slices.Clip(e.out[start:])}
	}
	keys := m.reach(e, all, others)
	for {
		lost := m.lost(all, keys)
		groups := m.group(e, all, keys, lost)
		if m.verify(e, groups) {
			for _, of := range slices.Sorted(maps.Keys(w.texts)) {
				fmt.Fprintf(os.Stderr, "of an error of the type %s, other cells have only the text\n", of)
			}
			m.alone(groups)
			return m.finish(g, lost, groups)
		}
	}
}

// others returns the keys of the variables that this program does not mention and that may lead to loaded blocks, by
// the numbers of the blocks.
func (m *Memory) others() map[uint64][]string {
	mine := map[string]bool{}
	for _, r := range m.roots {
		mine[r.key] = true
	}
	of := map[uint64][]string{}
	for g := range m.groups {
		keys := slices.DeleteFunc(slices.Clone(g.Roots), func(key string) bool { return mine[key] })
		if len(keys) > 0 {
			for _, number := range g.numbers {
				of[number] = keys
			}
		}
	}
	return of
}

// reach finds the roots that lead to each block, and returns the keys of all roots, of which the first are those of
// this program. Nothing is known of the memory between another variable and the blocks that were loaded, so all of
// these are taken to be reached.
func (m *Memory) reach(e *encoder, all []written, others map[uint64][]string) (keys []string) {
	starts := map[string][]int{}
	for _, r := range m.roots {
		keys = append(keys, r.key)
		if b := within(e.blocks, r.p); b != nil {
			starts[r.key] = []int{e.places[b]}
		}
	}
	more := map[string]bool{}
	for i, b := range all {
		for _, key := range others[b.number] {
			starts[key] = append(starts[key], i)
			more[key] = true
		}
	}
	keys = append(keys, slices.Sorted(maps.Keys(more))...)
	words := (len(keys) + 63) / 64
	bits := make([]uint64, words*len(all))
	for i := range all {
		all[i].from = bits[words*i : words*(i+1)]
	}
	for k, key := range keys {
		queue := slices.Clone(starts[key])
		for len(queue) > 0 {
			i := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			if word := &all[i].from[k/64]; *word>>(k%64)&1 == 0 {
				*word |= 1 << (k % 64)
				queue = append(queue, e.edges[i]...)
			}
		}
	}
	return keys
}

// lost returns the roots that lead to what cannot be kept, each with the reason.
func (m *Memory) lost(all []written, keys []string) map[string]string {
	lost := map[string]string{}
	for _, b := range all {
		for k, key := range keys {
			if b.bad != "" && b.from[k/64]>>(k%64)&1 == 1 && lost[key] == "" {
				lost[key] = b.bad
			}
		}
	}
	return lost
}

// grouped is a group with its file's content.
type grouped struct {
	*Group
	name   string
	data   []byte
	blocks []written
}

// group puts the blocks that are reached from the same roots together.
func (m *Memory) group(e *encoder, all []written, keys []string, lost map[string]string) (groups []*grouped) {
	sets := map[string]*grouped{}
	for _, b := range all {
		var set strings.Builder
		for k, key := range keys {
			if lost[key] == "" && b.from[k/64]>>(k%64)&1 == 1 {
				set.WriteString(key + " ")
			}
		}
		if set.Len() == 0 {
			continue
		}
		g := sets[set.String()]
		if g == nil {
			g = &grouped{Group: &Group{Roots: strings.Fields(set.String()), Layouts: map[string]layout{}}}
			sets[set.String()] = g
			groups = append(groups, g)
		}
		g.blocks = append(g.blocks, b)
	}
	for _, g := range groups {
		slices.SortFunc(g.blocks, func(a, b written) int { return int(int64(a.number) - int64(b.number)) })
		types, codes, seen := map[string]bool{}, map[string]bool{}, map[reflect.Type]bool{}
		for _, b := range g.blocks {
			g.data = binary.AppendUvarint(g.data, uint64(len(b.data)))
			g.data = append(g.data, b.data...)
			g.numbers = append(g.numbers, b.number)
			for _, t := range e.needs[e.places[b.block]] {
				types[m.manifest.Names[t]] = true
			}
			for _, name := range e.names[e.places[b.block]] {
				codes[name] = true
			}
			layouts(b.of.of, g.Layouts, seen)
			if b.name != "" {
				g.Shared = append(g.Shared, b.name)
			}
			if b.large != "" {
				g.Large = append(g.Large, b.large)
				g.Bytes += int(b.size())
			}
		}
		for name := range types {
			if t := m.types[name]; t != nil {
				layouts(t, g.Layouts, seen)
			}
		}
		g.Types, g.Codes = slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(codes))
		g.name, g.Bytes = hash(g.data), g.Bytes+len(g.data)
	}
	return groups
}

// finish writes the groups that are new, and the manifest.
func (m *Memory) finish(of *graph, lost map[string]string, groups []*grouped) error {
	index := m.manifest
	for name, g := range index.Groups {
		if m.groups[g] {
			delete(index.Groups, name)
		}
	}
	for _, g := range groups {
		if !m.has(g.name) {
			if err := put(m.folder, g.name, g.data); err != nil {
				return fmt.Errorf("%w; free some of the disk of the folder for temporary files", err)
			}
			for _, key := range g.Roots {
				// changed through another variable, unless it is written below
				if is := index.Roots[key]; is.Block > 0 {
					is.Words = "…"
					index.Roots[key] = is
				}
			}
		}
		index.Groups[g.name] = g.Group
	}
	for key, why := range lost {
		is := index.Roots[key]
		index.Roots[key] = Root{Type: is.Type, Why: why}
		for name, g := range index.Groups {
			g.Roots = slices.DeleteFunc(g.Roots, func(of string) bool { return of == key })
			if len(g.Roots) == 0 {
				delete(index.Groups, name)
			}
		}
	}
	index.Program = m.program
	for _, r := range m.roots {
		is := Root{Type: reference(r.of.of), Why: lost[r.key]}
		if is.Why == "" {
			is.Block = math.MaxUint64 // a value without size has no block
			if b := within(of.blocks, r.p); b != nil {
				is.Block = b.number
			}
			for _, g := range groups {
				if slices.Contains(g.Roots, r.key) {
					is.Bytes += g.Bytes
				}
			}
			is.Words = words(reflect.NewAt(r.of.of, r.p).Elem())
		}
		index.Roots[r.key] = is
	}
	return index.write(m.folder)
}
