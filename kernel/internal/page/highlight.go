package page

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

var formatter = html.New(html.WithClasses(true))

// highlight marks the tokens of source with classes. GoNB's own lines (%flags, !shell) count as comments, because no Go
// lexer knows them.
func highlight(source, language string) template.HTML {
	plain := template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>")
	lexer := lexers.Get(language)
	if lexer == nil {
		return plain
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, source)
	if err != nil {
		return plain
	}
	list := tokens.Tokens()
	if language == "go" {
		list = tokensOfLines(source, lexer, list)
	}
	var b bytes.Buffer
	if formatter.Format(&b, styles.Fallback, chroma.Literator(list...)) != nil {
		return plain
	}
	return template.HTML(b.String())
}

// tokensOfLines returns the tokens of Go with GoNB's own lines, each of which is one token.
func tokensOfLines(source string, lexer chroma.Lexer, list []chroma.Token) []chroma.Token {
	if !strings.Contains(source, "%") && !strings.Contains(source, "!") {
		return list
	}
	var out []chroma.Token
	code := ""
	flush := func() {
		if tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code); err == nil && code != "" {
			out = append(out, tokens.Tokens()...)
		}
		code = ""
	}
	for line := range strings.Lines(source) {
		if strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!") {
			flush()
			out = append(out, chroma.Token{Type: chroma.CommentPreproc, Value: line})
			continue
		}
		code += line
	}
	flush()
	return out
}

// highlightCSS returns the colours of tokens for light and for dark. They are kept apart because one style leaves
// tokens to the default colour that the other style paints. Backgrounds are the page's own.
var highlightCSS = sync.OnceValue(func() string {
	var light, dark bytes.Buffer
	if formatter.WriteCSS(&light, styles.Get("github")) != nil ||
		formatter.WriteCSS(&dark, styles.Get("github-dark")) != nil {
		return ""
	}
	ground := regexp.MustCompile(`background-color: *#[0-9a-fA-F]+;?`)
	return "@media print, (prefers-color-scheme: light) {\n" + ground.ReplaceAllString(light.String(), "") +
		"}\n@media screen and (prefers-color-scheme: dark) {\n" + ground.ReplaceAllString(dark.String(), "") + "}\n"
})
