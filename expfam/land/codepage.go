package land

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// codePage turns the bytes of a table into text.
type codePage struct {
	name   string // for errors
	source string // what names the page: ".cpg", "byte 29", or "" for a page that nothing names
	decode func([]byte) (string, bool)
	// most is the largest number of bytes that a part of a character can have, 0 in pages of one byte each.
	most int
}

// utf is the name of UTF-8 as a code page.
const utf = "UTF-8"

// codePageOf returns the code page of a table. The text of its .cpg file decides, then its language driver. If neither
// names a page, the table is UTF-8 where all of its text, text, is valid UTF-8, and otherwise Windows-1252.
func codePageOf(cpg string, driver byte, text []byte) (codePage, error) {
	if cpg = strings.TrimSpace(strings.TrimPrefix(cpg, "\ufeff")); cpg != "" {
		page, ok := named(cpg)
		if !ok {
			return page, fmt.Errorf("the code page %.40q of its .cpg is not known; write the name of the page of "+
				"its text there, such as 1251, Shift_JIS, GBK or UTF-8", cpg)
		}
		page.source = ".cpg"
		if page.name != utf && page.most == 0 && utf8.Valid(text) && !ascii(text) {
			return page, fmt.Errorf("its .cpg names the code page %s, and its text is valid UTF-8; write UTF-8 into "+
				"the .cpg, or, if the page is right, convert the table, as by ogr2ogr -lco ENCODING=UTF-8 new.shp "+
				"old.shp", page.name)
		}
		return page, nil
	}
	valid := utf8.Valid(text)
	if driver == 0 || driver == 0x57 {
		if valid {
			return codePage{utf, "", decodeUTF8, utf8.UTFMax - 1}, nil
		}
		page, _ := numbered(1252)
		return codePage{page.name, "", func(b []byte) (string, bool) {
			out, ok := page.decode(b)
			return out, ok && western(out)
		}, 0}, nil
	}
	page, ok := numbered(drivers[driver])
	if !ok {
		return page, fmt.Errorf("byte 29, its language driver, is 0x%02x, whose code page is not known; put a "+
			"file .cpg with the name of the page beside it, such as 1250, or convert the file, as by ogr2ogr -lco "+
			"ENCODING=UTF-8", driver)
	}
	page.source = "byte 29"
	if valid && !ascii(text) {
		return page, fmt.Errorf("byte 29, its language driver, names the code page %s, and its text is valid "+
			"UTF-8; put a file .cpg beside it with the one of the two that is right, UTF-8 or %s", page.name, page.name)
	}
	return page, nil
}

// named returns the code page with a name such as "UTF-8", "ANSI 1251", "cp850", "88591", "Shift_JIS" or "GBK".
func named(name string) (codePage, bool) {
	flat := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	switch flat {
	case "utf8", "65001", "cp65001", "utf8bom", "utf8sig":
		return codePage{utf, "", decodeUTF8, utf8.UTFMax - 1}, true
	case "ascii", "usascii":
		return codePage{"ASCII", "", func(b []byte) (string, bool) {
			return string(b), ascii(b)
		}, 0}, true
	case "latin1", "28591":
		return named("8859-1")
	case "eucjp", "ujis":
		return numbered(51932)
	case "euckr", "uhc":
		return numbered(949)
	case "koi8r":
		return numbered(20866)
	case "koi8u":
		return numbered(21866)
	case "big5hkscs", "hkscs", "utf16", "utf16le", "utf16be", "utf7", "replacement", "xuserdefined", "hz", "hzgb2312":
		return codePage{}, false // other texts than those of the page with the name next to theirs
	}
	number := flat
	for _, prefix := range []string{"ansi", "oem", "windows", "win", "codepage", "cp", "ibm", "dos", "msdos",
		"ms", "x"} {
		number = strings.TrimPrefix(number, prefix)
	}
	if n, err := strconv.Atoi(number); err == nil {
		if page, ok := numbered(n); ok {
			return page, true
		}
	}
	if part, ok := strings.CutPrefix(strings.TrimPrefix(flat, "iso"),
		"8859"); ok { // as in ISO-8859-1, 88591 or 8859_15
		for _, c := range charmap.All {
			if known, ok := c.(fmt.Stringer); ok && known.String() == "ISO 8859-"+part {
				return paged(known.String(), c), true
			}
		}
	}
	for _, label := range []string{strings.ToLower(name), flat} {
		c, canonical, err := labelled(label)
		if err == nil && !strings.HasPrefix(canonical, "utf-16") && canonical != "replacement" {
			return paged(canonical, c), true
		}
	}
	return codePage{}, false
}

