package page

import (
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strings"
)

var (
	contentID   = regexp.MustCompile(` id="(` + idPrefix + `[^"]*)"`)
	contentLink = regexp.MustCompile(`(<a [^>]*href="#)` + idPrefix + `([^"]*)"`)
)

// anchored makes links inside of a page lead to its cells and its headings.
func (d *Document) anchored(body string) template.HTML {
	for _, m := range contentID.FindAllStringSubmatch(body, -1) {
		d.ids[m[1]] = true
	}
	return template.HTML(contentLink.ReplaceAllStringFunc(body, func(tag string) string {
		m := contentLink.FindStringSubmatch(tag)
		return m[1] + html.EscapeString(d.Anchor(html.UnescapeString(m[2]))) + `"`
	}))
}

// Anchor returns the id in the page for the fragment of a link between notebooks: that of a heading or another element
// of content, or of a cell. JupyterLab keeps the capital letters of headings in their ids.
func (d *Document) Anchor(fragment string) string {
	plain, err := url.PathUnescape(fragment)
	if err != nil {
		plain = fragment
	}
	for _, id := range []string{idPrefix + plain, plain, idPrefix + strings.ToLower(plain)} {
		if d.ids[id] {
			return id
		}
	}
	return idPrefix + fragment
}
