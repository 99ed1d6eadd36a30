package page

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// sanitised returns what of HTML shows something. It drops what could run: scripts, handlers of events, frames,
// objects, forms, style sheets, and links and images of other schemes than those below. So even a browser that ignores
// the page's content security policy runs nothing of it.
func sanitised(html string) string { return hypertext().Sanitize(html) }

var (
	// link matches addresses without a scheme and those that only lead somewhere.
	link = regexp.MustCompile(`^\s*(?i:https?:|mailto:|[^:]*$|[^:]*[/?#])`)
	// imageData matches raster and vector images; an SVG inside of an img element runs no scripts.
	imageData = regexp.MustCompile(`^image/(?:png|jpeg|gif|webp|svg\+xml);base64,`)
	name      = regexp.MustCompile(`^\w[\w:.-]*$`)
	words     = regexp.MustCompile(`^[\w\s:.-]*$`)
	number    = regexp.MustCompile(`^[+-]?\d{1,6}$`)
	length    = regexp.MustCompile(`^\d{1,6}(?:\.\d+)?(?:px|%)?$`)
	alignment = regexp.MustCompile(`^(?i:left|right|center|justify|top|middle|bottom|baseline)$`)
)

// hypertext is the policy for HTML of outputs and of Markdown.
var hypertext = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "div", "span", "br", "hr", "wbr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "kbd",
		"samp", "var", "tt", "b", "strong", "i", "em", "u", "s", "del", "ins", "mark", "small", "big", "sub", "sup", "abbr", "cite",
		"dfn", "q", "time", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot",
		"tr", "th", "td", "details", "summary", "figure", "figcaption", "section", "article", "header", "footer", "aside", "center",
		"font", "progress", "meter", "a", "img")
	p.AllowNoAttrs().OnElements("span", "a", "font")
	// The content of these elements is dropped with them, because it is no text.
	p.SkipElementsContent("svg", "math", "template", "select", "textarea", "xmp", "plaintext", "video", "audio", "canvas", "map", "dialog")
	p.AllowAttrs("id").Matching(name).Globally()
	p.AllowAttrs("class").Matching(words).Globally()
	p.AllowAttrs("title", "lang", "dir", "role", "aria-label", "aria-hidden").Globally()
	p.AllowDataAttributes() // a figure says with data-uses which library it needs
	p.AllowAttrs("align").Matching(alignment).Globally()
	p.AllowAttrs("valign").Matching(alignment).OnElements("tr", "th", "td", "col", "colgroup", "thead", "tbody", "tfoot")
	p.AllowAttrs("colspan", "rowspan", "span", "border", "cellpadding", "cellspacing", "start", "value").Matching(number).Globally()
	p.AllowAttrs("width", "height").Matching(length).OnElements("img", "table", "td", "th", "col", "colgroup")
	p.AllowAttrs("value", "max", "min").Matching(length).OnElements("progress", "meter")
	p.AllowAttrs("scope").Matching(words).OnElements("th", "td")
	p.AllowAttrs("open").Matching(words).OnElements("details")
	p.AllowAttrs("color").Matching(regexp.MustCompile(`^#?\w+$`)).OnElements("font")
	// The boxes of task lists.
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")

	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowURLSchemeWithCustomPolicy("data", isImage)
	p.AllowAttrs("href").Matching(link).OnElements("a")
	p.AllowAttrs("src").OnElements("img")
	p.AllowAttrs("alt").OnElements("img")

	p.AllowStyles("position").MatchingEnum("static", "relative").Globally()
	p.AllowStyles("width", "height", "min-width", "max-width", "min-height", "max-height", "margin", "margin-left", "margin-right",
		"margin-top", "margin-bottom", "padding", "padding-left", "padding-right", "padding-top", "padding-bottom", "border",
		"border-left", "border-right", "border-top", "border-bottom", "border-color", "border-style", "border-width", "border-radius",
		"border-collapse", "border-spacing", "caption-side", "background", "background-color", "color", "opacity", "display",
		"overflow", "overflow-x", "overflow-y", "overflow-wrap", "white-space", "word-break", "text-align", "text-decoration",
		"text-indent", "vertical-align", "line-height", "letter-spacing", "list-style-type", "font", "font-family", "font-size",
		"font-style", "font-weight", "font-variant", "font-variant-numeric", "flex", "flex-direction", "flex-wrap", "gap",
		"align-items", "justify-content", "float", "clear").MatchingHandler(inert).Globally()
	return p
})

// isImage reports whether a data address holds an image.
func isImage(u *url.URL) bool {
	prefix := imageData.FindString(u.Opaque)
	if prefix == "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	_, err := base64.StdEncoding.DecodeString(u.Opaque[len(prefix):])
	return err == nil
}

var plainValue = regexp.MustCompile(`^[\w\s#%.,'"()/+-]*$`)

// inert reports whether the value of a style asks for nothing from elsewhere.
func inert(value string) bool {
	return plainValue.MatchString(value) && !strings.Contains(value, "url") && !strings.Contains(value, "image") && !strings.Contains(value, "expression")
}

// sanitisedMath returns what of MathML shows a formula. TeX can choose attributes, by \class and \textcolor for
// instance.
func sanitisedMath(mathML string) string { return mathematics().Sanitize(mathML) }

// mathematics is the policy for formulas. Elements in which a browser would read HTML again are not in it.
var mathematics = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	elements := []string{"math", "semantics", "annotation", "mrow", "mi", "mn", "mo", "mtext", "ms", "mspace", "mstyle", "mpadded", "mphantom",
		"menclose", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
		"mprescripts", "mtable", "mtr", "mlabeledtr", "mtd", "code"}
	p.AllowElements(elements...)
	p.AllowNoAttrs().OnElements(elements...)
	p.AllowAttrs("display", "displaystyle", "scriptlevel", "mathvariant", "mathcolor", "mathbackground", "mathsize", "stretchy", "fence",
		"form", "separator", "lspace", "rspace", "minsize", "maxsize", "symmetric", "largeop", "movablelimits", "accent",
		"accentunder", "width", "height", "depth", "voffset", "linethickness", "linebreak", "rowspan", "columnspan", "columnalign",
		"rowalign", "columnspacing", "rowspacing", "columnlines", "rowlines", "frame", "notation", "encoding", "intent").
		Matching(regexp.MustCompile(`^[\w\s#%./+-]*$`)).Globally()
	p.AllowAttrs("class").Matching(words).Globally()
	p.AllowStyles("margin-left", "padding", "font-feature-settings", "border", "border-left", "border-right", "border-top",
		"border-bottom", "text-align", "color", "background-color", "math-style", "math-depth", "math-shift", "font-size").
		MatchingHandler(inert).Globally()
	return p
})
