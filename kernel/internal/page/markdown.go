package page

import (
	"bytes"
	"html"
	"html/template"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	renderer "github.com/yuin/goldmark/renderer/html"
)

var md = goldmark.New(
	goldmark.WithExtensions(extension.GFM, extension.Footnote),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	// as in Jupyter, HTML in Markdown is HTML; it is sanitised afterwards
	goldmark.WithRendererOptions(renderer.WithUnsafe()),
)

// mathOrCode finds what the renderer of Markdown must not change, in this order: fenced code, code spans and escaped
// characters, which are left alone, then display mathematics, environments and inline mathematics. As in pandoc,
// inline mathematics has no space next to its dollars and no digit behind them, so that prices stay prices.
var mathOrCode = regexp.MustCompile("(?ms)^```.*?^```|^~~~.*?^~~~|`+[^`]*`+|\\\\[\\\\$`]" +
	`|\$\$(?P<display>.+?)\$\$` +
	`|(?P<env>\\begin\{(?:align|equation|gather|multline|eqnarray)\*?\}.+?\\end\{(?:align|equation|gather|multline|eqnarray)\*?\})` +
	`|\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?P<after>\d?)`)

// markdown renders Markdown with TeX mathematics, sanitised as JupyterLab does. What would take too long is shown as it
// was written.
func markdown(source string, attachments map[string]map[string]string) template.HTML {
	return bounded(source, patience, func() template.HTML { return rendered(source, attachments) })
}

// latex renders a formula that stands alone.
func latex(source string) template.HTML {
	return bounded(source, patience, func() template.HTML { return template.HTML(texHTML(source, true)) })
}

// rendered returns Markdown as HTML. Mathematics is taken out first and put in last, so that Markdown doesn't see its
// underscores and stars.
func rendered(source string, attachments map[string]map[string]string) template.HTML {
	source = unmarked(source)
	var formulas pieces
	group := func(m []int, name string) (string, bool) {
		i := 2 * mathOrCode.SubexpIndex(name)
		if m[i] < 0 {
			return "", false
		}
		return source[m[i]:m[i+1]], true
	}
	var b strings.Builder
	at := 0
	for _, m := range mathOrCode.FindAllStringSubmatchIndex(source, -1) {
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
		b.WriteString(formulas.mark(texHTML(tex, block), source[m[0]:m[1]]))
	}
	b.WriteString(source[at:])
	var out bytes.Buffer
	if err := md.Convert([]byte(b.String()), &out); err != nil {
		return asWritten(source, err.Error())
	}
	return template.HTML(formulas.insert(sanitised(attach(out.String(), attachments))))
}

var attachment = regexp.MustCompile(`src="attachment:([^"]*)"`)

// attach puts a cell's attached images in the place of their names.
func attach(text string, attachments map[string]map[string]string) string {
	return attachment.ReplaceAllStringFunc(text, func(src string) string {
		name, err := url.PathUnescape(html.UnescapeString(attachment.FindStringSubmatch(src)[1]))
		if err != nil {
			return src
		}
		kinds := attachments[name]
		for _, mime := range slices.Sorted(maps.Keys(kinds)) {
			return `src="` + html.EscapeString("data:"+mime+";base64,"+strings.Join(strings.Fields(kinds[mime]), "")) +
				`"`
		}
		return src
	})
}
