package cell

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// render writes the program as Go source, with the imports in used. It writes the selected chunks, or all if chunks is
// nil.
func (p *program) render(chunks map[*chunk]bool, used map[string]string) string {
	var b strings.Builder
	b.WriteString("package main\n\n")
	if !p.hasMain() {
		used = maps.Clone(used)
		used["main_flag"] = "flag"
	}
	p.writeImports(&b, used)
	if p.keeps {
		b.WriteString(p.keeper())
	}
	var locals []*chunk
	for _, c := range p.chunks {
		switch {
		case chunks != nil && !chunks[c]:
		case c.local:
			locals = append(locals, c)
		case c.declared != "":
			b.WriteString(c.declared)
			locals = append(locals, c)
		default:
			p.write(&b, c)
		}
	}
	watches := ""
	if p.keeps {
		watches = "\tdefer main_kept.End()\n"
	}
	if p.hasMain() {
		if watches != "" {
			b.WriteString("func main() {\n" + watches + "\t" + ownMain + "()\n}\n")
		}
		return b.String()
	}
	if p.shows {
		b.WriteString(shower(p.s.Result))
	}
	if p.fails {
		b.WriteString("func main_fail(err error) { panic(err) }\n\n")
	}
	if p.waits {
		b.WriteString(leaver())
	}
	b.WriteString("func main() {\n\tmain_flag.Parse()\n" + watches)
	for _, c := range locals {
		p.write(&b, c)
	}
	if p.exec != nil {
		b.WriteString(p.exec.source(p))
	}
	if p.waits {
		b.WriteString("\tmain_left()\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// ownMain is the name of a cell's own function main in a program that has to do something behind it.
const ownMain = "mainOfCell"

// writeImports writes the imports in used, paths by name, and the imports by a dot and for effects.
func (p *program) writeImports(b *strings.Builder, used map[string]string) {
	b.WriteString("import (\n")
	for _, name := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(b, "\t%s %q\n", name, used[name])
	}
	for _, path := range p.blank {
		fmt.Fprintf(b, "\t_ %q\n", path)
	}
	for _, path := range p.dot {
		fmt.Fprintf(b, "\t. %q\n", path)
	}
	b.WriteString(")\n\n")
}

// hasMain reports whether the cell declares its own function main, which takes the place of the one that render writes.
func (p *program) hasMain() bool {
	return slices.ContainsFunc(p.chunks, func(c *chunk) bool { return c.own && c.isMain() })
}

func (p *part) isMain() bool {
	return p.kind == function && p.recv == "" && p.names[0].string == "main"
}

// write writes one chunk and stores its start. Apart from the edits the text is written as typed, so that offsets in it
// stay those of the cell.
func (p *program) write(b *strings.Builder, c *chunk) {
	from := 0
	if c.stored {
		c.start = b.Len()
		for _, n := range c.kept() {
			if !p.keeps && p.rename(c, name{string: n}) != "_" { // not yet among what the program loads
				fmt.Fprintf(b, "%svar %s %s\n", p.place(c, 0), n, c.types[n])
			}
		}
		return
	}
	if c.declared != "" {
		var names []string
		for _, n := range c.names {
			names = append(names, n.string)
		}
		from = c.rhs
		b.WriteString(p.place(c, 0) + strings.Join(names, ", ") + " = " + p.place(c, from))
	} else if c.kind == variable && !c.local {
		names := make([]string, len(c.names))
		for i, n := range c.names {
			names[i] = p.rename(c, n)
		}
		from = c.value
		b.WriteString(p.place(c, 0) + "var " + strings.Join(names, ", ") + " " + p.place(c, from))
	} else {
		if c.kind == variable && !c.short {
			b.WriteString("var ")
		}
		b.WriteString(p.place(c, 0))
	}
	text := c.text[from:]
	if from > 0 && from == c.value && c.short {
		text = " =" + text[2:]
	}
	edits := append(slices.Clone(c.edits), p.marks(c)...)
	switch {
	case c.kind == constant || c.kind == typed:
		for _, n := range c.names {
			edits = append(edits, edit{n.at, len(n.string), pad(p.rename(c, n), n.string)})
		}
	case c.isMain() && p.keeps:
		edits = append(edits, edit{c.names[0].at, len("main"), ownMain})
	case c.kind == function && c.initialises():
		edits = append(edits, edit{c.names[0].at, len(c.names[0].string), pad("init", c.names[0].string)})
	}
	c.start = b.Len() - from
	slices.SortStableFunc(edits, func(x, y edit) int { return x.at - y.at })
	for _, e := range edits {
		b.WriteString(text[:e.at-from])
		b.WriteString(e.text)
		text, from = text[e.at-from+e.drop:], e.at+e.drop
	}
	b.WriteString(text)
	b.WriteString(p.defines(c) + "\n")
}

// rename returns the name by which the program declares a name of a chunk: the name itself, or _ if this cell, or one
// that ran after the chunk's, defines the name anew.
func (p *program) rename(c *chunk, n name) string {
	if c.own {
		return n.string
	}
	if c.literal {
		return n.string
	}
	if d, _ := p.s.lookup(n.string, p.entry); d != c.def || p.own[n.string] != nil && !p.own[n.string].local {
		return "_"
	}
	return n.string
}

// pad returns a text, with blanks at its end if it is shorter than other.
func pad(text, other string) string { return text + strings.Repeat(" ", max(0, len(other)-len(text))) }

// place returns the line comment that tells Go's tools where in a cell the text of a chunk comes from; "" if the
// program is bare.
func (p *program) place(c *chunk, offset int) string {
	if p.bare {
		return ""
	}
	line, column := position(c.entry.script.text, c.from+offset)
	return fmt.Sprintf("/*line cell %d:%d:%d*/", c.entry.number, line, column)
}
