package site

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

// searchIndex is what the search field looks through: sections of lessons.
type searchIndex struct {
	Lessons  []string  `json:"lessons"` // titles
	Sections []section `json:"sections"`
}

// section is the text of a lesson from one heading to the next.
type section struct {
	Lesson  int    `json:"l"`
	URL     string `json:"u"`
	Heading string `json:"h"`
	Text    string `json:"t"`
}

func (x *searchIndex) add(c card, nb *ipynb.Notebook) {
	x.Lessons = append(x.Lessons, c.Title)
	now := section{Lesson: len(x.Lessons) - 1, URL: c.URL, Heading: c.Title}
	flush := func() {
		now.Text = strings.Join(strings.Fields(now.Text), " ")
		if now.Text != "" {
			x.Sections = append(x.Sections, now)
		}
	}
	for _, cell := range nb.Cells {
		if cell.Type == ipynb.Code {
			now.Text += " " + cell.Source
			continue
		}
		fence := "" // what ends the fenced code in which a line stands
		for line := range strings.Lines(cell.Source) {
			if fence != "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
				if fence == "" {
					fence = line[:3]
				} else if strings.HasPrefix(line, fence) {
					fence = ""
				}
				now.Text += " " + strings.Trim(line, "`~\n")
				continue
			}
			if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
				flush()
				now = section{Lesson: now.Lesson, URL: c.URL + "#cell-" + cell.ID,
					Heading: strings.TrimSpace(plain(heading))}
				continue
			}
			now.Text += " " + plain(line)
		}
	}
	flush()
}

var (
	markdownLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	markdownMark = regexp.MustCompile("[*`$|]+|^#+ ")
)

// plain returns Markdown without its marks.
func plain(text string) string {
	return markdownMark.ReplaceAllString(markdownLink.ReplaceAllString(text, "$1"), "")
}

// writeSearch writes the index of the search field.
func (w *writer) writeSearch() error {
	data, err := json.Marshal(w.search)
	if err != nil {
		return err
	}
	_, err = w.asset("search.json", data)
	return err
}