// numbered returns the code page with a number of Windows.
func numbered(n int) (codePage, bool) {
	name := strconv.Itoa(n)
	for _, known := range []map[int]encoding.Encoding{pages, eastern} {
		if c, ok := known[n]; ok {
			return paged(name, c), true
		}
	}
	if table, ok := upper[n]; ok {
		high := []rune(table)
		return codePage{name, "", func(b []byte) (string, bool) {
			out := make([]rune, len(b))
			for i, c := range b {
				if out[i] = rune(c); c >= 128 {
					out[i] = high[c-128]
				}
			}
			return printable(string(out))
		}, 0}, true
	}
	return codePage{}, false
}

// paged returns the page of an encoding.
func paged(name string, c encoding.Encoding) codePage {
	most := 3
	if _, single := c.(*charmap.Charmap); single {
		most = 0
	}
	return codePage{name, "", func(b []byte) (string, bool) {
		out, err := c.NewDecoder().Bytes(b)
		if err != nil {
			return "", false
		}
		return printable(string(out))
	}, most}
}

// printable reports whether a decoded text has no U+FFFD, which stands for bytes without a character, and none of the
// control characters U+0080 to U+009F, which decoders give for the bytes that their page leaves free.
func printable(text string) (string, bool) {
	return text, !strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || r >= 0x80 && r < 0xa0 })
}

// western reports whether a text that was read as Windows-1252 looks like a Western language. It does not if the text
// has four accented letters in a row, as Cyrillic and Greek read so do, a sign such as '‚' or '³' between two
// letters, or a capital such as 'Š' between two small letters, as DOS pages and Polish do, or a sign that names do
// not have, such as '¥', as Chinese does.
func western(text string) bool {
	runes, run := []rune(text), 0
	for i, r := range runes {
		if r < utf8.RuneSelf {
			run = 0
			continue
		}
		if run++; !unicode.IsLetter(r) {
			run = 0
		}
		if run > 3 || !unicode.IsLetter(r) && !strings.ContainsRune("’‘´·–—“”«»ºª°²³½§€", r) {
			return false
		}
		if i == 0 || i == len(runes)-1 || !unicode.IsLetter(runes[i-1]) || !unicode.IsLetter(runes[i+1]) {
			continue
		}
		sign := !unicode.IsLetter(r) && !strings.ContainsRune("’‘´·–—", r)
		if sign || unicode.IsUpper(r) && unicode.IsLower(runes[i-1]) && unicode.IsLower(runes[i+1]) {
			return false
		}
	}
	return true
}

func decodeUTF8(b []byte) (string, bool) { return string(b), utf8.Valid(b) }

// text decodes a cell of a table. A cell that fills its column may end within a character, because programs cut text at
// the width of the column; the part of the character is then left out.
func (p codePage) text(cell []byte, full bool) (string, error) {
	out, ok := p.decode(cell)
	for cut := 1; full && !ok && cut <= p.most && cut < len(cell); cut++ {
		if p.name != utf || cut == len(cell)-len(uncut(cell)) {
			out, ok = p.decode(cell[:len(cell)-cut])
		}
	}
	if ok {
		return strings.TrimSpace(out), nil
	}
	if p.source == "" {
		return "", fmt.Errorf("%.40q is text neither of UTF-8 nor, by its look, of the code page %s; put a file "+
			".cpg with the name of its page beside it, such as 1251, Shift_JIS or 1252", cell, p.name)
	}
	return "", fmt.Errorf("%.40q is no text of the code page %s, which the %s says it is; put a file .cpg with "+
		"the name of its page beside it, such as 1252, Shift_JIS or UTF-8", cell, p.name, p.source)
}

// uncut returns UTF-8 without a part of a character at its end.
func uncut(b []byte) []byte {
	for cut := 1; cut < utf8.UTFMax && cut <= len(b); cut++ {
		if tail := b[len(b)-cut:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return b[:len(b)-cut]
			}
			break
		}
	}
	return b
}

// ascii reports whether all bytes are ASCII.
func ascii(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}
