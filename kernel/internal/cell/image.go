package cell

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/keep"
)

// keepPath is the package by which programs keep values.
const keepPath = "github.com/expfam/lab/kernel/keep"

// key is the name of a variable in the image of memory.
func (d *def) key(name string) string { return fmt.Sprintf("%d.%s", d.entry.serial, name) }

// manifest returns what the image of memory has. An image that cannot be read has nothing; the program then says why.
func (s *Session) manifest() *keep.Manifest {
	if s.Values == "" {
		return &keep.Manifest{}
	}
	m, _ := keep.Read(s.Values)
	return m
}

// memory returns what the image of memory has.
func (p *program) memory() *keep.Manifest {
	if p.image == nil {
		p.image = p.s.manifest()
	}
	return p.image
}

// stored reports whether the values of another cell's variables come from the image. The others are written down in
// their definitions, in a cell that had nothing to run, and no cell has used them.
func (p *program) stored(d *def) bool {
	if p.s.Values == "" || d.kind != variable || d.literal {
		return false
	}
	return !d.plain || d.entry.keeps || slices.ContainsFunc(d.kept(), func(name string) bool {
		_, is := p.memory().Roots[d.key(name)]
		return is
	})
}

// inTypes and inCodes match what types and functions of cells are called in an image.
var inTypes = regexp.MustCompile(`"main"\.(?:\(\*)?([\pL\p{Nd}_]+)`)

// inImage visits what the values of a variable lead to: literals of functions, and names of types and functions.
func (p *program) inImage(d *def, literal func(*def), name func(string)) {
	for _, g := range p.memory().Of(d.keys()...) {
		for _, text := range slices.Concat(g.Types, g.Codes) {
			if lit := p.s.literals[text]; lit != nil {
				literal(lit)
			}
			for _, found := range inTypes.FindAllStringSubmatch(text, -1) {
				name(found[1])
			}
		}
	}
}

// keys returns the names of a definition's variables in the image.
func (d *def) keys() (all []string) {
	for _, name := range d.kept() {
		all = append(all, d.key(name))
	}
	return all
}

// mentioned returns the variables of other cells that a program uses, by chunk.
func (k *checked) mentioned(reached map[*chunk]bool) map[*chunk][]string {
	used := map[types.Object]bool{}
	for c := range reached {
		if c.stored {
			continue
		}
		for _, id := range k.in(c) {
			if obj := k.info.Uses[id]; obj != nil {
				used[obj] = true
			}
		}
	}
	if k.exec != nil {
		name, _ := k.exec.root()
		used[k.pkg.Scope().Lookup(name)] = true
	}
	all := map[*chunk][]string{}
	for _, c := range k.chunks {
		if c.own || c.kind != variable || c.literal || !reached[c] {
			continue
		}
		for _, n := range c.names {
			if n.string != "_" && k.rename(c, n) != "_" && (k.pulled[c.def] ||
				used[k.pkg.Scope().Lookup(n.string)]) {
				all[c] = append(all[c], n.string)
			}
		}
	}
	return all
}

// remember has the program load the variables of other cells, and keep what it does to them and to its own. It refuses
// a variable of which no value is there.
func (k *checked) remember(reached map[*chunk]bool, used map[string]string, prog *Program) error {
	if k.s.Values == "" {
		return nil
	}
	k.mention = k.mentioned(reached)
	var keys []string
	for _, c := range k.chunks {
		for _, name := range k.mention[c] {
			root, is := k.memory().Roots[c.key(name)]
			if c.stored && (!is || root.Block == 0) {
				return k.missing(c, name, root.Why)
			}
			keys = append(keys, c.key(name))
			k.loads = append(k.loads, fmt.Sprintf("%q, &%s", c.key(name), name))
			prog.mentions = append(prog.mentions, name)
		}
		if c.own && c.kind == variable && !(k.legacy && c.local) && reached[c] && len(c.kept()) > 0 {
			k.keeps = true
		}
	}
	if k.keeps = k.keeps || len(keys) > 0; !k.keeps {
		return nil
	}
	used["main_keep"] = keepPath
	for _, c := range k.chunks {
		for _, name := range k.mention[c] {
			for of, path := range c.paths {
				if c.stored && strings.Contains(c.types[name], of+".") {
					used[of] = path
				}
			}
		}
	}
	k.registers(keys, reached, used)
	k.packages(reached, used)
	return nil
}

// missing refuses a variable of another cell of which no value is there.
func (k *checked) missing(c *chunk, name, why string) error {
	text := fmt.Sprintf("%s of cell %d has no value, because the program of its cell ended before it was kept", name,
		c.entry.number)
	help := fmt.Sprintf("run cell %d again", c.entry.number)
	if why != "" {
		text = fmt.Sprintf("%s of cell %d cannot be kept, because %s", name, c.entry.number, why)
		help = fmt.Sprintf("take what you need of %s in the cell that makes it, as numbers, texts, slices or structs, "+
			"or use it there", name)
	}
	return Problems{k.useOf(c, name, text).with(help)}
}

// useOf returns a problem at the first place where the cell uses a variable of another cell.
func (k *checked) useOf(c *chunk, name, text string) Problem {
	p := Problem{Cell: k.entry.number, Text: text}
	obj := k.pkg.Scope().Lookup(name)
	for _, id := range k.idents {
		if own := k.chunkAt(k.offset(id.Pos())); own != nil && own.own && k.info.Uses[id] == obj {
			at := k.files.Position(id.Pos())
			p.Line, p.Column, p.Source = at.Line, at.Column, lineOf(k.entry.script.text, at.Line)
			break
		}
	}
	return p
}

// keeper returns the declarations at the beginning of a program by which it has the values of other cells.
func (p *program) keeper() string {
	var b strings.Builder
	fmt.Fprintf(&b, "var main_kept = main_keep.Open(%q, %d)", p.s.Values, p.entry.serial)
	for _, of := range []struct {
		method string
		all    []string
	}{{"Types", p.kinds}, {"Functions", p.codes}, {"Packages", p.shared}, {"Said", quoted(p.said)}, {"Load", p.loads}} {
		if len(of.all) > 0 {
			fmt.Fprintf(&b, ".%s(%s)", of.method, strings.Join(of.all, ", "))
		}
	}
	if p.unsafe {
		b.WriteString(".Unsafe()")
	}
	b.WriteString("\n\n")
	for _, c := range p.chunks {
		for _, name := range p.mention[c] {
			if c.stored {
				fmt.Fprintf(&b, "%svar %s %s\n", p.place(c, 0), name, c.types[name])
			}
		}
	}
	return b.String()
}

// defines returns the statement behind a definition of the cell, by which the program keeps its variables.
func (p *program) defines(c *chunk) string {
	if !p.keeps || !c.own || c.kind != variable || p.legacy && c.local {
		return ""
	}
	var all []string
	for _, name := range c.kept() {
		all = append(all, fmt.Sprintf("%q, &%s", c.key(name), name))
	}
	switch text := fmt.Sprintf("main_kept.Define(%s)", strings.Join(all, ", ")); {
	case len(all) == 0:
		return ""
	case c.local || c.declared != "":
		return "; " + text
	default:
		return "\nfunc init() { " + text + " }"
	}
}

// sweep removes from the image of memory what no definition leads to.
func (s *Session) sweep() {
	if s.Values == "" {
		return
	}
	keys := map[string]bool{}
	for _, e := range s.entries {
		for _, d := range e.defs {
			for _, key := range d.keys() {
				keys[key] = true
			}
		}
	}
	keep.Sweep(s.Values, func(key string) bool { return keys[key] })
}
