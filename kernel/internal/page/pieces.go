package page

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// piece is HTML that the page makes itself: a formula or a figure's program. In an attribute, where no element can
// stand, text takes its place.
type piece struct{ html, text string }

// pieces are kept out of a text while that is rendered and sanitised, and put in afterwards.
type pieces []piece

// mark keeps a piece and returns what stands for it: its number between two private-use characters.
func (p *pieces) mark(html, text string) string {
	*p = append(*p, piece{html, text})
	return fmt.Sprintf("\ue000%d\ue001", len(*p)-1)
}

// unmarked returns a text in which nothing looks like a mark.
func unmarked(text string) string {
	return strings.NewReplacer("\ue000", "\ufffd", "\ue001", "\ufffd").Replace(text)
}

// marks matches elements and marks. inAttribute matches marks in an attribute; in an address a mark is escaped.
var marks = regexp.MustCompile(`<[^>]*>|\x{e000}\d+\x{e001}`)
var inAttribute = regexp.MustCompile(`(?:\x{e000}|%EE%80%80)(\d+)(?:\x{e001}|%EE%80%81)`)

// insert puts the pieces into sanitised HTML, in which an attribute has no ">".
func (p pieces) insert(clean string) string {
	if len(p) == 0 {
		return clean
	}
	return marks.ReplaceAllStringFunc(clean, func(s string) string {
		if s[0] != '<' {
			return p.at(strings.Trim(s, "\ue000\ue001")).html
		}
		return inAttribute.ReplaceAllStringFunc(s, func(mark string) string {
			text := p.at(inAttribute.FindStringSubmatch(mark)[1]).text
			if mark[0] == '%' {
				text = url.PathEscape(text)
			}
			return html.EscapeString(text)
		})
	})
}

// at returns the piece whose number stands in a mark.
func (p pieces) at(number string) piece {
	if i, err := strconv.Atoi(number); err == nil && i < len(p) {
		return p[i]
	}
	return piece{}
}
