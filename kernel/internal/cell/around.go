package cell

import (
	"go/token"
	"strings"
)

// around returns a program around a cell that is being typed, without its first line, for questions about an offset of
// the cell. It also returns the place of that offset in the program; ok is false if the cell has no Go there. The part
// of the cell with the offset comes behind everything that it may use.
func (s *Session) around(c Cell, at int) (text string, place int, ok bool) {
	e := &entry{id: c.ID, number: c.Number, script: read(c.Source)}
	code := e.script.code
	if code == "" || at > len(code) {
		return "", 0, false
	}
	from, to := typing(code, at)
	var others []part
	for _, side := range []struct{ from, to int }{{0, from}, {to, len(code)}} {
		spans, wrong := split(code[side.from:side.to])
		if wrong != nil {
			continue // half a cell: what it declares is not known yet
		}
		for _, span := range spans {
			span.from, span.to = span.from+side.from, span.to+side.from
			parts, wrong := parse(code, span)
			if wrong == nil && (side.to == from || span.kind > variable) {
				others = append(others, parts...)
			}
		}
	}
	for i := range others {
		if err := s.nameImport(&others[i]); err != nil {
			others[i].names = []name{{"_", 0}}
		}
	}
	p := s.compose(e, append(others, part{text: code[from:to], uses: idents(code[from:to])}), e.script.main >= 0)
	p.find()
	return p.around(at - from)
}

// typing returns the bounds of the part of a cell that an offset is in. If a bracket is open, the part reaches to the
// end.
func typing(code string, at int) (from, to int) {
	all, _ := lexemes(code)
	depth, first := 0, -1
	begin := 0
	for i, l := range all {
		if first < 0 && l.tok != token.SEMICOLON {
			first, begin = l.from, i
		}
		depth = max(depth+bracket(l.tok), 0)
		if l.tok == token.SEMICOLON && depth == 0 && first >= 0 && !(l.typed && header(code, all[begin:i])) {
			if at <= l.from {
				return min(first, at), l.from
			}
			first = -1
		}
	}
	if first < 0 {
		return at, at
	}
	return min(first, at), len(code)
}

// idents returns the names in a text that Go's parser may refuse, and what the text selects from each.
func idents(text string) names {
	uses := names{}
	all, _ := lexemes(text)
	for i, l := range all {
		if l.tok != token.IDENT || i > 0 && all[i-1].tok == token.PERIOD {
			continue
		}
		n := text[l.from:l.to]
		if i+1 < len(all) && all[i+1].tok == token.PERIOD {
			uses[n] = append(uses[n], "") // what follows may be half a name
		} else if _, is := uses[n]; !is {
			uses[n] = nil
		}
	}
	return uses
}

// around writes the program with the part that is being typed at its end, and returns the place of offset at of that
// part.
func (p *program) around(at int) (text string, place int, ok bool) {
	var b strings.Builder
	p.bare = true
	p.writeImports(&b, p.paths)
	var body []*chunk
	here := p.chunks[0]
	for _, c := range p.chunks {
		switch {
		case c.own && c.names == nil && c.from == 0 && c.to == 0:
			here = c
		case c.local:
			body = append(body, c)
		default:
			p.write(&b, c)
		}
	}
	declares := kind(statement)
	if all, _ := lexemes(here.text); len(all) > 0 {
		declares = kindOf(all)
	}
	end := "\n"
	if declares < constant {
		b.WriteString("func main() {\n")
		for _, c := range body {
			p.write(&b, c)
		}
		end = "\n}\n"
	}
	place = b.Len() + at
	b.WriteString(here.text + end)
	return b.String(), place, true
}
