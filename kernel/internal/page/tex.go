package page

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/wyatt915/treeblood"
)

var (
	element  = regexp.MustCompile(`<(\w+)((?: [\w-]+="[^"]*")+)>`)
	attr     = regexp.MustCompile(`[\w-]+="[^"]*"`)
	between  = regexp.MustCompile(`>\s+<`)
	operator = regexp.MustCompile(`\\operatorname\*?\s*\{`) // which the converter doesn't know
	styleTag = regexp.MustCompile(`^style="([^"]*)"$`)
)

// texHTML renders TeX as MathML, which browsers show without help. What the converter doesn't know is shown as TeX.
func texHTML(tex string, block bool) string {
	tex = strings.TrimSpace(tex)
	source := html.EscapeString(tex)
	display := "inline"
	if block {
		display = "block"
	}
	body, err := convert(operator.ReplaceAllString(tex, `\mathrm{`), block)
	if err != nil || strings.Contains(body, "<merror") {
		return `<code class="tex ` + display + `">` + source + `</code>`
	}
	return sanitisedMath(`<math display="` + display + `"><semantics>` + body +
		`<annotation encoding="application/x-tex">` + source + `</annotation></semantics></math>`)
}

func convert(tex string, block bool) (string, error) {
	full, err := treeblood.TexToMML(tex, nil, block, block)
	if err != nil {
		return "", err
	}
	_, body, _ := strings.Cut(full, "<semantics>")
	end := strings.LastIndex(body, "<annotation")
	if end < 0 {
		return full, nil
	}
	body = between.ReplaceAllString(strings.TrimSpace(body[:end]), "><")
	return element.ReplaceAllStringFunc(body, sortAttributes), nil
}

// sortAttributes puts the attributes of an element, and the parts of its style, into one order, because the converter's
// order is random.
func sortAttributes(tag string) string {
	m := element.FindStringSubmatch(tag)
	attrs := attr.FindAllString(m[2], -1)
	for i, a := range attrs {
		if style := styleTag.FindStringSubmatch(a); style != nil {
			parts := strings.Split(strings.Trim(style[1], "; "), ";")
			slices.Sort(parts)
			attrs[i] = `style="` + strings.Join(parts, ";") + `"`
		}
	}
	slices.Sort(attrs)
	return "<" + m[1] + " " + strings.Join(attrs, " ") + ">"
}
