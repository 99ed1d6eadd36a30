package cell

import "strings"

// Complete reports whether a text is a whole cell: "complete", "invalid", or "incomplete". For the last it also returns
// the indentation of the line to come.
func Complete(text string) (status, indent string) {
	s := read(text)
	if s.raw && s.code == "" {
		return "complete", ""
	}
	depth := 0
	all, problems := lexemes(s.code)
	for _, l := range all {
		depth += bracket(l.tok)
	}
	if depth > 0 || len(problems) > 0 && strings.HasSuffix(problems[0].Msg, "not terminated") &&
		strings.Contains(s.code, "`") {
		return "incomplete", strings.Repeat("\t", max(depth, 0))
	}
	spans, wrong := split(s.code)
	for _, span := range spans {
		if wrong == nil {
			_, wrong = parse(s.code, span)
		}
	}
	if wrong != nil {
		return "invalid", ""
	}
	return "complete", ""
}

// Declares reports whether a cell declares a name at its top level. The name of a method is T.m.
func Declares(text, name string) bool {
	s := read(text)
	spans, _ := split(s.code)
	for _, span := range spans {
		parts, _ := parse(s.code, span)
		for _, p := range parts {
			for _, n := range p.names {
				if n.string == name && p.recv == "" || p.recv+"."+n.string == name {
					return true
				}
			}
		}
	}
	return false
}
