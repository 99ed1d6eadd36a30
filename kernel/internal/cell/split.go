package cell

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
)

// kind is what a part of a cell does.
type kind int

const (
	statement kind = iota
	variable       // defines variables: x := 1, var x = 1
	constant
	typed
	function
	imports
)

// span is a declaration or a statement at the top level of a cell, by its place in the text.
type span struct {
	kind     kind
	from, to int
	hidden   bool // ends in a semicolon that was typed, which hides its value
}

// lexeme is a token and its place.
type lexeme struct {
	tok      token.Token
	from, to int
	typed    bool // for a semicolon: it was typed, not implied by the end of a line
}

// lexemes returns the tokens of a text without comments, and the errors of the scanner.
func lexemes(text string) (all []lexeme, problems scanner.ErrorList) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), problems.Add, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return all, problems
		}
		from := file.Offset(pos)
		to := from + len(lit)
		if !tok.IsLiteral() && !tok.IsKeyword() && tok != token.ILLEGAL && tok != token.SEMICOLON {
			to = from + len(tok.String())
		}
		all = append(all, lexeme{tok, from, min(to, len(text)), tok == token.SEMICOLON && lit == ";"})
	}
}

// split returns the declarations and statements of a text. Each ends where Go puts a semicolon outside of all brackets,
// unless the semicolon belongs to the head of a statement.
func split(text string) ([]span, *complaint) {
	all, problems := lexemes(text)
	if len(problems) > 0 {
		return nil, &complaint{problems[0].Pos.Offset, problems[0].Msg}
	}
	var spans []span
	var open []lexeme
	first := 0
	end := func(i int) {
		if i > first {
			s := span{kind: kindOf(all[first:i]), from: all[first].from, to: all[i-1].to}
			s.hidden = i < len(all) && all[i].typed
			spans = append(spans, s)
		}
		first = i + 1
	}
	for i, l := range all {
		switch l.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, l)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 {
				return nil, &complaint{l.from, "unexpected " + l.tok.String()}
			}
			if want := closing[open[len(open)-1].tok]; want != l.tok {
				return nil, &complaint{l.from, "unexpected " + l.tok.String() + ", expected " + want.String()}
			}
			open = open[:len(open)-1]
		case token.SEMICOLON:
			if len(open) == 0 && !(l.typed && header(text, all[first:i])) {
				end(i)
			}
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return nil, &complaint{last.from, "this " + last.tok.String() + " has no " + closing[last.tok].String()}
	}
	end(len(all))
	return spans, nil
}

var closing = map[token.Token]token.Token{token.LPAREN: token.RPAREN, token.LBRACK: token.RBRACK,
	token.LBRACE: token.RBRACE}

// complaint says what is wrong at an offset of a text.
type complaint struct {
	offset int
	text   string
}

// kindOf returns the kind of a part of a cell, by its tokens.
func kindOf(all []lexeme) kind {
	switch all[0].tok {
	case token.IMPORT:
		return imports
	case token.CONST:
		return constant
	case token.TYPE:
		return typed
	case token.VAR:
		return variable
	case token.FUNC:
		if len(all) > 1 && all[1].tok == token.IDENT || method(all) {
			return function
		}
		return statement
	}
	if headed(all) {
		return statement
	}
	if _, defines := outside(all, token.DEFINE); defines && all[0].tok != token.GO && all[0].tok != token.DEFER {
		return variable
	}
	return statement
}

// outside returns the index of the first of the given tokens that stands outside of all brackets.
func outside(all []lexeme, toks ...token.Token) (at int, found bool) {
	depth := 0
	for i, l := range all {
		if depth += bracket(l.tok); depth == 0 && slices.Contains(toks, l.tok) {
			return i, true
		}
	}
	return 0, false
}

// headed reports whether the tokens are a statement whose head may hold semicolons and variables of its own.
func headed(all []lexeme) bool {
	_, is := outside(all, token.FOR, token.IF, token.SWITCH, token.SELECT)
	return is
}

// header reports whether a semicolon behind the tokens belongs to the head of a statement, because the tokens before it
// are not a whole statement.
func header(text string, all []lexeme) bool {
	if len(all) == 0 || !headed(all) {
		return false
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", bodyPrefix+text[all[0].from:all[len(all)-1].to]+bodySuffix,
		parser.SkipObjectResolution)
	return err != nil
}

// method reports whether tokens begin a method, func (r T) name(, and not a function literal, func(r T) result {.
func method(all []lexeme) bool {
	depth := 0
	for i, l := range all[1:] {
		switch l.tok {
		case token.LPAREN:
			depth++
		case token.RPAREN:
			if depth--; depth == 0 {
				rest := all[i+2:]
				return len(rest) > 1 && rest[0].tok == token.IDENT && rest[1].tok == token.LPAREN
			}
		}
		if depth == 0 {
			return false
		}
	}
	return false
}
