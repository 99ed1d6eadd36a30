package viz

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expfam/lab/viz/program"
)

// largestButton is the largest number of bytes of CSV that a table carries in a notebook. Larger tables have no
// button, but Save writes their CSV.
const largestButton = 128 << 10

// html returns the table for a notebook. It takes its colours from the page, so that it is readable in dark themes
// too. Styles are inline because notebooks drop style sheets of untrusted cells.
func (t Table) html(cells [][]cell) ([]byte, error) {
	all, err := t.Encode(CSV)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`<table class="` + plain + `" style="border-collapse:collapse;font-size:13px;margin:6px 0">`)
	if t.Title != "" {
		fmt.Fprintf(&b, `<caption style="text-align:left;font-weight:bold;padding:4px 0;caption-side:top;color:inherit">%s</caption>`, html.EscapeString(clean(t.Title)))
	}
	b.WriteString(`<thead><tr style="border-bottom:1px solid #888">`)
	for j, h := range t.head() {
		fmt.Fprintf(&b, `<th style="text-align:%s;padding:3px 12px">%s</th>`, align(cells[0][j]), html.EscapeString(h))
	}
	b.WriteString("</tr></thead>\n<tbody>")
	from, to := t.gap()
	if t.scroll {
		from = to
	}
	for i, row := range cells {
		if i == from && from < to {
			fmt.Fprintf(&b, `<tr><td colspan="%d" style="text-align:center;padding:3px 12px;opacity:.75">%s</td></tr>`+
				"\n", len(row), t.left())
		}
		if i >= from && i < to {
			continue
		}
		b.WriteString("<tr>")
		for _, c := range row {
			s := html.EscapeString(c.text)
			wrap := ""
			if len(c.text) <= 32 { // a number and its error belong on the same line
				wrap = ";white-space:nowrap"
			}
			fmt.Fprintf(&b, `<td style="text-align:%s;padding:3px 12px;font-variant-numeric:tabular-nums%s">%s</td>`,
				align(c), wrap, s)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>\n")
	if t.scroll {
		inner := slices.Clone(b.Bytes())
		b.Reset()
		fmt.Fprintf(&b, `<div style="max-height:300px;overflow:auto;display:inline-block">%s</div>`+"\n", inner)
	}
	if n := clean(t.Note); n != "" {
		fmt.Fprintf(&b, `<p class="`+plain+`" style="font-size:11px;opacity:.75;margin:4px 0">%s</p>`+"\n",
			html.EscapeString(n))
	}
	if len(all) > largestButton {
		fmt.Fprintf(&b, `<p class="`+plain+`" style="font-size:11px;opacity:.75;margin:4px 0">viz.Save(fig, "table.csv") writes all numbers.</p>`+"\n")
		return b.Bytes(), nil
	}
	id := identity(b.Bytes())
	arg, err := json.Marshal(struct {
		ID  string `json:"id"`
		CSV string `json:"csv"`
	}{id, string(all)})
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return fmt.Appendf(nil, `<div id="%s">`+"\n%s%s</div>\n", id, b.Bytes(), program.Call(program.Table, string(arg))),
		nil
}

// gap returns the range of rows that are not shown, up to but not including to. If all rows are shown, from equals to.
func (t Table) gap() (from, to int) {
	ends := cmp.Or(t.Ends, 10)
	const whole = 61 // sixty rows, and one of their average
	if len(t.Rows) <= max(whole, 2*ends+1) {
		return len(t.Rows), len(t.Rows)
	}
	return ends, len(t.Rows) - ends
}

// left returns a text with how many rows are not shown.
func (t Table) left() string {
	from, to := t.gap()
	return fmt.Sprintf("… %d more rows", to-from)
}

// text returns the table with aligned columns for a terminal.
func (t Table) text(cells [][]cell) []byte {
	head := t.head()
	width := make([]int, len(head))
	for j := range head {
		width[j] = utf8.RuneCountInString(head[j])
		for i := range cells {
			width[j] = max(width[j], utf8.RuneCountInString(cells[i][j].text))
		}
	}
	var b bytes.Buffer
	line := func(texts []string, cells []cell) {
		var l strings.Builder
		for j, s := range texts {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(s))
			if cells[j].number {
				s = pad + s
			} else {
				s += pad
			}
			l.WriteString(s + "   ")
		}
		fmt.Fprintln(&b, strings.TrimRight(l.String(), " "))
	}
	if t.Title != "" {
		fmt.Fprintln(&b, clean(t.Title))
	}
	line(head, cells[0])
	from, to := t.gap()
	for i, row := range cells {
		if i == from && from < to {
			fmt.Fprintln(&b, t.left())
		}
		if i >= from && i < to {
			continue
		}
		texts := make([]string, len(row))
		for j, c := range row {
			texts[j] = c.text
		}
		line(texts, row)
	}
	if n := clean(t.Note); n != "" {
		fmt.Fprintln(&b, n)
	}
	return b.Bytes()
}
