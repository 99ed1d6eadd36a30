package formula

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of a formula, from the loosest operators to the tightest. Powers associate to the
// right, and bind tighter than a sign: -x^2 is −(x²), and 2^-x^2 is 2^(−(x²)).
type (
	sumText struct {
		First *productText `parser:"@@"`
		Rest  []*plusText  `parser:"@@*"`
	}
	plusText struct {
		Pos  lexer.Position
		Sign string       `parser:"@('+' | '-')"`
		Term *productText `parser:"@@"`
	}
	productText struct {
		First *signedText  `parser:"@@"`
		Rest  []*timesText `parser:"@@*"`
	}
	timesText struct {
		Pos    lexer.Position
		Sign   string      `parser:"@('*' | '/')"`
		Factor *signedText `parser:"@@"`
	}
	signedText struct {
		Sign  string      `parser:"  @('+' | '-')"`
		Of    *signedText `parser:"  @@"`
		Power *powerText  `parser:"| @@"`
	}
	powerText struct {
		Base     *atomText   `parser:"@@"`
		Exponent *signedText `parser:"(('^' | '**') @@)?"`
	}
	atomText struct {
		Pos    lexer.Position
		Number string   `parser:"  @Number"`
		Name   string   `parser:"| @Name"`
		Called bool     `parser:"  ( @'('"`
		Of     *sumText `parser:"    @@? ')' )?"`
		Group  *sumText `parser:"| '(' @@ ')'"`
	}
)

// grammar returns the parser, which it makes at the first call.
var grammar = sync.OnceValue(func() *participle.Parser[sumText] {
	tokens := lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `[ \t\r\n]+`},
		{Name: "Number", Pattern: `0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?[\d_]+)?`},
		{Name: "Name", Pattern: `[A-Za-z_][A-Za-z_0-9]*`},
		{Name: "Operator", Pattern: `\*\*|.`},
	})
	return participle.MustBuild[sumText](participle.Lexer(tokens), participle.Elide("Space"))
})
