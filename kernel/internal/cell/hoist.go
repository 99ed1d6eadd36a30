package cell

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// placeInitializers decides where the values of variables are computed that left main because a function uses them. A
// variable outside of main is assigned in main, at its place, if that is possible. It is not possible if the program
// needs the value before main begins, for a variable of another cell, if the value is written down, so that functions
// may use it earlier, or if Go cannot write its type. Then the value is computed before main begins, so a cell in which
// it depends on a variable that main assigns is refused.
func (k *checked) placeInitializers(reached map[*chunk]bool, used map[string]string) error {
	var early []*chunk
	for _, c := range k.chunks {
		if c.kind == variable && !c.own && !c.stored && reached[c] {
			early = append(early, c)
		}
		for _, n := range c.names {
			if first := k.own[n.string]; c.own && c.local && c.kind == variable && first != nil && first.moved {
				return Problems{k.entry.problem(c.from+n.at,
					fmt.Sprintf("%s is defined twice in this cell, and a function uses it", n.string)).
					with("give one of them another name")}
			}
		}
	}
	before, _ := k.from(early, k.defined())
	for _, c := range k.chunks {
		if !c.moved {
			continue
		}
		able := c.rhs > 0 && !before[c] && !k.plain(c)
		objects := map[string]types.Object{}
		for _, n := range c.names {
			if obj := k.object(c, n); n.string != "_" && obj != nil {
				objects[n.string] = obj
				able = able && nameable(obj.Type(), map[types.Type]bool{})
			}
		}
		if able {
			var text strings.Builder
			for _, name := range slices.Sorted(maps.Keys(objects)) {
				of := types.TypeString(objects[name].Type(),
					func(pkg *types.Package) string { return k.qualifier(pkg, used) })
				fmt.Fprintf(&text, "var %s %s\n", name, of)
			}
			c.declared = text.String()
			continue
		}
		for _, id := range k.in(c) {
			v, is := k.info.Uses[id].(*types.Var)
			if other := k.own[id.Name]; is && !v.IsField() && other != nil && other.moved && !k.plain(other) {
				return Problems{k.entry.problem(c.from, fmt.Sprintf("%s is needed before this cell begins, and "+
					"computed from %s, which the cell computes", c.names[0].string, id.Name)).with(
					"compute it in another cell, or hand it to the function that uses it")}
			}
		}
	}
	return nil
}

// with returns the problem with a text that helps.
func (p Problem) with(help string) Problem {
	p.Help = help
	return p
}
