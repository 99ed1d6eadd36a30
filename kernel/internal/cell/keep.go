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

// record is how the values of a definition get from the cell that computes them to those that need them: in files of the kernel's own,
// one a variable, that end with the kernel. That is faster than to compute them again, and a random number stays what it was.
type record struct {
	key   string   // of the definition and all that it needs
	names []string // of its variables; _ where the value is nobody's
	types []string // as Go writes them
}

// keep decides which variables of a program are kept, and returns those of the cell that cannot be.
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

// qualifier is the name of a package in the types of a program, which gets an import for it.
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

// key names a definition by itself and all that it needs: of functions, types and constants the text, of variables also the execution.
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
