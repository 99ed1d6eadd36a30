package keep

import (
	"cmp"
	"slices"
	"unsafe"
)

// graph is the memory that variables lead to, as blocks.
type graph struct {
	*walk
	blocks []*block                  // by address
	maps   map[unsafe.Pointer]*block // maps by their addresses
	all    []*block                  // both
	places map[*block]int            // places in all
}

const errViews = "it holds two views of one piece of memory that do not fit"

// join makes blocks of the regions that were reached. Regions that overlap are one block: the largest one stands for
// those inside of it, and windows of one array become the array of all their elements.
func (w *walk) join() *graph {
	g := &graph{walk: w, maps: w.maps, places: map[*block]int{}}
	slices.SortFunc(w.regions, func(a, b region) int {
		return cmp.Or(cmp.Compare(uintptr(a.p), uintptr(b.p)), cmp.Compare(b.end(), a.end()),
			cmp.Compare(b.of.depth, a.of.depth), cmp.Compare(a.n, b.n))
	})
	var members []region
	var now *block
	finish := func() {
		if now == nil {
			return
		}
		for _, r := range members {
			if _, is := now.of.path(now.n, uintptr(r.p)-uintptr(now.p), r.n, r.of); !is {
				now.bad = errViews
			}
			if why := w.reasons[r]; why != "" {
				now.bad = why
			}
		}
		g.blocks = append(g.blocks, now)
	}
	for _, r := range w.regions {
		if now == nil || uintptr(r.p) >= now.end() {
			finish()
			now, members = &block{p: r.p, n: r.n, of: r.of}, members[:0]
		} else if r.end() > now.end() {
			if off := uintptr(r.p) - uintptr(now.p); r.of == now.of && off%r.of.size == 0 {
				now.n = int(off/r.of.size) + r.n
			} else {
				now.bad = errViews
			}
		}
		members = append(members, r)
	}
	finish()
	g.number()
	return g
}

// number gives blocks their numbers: those that they had when they were loaded, or new ones.
func (g *graph) number() {
	loaded := map[unsafe.Pointer]*block{}
	for _, b := range g.loaded {
		if b.n == 0 {
			loaded[b.p] = b
		}
	}
	g.all = slices.Clone(g.blocks)
	for _, b := range g.maps {
		b.bad = g.reasons[region{b.p, b.of, 0}]
		g.all = append(g.all, b)
	}
	for i, b := range g.all {
		g.places[b] = i
		before := loaded[b.p]
		if b.n > 0 {
			before = g.within(b)
		}
		if b.name = g.named[b.p]; before != nil {
			b.number, b.large, b.data, b.sum = before.number, before.large, before.data, before.sum
			b.name = cmp.Or(b.name, before.name)
		} else {
			b.number = g.manifest.Next
			g.manifest.Next++
		}
	}
}

// within returns the loaded block that a block contains; nil if there is none.
func (g *graph) within(b *block) *block {
	i, _ := slices.BinarySearchFunc(g.loaded, b.p, func(b *block, p unsafe.Pointer) int {
		return cmp.Compare(uintptr(b.p), uintptr(p))
	})
	for ; i < len(g.loaded) && uintptr(g.loaded[i].p) < b.end(); i++ {
		if g.loaded[i].n > 0 {
			return g.loaded[i]
		}
	}
	return nil
}
