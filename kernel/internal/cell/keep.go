package cell

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// record says how the values of a definition are kept for the cells that need them: in files, one for each variable,
// which exist as long as the kernel runs. To load a value is faster than to compute it again, and a random number stays
// what it was.
type record struct {
	key   string   // hash of the definition and of everything that it needs
	names []string // names of its variables; _ for a variable that no other cell can use
	types []string // types of the variables as Go source; "" where the type is not written
}

// keep decides which definitions of a program have their values kept, and sets their records. It returns the variables
// of the cell whose values cannot be kept and may take long to compute.
func (k *checked) keep(reached map[*chunk]bool, used map[string]string) (again []string) {
	for _, c := range k.chunks {
		if c.kind != variable || !reached[c] || c.rhs == 0 || k.plain(c) || k.legacy && c.local {
			continue
		}
		how := &record{}
		able, values := true, 0
		var named []types.Type
		for _, n := range c.names {
			name := k.rename(c, n)
			if c.own && slices.Contains(c.lost, n.string) {
				name = "_"
			}
			how.names = append(how.names, name)
			if name == "_" {
				named = append(named, nil)
				continue
			}
			t := k.object(c, n).Type()
			named = append(named, t)
			isErr := types.Identical(t, types.Universe.Lookup("error").Type())
			if !isErr && !keepable(t, map[types.Type]bool{}) {
				able = false
				if c.own && expensive(t) {
					again = append(again, name)
				}
			}
			if !isErr {
				values++
			}
		}
		if !able || values == 0 || k.s.Values == "" {
			continue
		}
		for _, t := range named {
			text := ""
			if t != nil && !c.own {
				text = types.TypeString(t, func(pkg *types.Package) string { return k.qualifier(pkg, used) })
			}
			how.types = append(how.types, text)
		}
		how.key = k.key(c)
		c.record, k.keeps = how, true
		maps.Copy(used, map[string]string{"main_os": "os", "main_gob": "encoding/gob", "main_errors": "errors"})
	}
	return again
}

// qualifier returns the name of a package in the types that a program writes, and adds its import to used. The
// program's own package needs no name.
func (k *checked) qualifier(pkg *types.Package, used map[string]string) string {
	if pkg == k.pkg {
		return ""
	}
	name := "main_" + pkg.Name()
	for used[name] != "" && used[name] != pkg.Path() {
		name += "_"
	}
	used[name] = pkg.Path()
	return name
}

// key returns a hash of a definition and of everything that it needs. Functions, types and constants enter it by their
// text. Variables enter it by their text, their place in the cell and the number of the execution that defined them.
func (k *checked) key(c *chunk) string {
	seen := map[*def]bool{}
	var parts []string
	var add func(d *def)
	add = func(d *def) {
		if seen[d] {
			return
		}
		seen[d] = true
		text := d.text
		if d.kind == variable {
			text = fmt.Sprintf("%d:%d:%s", d.entry.serial, d.from, text)
		}
		parts = append(parts, text)
		for name := range d.uses {
			other, _ := k.s.lookup(name, k.entry)
			if own := k.own[name]; own != nil {
				other = own.def
			}
			if other != nil {
				add(other)
			}
		}
		if d.kind == typed {
			for _, n := range d.names {
				for _, m := range k.s.methods(n.string, k.entry) {
					add(m)
				}
			}
		}
	}
	add(c.def)
	slices.Sort(parts)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}
