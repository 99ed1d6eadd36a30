package page

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"time"
)

// The work of a Markdown parser grows with the square of some counts. Within these bounds a cell takes less than a
// second; what a person writes is far below them.
const (
	mostMarkdown = 128 << 10 // bytes, without attached images
	mostNested   = 100       // quotes and lists that begin on one line
	mostCells    = 50000     // cells of a table
)

// mostMarks bounds the marks that may open something which ends far behind them: links, emphasis, formulas.
var mostMarks = []struct {
	marks string
	most  int
}{{"[", 2000}, {"*_", 10000}, {"$", 5000}}

// patience is how long a rendering may take that the bounds did not foresee. A rendering of Markdown can't be stopped:
// one that takes longer goes on in the background, and its result is dropped.
const patience = 5 * time.Second

var (
	containers = regexp.MustCompile(`^(?:[ \t]*(?:>|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)))+`)
	container  = regexp.MustCompile(`>|[-*+]|\d+[.)]`)
	tableRule  = regexp.MustCompile(`^[ \t>]*[|:-][ \t|:-]*$`) // the line under a table's head
)

// tooMuch says why Markdown is not worth rendering, "" if it is.
func tooMuch(source string) string {
	if n := len(source); n > mostMarkdown {
		return fmt.Sprintf("it is %d kB long, and %d kB are rendered", n>>10, mostMarkdown>>10)
	}
	for _, m := range mostMarks {
		n := 0
		for i := range len(m.marks) {
			n += strings.Count(source, m.marks[i:i+1])
		}
		if n > m.most {
			return fmt.Sprintf("it has %d of the marks %s, and %d are rendered", n, m.marks, m.most)
		}
	}
	lines, columns := 0, 0
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, "\r\n")
		lines++
		if prefix := containers.FindString(line); len(prefix) > mostNested {
			if n := len(container.FindAllString(prefix, -1)); n > mostNested {
				return fmt.Sprintf("%d quotes and lists begin on one line, and %d are rendered", n, mostNested)
			}
		}
		if tableRule.MatchString(line) {
			columns = max(columns, strings.Count(line, "|")+1)
		}
	}
	if columns > 1 && columns*lines > mostCells {
		return fmt.Sprintf("a table of %d columns may have %d cells, and %d are rendered", columns, columns*lines,
			mostCells)
	}
	return ""
}

// bounded returns what render makes of the source. If that would take or takes too long, it returns the source as it
// was written.
func bounded(source string, limit time.Duration, render func() template.HTML) template.HTML {
	if why := tooMuch(source); why != "" {
		return asWritten(source, why)
	}
	done := make(chan template.HTML, 1)
	go func() { done <- render() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case html := <-done:
		return html
	case <-timer.C:
		return asWritten(source, fmt.Sprintf("rendering it takes more than %v", limit))
	}
}

// asWritten shows text that is not rendered, and says why.
func asWritten(source, why string) template.HTML {
	return template.HTML(`<p class="note">Shown as it was written: ` + template.HTMLEscapeString(why) + `.</p><pre>` +
		template.HTMLEscapeString(source) + `</pre>`)
}
