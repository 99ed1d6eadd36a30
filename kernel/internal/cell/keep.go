package cell

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// record says how the values of a definition are kept for the cells that need them: in files, one for each variable,
// which exist as long as the kernel runs. To load a value is faster than to compute it again, a random number stays
// what it was, and what acts does so once.
type record struct {
	key    string       // hash of the definition and of everything that it needs
	names  []string     // names of its variables; _ for a variable that no other cell can use
	of     []types.Type // types of the variables; nil for _
	types  []string     // these types as Go source; "" where the type is not written
	mirror bool         // gob needs a mirror of the types, because these have unexported fields
}

// recordOf returns how the values of a definition are kept; nil if they cannot be.
func (k *checked) recordOf(c *chunk) *record {
	if k.s.Values == "" || !k.computed(c) {
		return nil
	}
	how := &record{}
	able := false
	for _, n := range c.names {
		name := k.rename(c, n)
		if c.own && slices.Contains(c.lost, n.string) {
			name = "_"
		}
		var t types.Type
		if name != "_" {
			t, able = k.object(c, n).Type(), true
			ok, mirror := k.able(c, t)
			if !ok {
				return nil
			}
			how.mirror = how.mirror || mirror
		}
		how.names, how.of = append(how.names, name), append(how.of, t)
	}
	if !able || k.aliases(c, how.of) {
		return nil
	}
	how.key = k.key(c)
	return how
}

// computed reports whether the values of a variable are more than what is written down in its definition.
func (k *checked) computed(c *chunk) bool {
	return c.kind == variable && c.rhs > 0 && !k.plain(c) && !(k.legacy && c.local)
}

// able reports whether the value of a variable can be kept, and whether that needs a mirror of its type. Of errors,
// only nil is kept. What a pointer points to is kept if the definition makes it, and does not share it with another
// variable.
func (k *checked) able(c *chunk, t types.Type) (is, mirror bool) {
	if types.Identical(t, types.Universe.Lookup("error").Type()) {
		return true, false
	}
	if p, pointer := types.Unalias(t).(*types.Pointer); pointer {
		named, cells := types.Unalias(p.Elem()).(*types.Named)
		cells = cells && named.Obj().Pkg() == k.pkg
		if _, basic := types.Unalias(p.Elem()).(*types.Basic); !basic && !cells ||
			!strings.Contains(c.text[c.rhs:], "(") {
			return false, false
		}
		t = p.Elem()
	}
	if !keepable(t, map[types.Type]bool{}) {
		return false, false
	}
	mirror, is = mirrors(t, nil)
	return is, mirror
}

// recall finds the definitions of other cells whose values were kept. The program loads these, and needs nothing of
// what they were computed from.
func (k *checked) recall() {
	for _, c := range k.chunks {
		if c.own {
			continue
		}
		how := k.recordOf(c)
		if how == nil {
			continue
		}
		c.record, c.loaded = how, true
		for _, name := range how.names {
			if name == "_" {
				continue
			}
			info, err := os.Lstat(filepath.Join(k.s.Values, how.file(name)))
			c.loaded = c.loaded && err == nil && info.Mode().IsRegular()
		}
	}
}

// keep decides which definitions of a program have their values kept, and completes their records. It returns the
// variables of the cell whose values cannot be kept and may take long to compute.
func (k *checked) keep(reached map[*chunk]bool, used map[string]string) (again []string) {
	for _, c := range k.chunks {
		if !reached[c] || !k.computed(c) {
			c.record = nil
			continue
		}
		if c.own {
			c.record = k.recordOf(c)
			for _, n := range c.names {
				if n.string == "_" || slices.Contains(c.lost, n.string) {
					continue
				}
				if t := k.object(c, n).Type(); expensive(t) {
					if able, _ := k.able(c, t); !able {
						again = append(again, n.string)
					}
				}
			}
		}
		if c.record == nil {
			continue
		}
		for _, t := range c.record.of {
			text := ""
			if t != nil && !c.own {
				text = types.TypeString(t, func(pkg *types.Package) string { return k.qualifier(pkg, used) })
			}
			c.record.types = append(c.record.types, text)
		}
		k.keeps, k.mirrors = true, k.mirrors || c.record.mirror
		maps.Copy(used, map[string]string{"main_os": "os", "main_gob": "encoding/gob", "main_errors": "errors",
			"main_reflect": "reflect", "main_math": "math", "main_time": "time"})
	}
	if k.mirrors {
		used["main_fmt"] = "fmt"
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
	var parts []string
	k.visit(c.def, func(d *def) {
		text := d.text
		if d.kind == variable {
			text = fmt.Sprintf("%d:%d:%s", d.entry.serial, d.from, text)
		}
		parts = append(parts, text)
	})
	slices.Sort(parts)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}
