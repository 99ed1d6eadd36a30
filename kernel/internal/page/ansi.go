package page

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

var escape = regexp.MustCompile(`\x1b(?:\[([0-9;?]*)([A-Za-z])|\][^\x07]*\x07|[()][A-B0-2])`)

// ansiHTML turns text with a terminal's colours into HTML. Colours become classes (fg1 is red, fg9 bright red, bg2 a
// green ground, bold and so on), which the page's style sheet defines for light and dark. Other control sequences are
// dropped.
func ansiHTML(text string) string {
	var b strings.Builder
	var s sgr
	open := false
	at := 0
	write := func(part string) {
		if part == "" {
			return
		}
		if class := s.class(); class != "" && !open {
			fmt.Fprintf(&b, `<span class="%s">`, class)
			open = true
		}
		b.WriteString(html.EscapeString(part))
	}
	for _, m := range escape.FindAllStringSubmatchIndex(text, -1) {
		write(text[at:m[0]])
		at = m[1]
		if m[4] < 0 || text[m[4]:m[5]] != "m" {
			continue
		}
		if open {
			b.WriteString("</span>")
			open = false
		}
		s.apply(text[m[2]:m[3]])
	}
	write(text[at:])
	if open {
		b.WriteString("</span>")
	}
	return b.String()
}

// sgr is a terminal's current rendition; colours count from 1, 0 is the default.
type sgr struct {
	fg, bg             int
	bold, italic, line bool
}

func (s *sgr) apply(params string) {
	codes := strings.Split(params, ";")
	for i := 0; i < len(codes); i++ {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			n = 0 // an empty parameter is a reset
		}
		switch {
		case n == 0:
			*s = sgr{}
		case n == 1 || n == 22:
			s.bold = n == 1
		case n == 3 || n == 23:
			s.italic = n == 3
		case n == 4 || n == 24:
			s.line = n == 4
		case n >= 30 && n <= 37:
			s.fg = n - 30 + 1
		case n >= 90 && n <= 97:
			s.fg = n - 90 + 9
		case n == 39:
			s.fg = 0
		case n >= 40 && n <= 47:
			s.bg = n - 40 + 1
		case n >= 100 && n <= 107:
			s.bg = n - 100 + 9
		case n == 49:
			s.bg = 0
		case n == 38 || n == 48:
			color, used := extended(codes[i+1:])
			if i += used; n == 38 {
				s.fg = color
			} else {
				s.bg = color
			}
		}
	}
}

// extended reads a colour of 256 (5;n) or of 24 bits (2;r;g;b); only the first 16 of the former have a class.
func extended(codes []string) (color, used int) {
	if len(codes) >= 2 && codes[0] == "5" {
		if n, err := strconv.Atoi(codes[1]); err == nil && n < 16 {
			color = n + 1
		}
		return color, 2
	}
	if len(codes) > 0 && codes[0] == "2" {
		return 0, min(4, len(codes))
	}
	return 0, 0
}

func (s sgr) class() string {
	var classes []string
	if s.fg > 0 {
		classes = append(classes, fmt.Sprintf("fg%d", s.fg-1))
	}
	if s.bg > 0 {
		classes = append(classes, fmt.Sprintf("bg%d", s.bg-1))
	}
	for _, c := range []struct {
		on   bool
		name string
	}{{s.bold, "bold"}, {s.italic, "italic"}, {s.line, "underline"}} {
		if c.on {
			classes = append(classes, c.name)
		}
	}
	return strings.Join(classes, " ")
}
