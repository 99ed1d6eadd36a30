package page

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
)

var md = goldmark.New(
	goldmark.WithExtensions(extension.GFM, extension.Footnote),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()), // as in Jupyter, HTML in Markdown is HTML
)

// math finds what isn't Markdown's business, in this order: fenced code, code spans and escaped characters, which are left
// alone, then display mathematics, environments and inline mathematics. As in pandoc, inline mathematics has no space
// next to its dollars and no digit behind them, so that prices stay prices.
var math = regexp.MustCompile("(?ms)^```.*?^```|^~~~.*?^~~~|`+[^`]*`+|\\\\[\\\\$`]" +
	`|\$\$(?P<display>.+?)\$\$` +
	`|(?P<env>\\begin\{(?:align|equation|gather|multline|eqnarray)\*?\}.+?\\end\{(?:align|equation|gather|multline|eqnarray)\*?\})` +
	`|\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?P<after>\d?)`)

// markdown renders Markdown with TeX mathematics. Mathematics is taken out first and put in last, so that Markdown doesn't
// see its underscores and stars.
func markdown(source string, attachments map[string]map[string]string) (template.HTML, error) {
	for name, kinds := range attachments {
		for mime, data := range kinds {
			source = strings.ReplaceAll(source, "attachment:"+name, fmt.Sprintf("data:%s;base64,%s", mime, data))
		}
	}
	var formulas []string
	group := func(m []int, name string) (string, bool) {
		i := 2 * math.SubexpIndex(name)
		if m[i] < 0 {
			return "", false
		}
		return source[m[i]:m[i+1]], true
	}
	var b strings.Builder
	at := 0
	for _, m := range math.FindAllStringSubmatchIndex(source, -1) {
		tex, block := "", true
		for _, name := range []string{"display", "env"} {
			if s, ok := group(m, name); ok {
				tex = s
			}
		}
		if s, ok := group(m, "inline"); ok {
			if digit, _ := group(m, "after"); digit == "" {
				tex, block = s, false
			}
		}
		if tex == "" {
			continue
		}
		b.WriteString(source[at:m[0]])
		at = m[1]
		b.WriteString(placeholder(len(formulas)))
		formulas = append(formulas, texHTML(tex, block))
	}
	b.WriteString(source[at:])
	var out bytes.Buffer
	if err := md.Convert([]byte(b.String()), &out); err != nil {
		return "", err
	}
	text := out.String()
	for i, formula := range formulas {
		text = strings.ReplaceAll(text, placeholder(i), formula)
	}
	return template.HTML(text), nil
}

// placeholder stands for a formula while Markdown is rendered: two private-use characters around its number.
func placeholder(i int) string { return fmt.Sprintf("\ue000%d\ue001", i) }
