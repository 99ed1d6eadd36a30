package geodesy

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// node is a node of well-known text, such as PRIMEM["Greenwich",0]: its keyword in capitals, its texts and numbers in
// their order, and the nodes in it.
type node struct {
	keyword string
	words   []string
	nodes   []*node
}

var errWKT = errors.New("it is no well-known text")

// parseWKT reads well-known text of either version and of ESRI.
func parseWKT(text string) (*node, error) {
	p := wktParser{strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))}
	n, err := p.node(0)
	if err == nil && strings.Trim(p.rest, " \r\n\t\x00;") != "" {
		err = errWKT
	}
	return n, err
}

type wktParser struct{ rest string }

// word takes what comes before one of the characters that end a word.
func (p *wktParser) word() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if text, quoted := strings.CutPrefix(p.rest, `"`); quoted {
		before, after, _ := strings.Cut(text, `"`)
		for strings.HasPrefix(after, `"`) { // a quote in a name stands twice
			more, rest, _ := strings.Cut(after[1:], `"`)
			before, after = before+`"`+more, rest
		}
		p.rest = strings.TrimLeft(after, " \t\r\n")
		return before
	}
	end := strings.IndexAny(p.rest, "[](),")
	if end < 0 {
		end = len(p.rest)
	}
	word := strings.TrimSpace(p.rest[:end])
	p.rest = p.rest[end:]
	return word
}

func (p *wktParser) node(depth int) (*node, error) {
	n := &node{keyword: strings.ToUpper(p.word())}
	if depth > 20 || n.keyword == "" || p.rest == "" || p.rest[0] != '[' && p.rest[0] != '(' {
		return nil, errWKT
	}
	for p.rest = p.rest[1:]; ; p.rest = p.rest[1:] {
		at := p.rest
		n.words = append(n.words, p.word())
		if p.rest != "" && (p.rest[0] == '[' || p.rest[0] == '(') {
			p.rest, n.words = at, n.words[:len(n.words)-1]
			child, err := p.node(depth + 1)
			if err != nil {
				return nil, err
			}
			n.nodes = append(n.nodes, child)
		}
		p.rest = strings.TrimLeft(p.rest, " \t\r\n")
		switch {
		case p.rest == "":
			return nil, errWKT
		case p.rest[0] == ']' || p.rest[0] == ')':
			p.rest = strings.TrimLeft(p.rest[1:], " \t\r\n")
			return n, nil
		case p.rest[0] != ',':
			return nil, errWKT
		}
	}
}

// find returns the first node with one of the keywords, of the nodes in n.
func (n *node) find(keywords ...string) *node {
	if n != nil {
		for _, child := range n.nodes {
			if slices.Contains(keywords, child.keyword) {
				return child
			}
		}
	}
	return nil
}

// all visits n and all nodes in it.
func (n *node) all(visit func(*node)) {
	visit(n)
	for _, child := range n.nodes {
		child.all(visit)
	}
}

// name returns the first text of a node.
func (n *node) name() string {
	if n == nil || len(n.words) == 0 {
		return ""
	}
	return n.words[0]
}

// number returns a number of a node; ok is false if there is none, or if it is not finite.
func (n *node) number(i int) (v float64, ok bool) {
	if n == nil || i >= len(n.words) {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.words[i], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// reversed reports whether an axis counts to the south or to the west.
func (n *node) reversed() bool {
	return slices.ContainsFunc(n.words, func(direction string) bool {
		return strings.EqualFold(direction, "south") || strings.EqualFold(direction, "west")
	})
}

// last returns the last text of a node.
func (n *node) last() string {
	if n == nil || len(n.words) == 0 {
		return ""
	}
	return n.words[len(n.words)-1]
}
