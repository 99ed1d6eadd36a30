package site

import (
	"bytes"
	_ "embed"
	"html"
	"html/template"
	"net/url"
	"regexp"
	"slices"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/kernel/internal/wasm"
)

//go:embed lesson.html
var lessonLayout string

var lessonTemplate = template.Must(template.New("lesson").Parse(lessonLayout + shellLayout))

// lessonPage is what the template of a lesson gets.
type lessonPage struct {
	shell
	Body           template.HTML
	Previous, Next *neighbour
}

type neighbour struct{ URL, Title string }

// lessons writes the pages of all lessons, after all were rendered, because each page names its neighbours.
func (w *writer) lessons() error {
	pages, documents := make([]lessonPage, len(w.Lessons)), map[string]*page.Document{}
	for _, l := range w.Lessons {
		var cells []string
		if l.Program != nil {
			cells = l.Program.Cells
		}
		var err error
		if documents[l.Name], err = page.New(headed(l.Notebook), l.Name, cells...); err != nil {
			return err
		}
	}
	for i, l := range w.Lessons {
		d := documents[l.Name]
		card, err := w.card(l, d.Title)
		if err != nil {
			return err
		}
		w.cards = append(w.cards, card)
		w.search.add(card, l.Notebook)
		pages[i] = lessonPage{Body: linked(d.Body, documents), shell: shell{Title: d.Title}}
		scripts := []string{}
		for _, name := range d.Uses {
			scripts = append(scripts, name+".js")
		}
		scripts = append(scripts, "figures.js")
		var config template.HTML
		if l.Program != nil {
			scripts = append(scripts, "live.js")
			if config, err = w.live(l); err != nil {
				return err
			}
		}
		pages[i].Scripts, pages[i].Config = scripts, config
		if w.hero.body == "" {
			if w.hero, err = heroOf(l, d.Title, scripts, config); err != nil {
				return err
			}
		}
	}
	if err := w.writeSearch(); err != nil {
		return err
	}
	for i, p := range pages {
		config := p.Config
		p.shell = w.shell(p.Title, p.Scripts...)
		p.Config, p.Lesson = config, true
		if i > 0 {
			p.Previous = &neighbour{w.cards[i-1].URL, w.cards[i-1].Title}
		}
		if i+1 < len(pages) {
			p.Next = &neighbour{w.cards[i+1].URL, w.cards[i+1].Title}
		}
		var out bytes.Buffer
		if err := lessonTemplate.Execute(&out, p); err != nil {
			return err
		}
		if err := w.file(w.cards[i].URL, out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

var attached = regexp.MustCompile(`(?m)^!\[[^\]]*\]\(attachment:[^)]*\)$`)

// headed returns a notebook whose first cell has the figure of its card in the place of the picture that is attached to
// it, because a figure follows the theme and the width of a page and a picture does not.
func headed(nb *ipynb.Notebook) *ipynb.Notebook {
	id := AboutOf(nb).Picture
	at := slices.IndexFunc(nb.Cells, func(c *ipynb.Cell) bool { return c.ID == id })
	if at < 1 || wasm.Panels(nb.Cells[at]) > 0 {
		return nb
	}
	first := nb.Cells[0]
	place := attached.FindStringIndex(first.Source)
	if place == nil {
		return nb
	}
	above, figure, below, out := *first, *nb.Cells[at], *first, *nb
	above.Source, below.Source = first.Source[:place[0]], first.Source[place[1]:]
	figure.ID, below.ID = "head-figure", "head-text"
	figure.Outputs = slices.DeleteFunc(slices.Clone(figure.Outputs), func(o *ipynb.Output) bool {
		return o.Content("image/png") == ""
	})
	out.Cells = append([]*ipynb.Cell{&above, &figure, &below}, nb.Cells[1:]...)
	return &out
}

// live writes the program of a lesson's live cells, and returns the configuration that says where it is.
func (w *writer) live(l Lesson) (config template.HTML, err error) {
	at := page.Live{Cells: l.Program.Cells, Program: l.Program.Code, Files: l.Program.Files, Notes: l.Notes,
		FileURLs: map[string]string{}}
	// The extension is one that servers do not know. For one that they know they would declare a compression, or
	// compress the file again.
	if at.ProgramURL, err = w.asset(l.Name+".bin", l.Program.Code); err != nil {
		return "", err
	}
	if at.WorkerURL, err = w.asset("worker.js", []byte(page.WorkerScript(l.Program.Runtime))); err != nil {
		return "", err
	}
	for path, data := range l.Program.Files {
		if at.FileURLs[path], err = w.asset("file.bin", data); err != nil {
			return "", err
		}
	}
	return at.Config(), nil
}

var notebookLink = regexp.MustCompile(`href="(?:\./)?([^"/:?#]+)\.(?:ipynb|html)(?:#([^"]*))?"`)

// linked makes links between notebooks lead to their pages, and to the cells and headings there.
func linked(body template.HTML, documents map[string]*page.Document) template.HTML {
	return template.HTML(notebookLink.ReplaceAllStringFunc(string(body), func(link string) string {
		m := notebookLink.FindStringSubmatch(link)
		name, err := url.PathUnescape(html.UnescapeString(m[1]))
		d := documents[name]
		if err != nil || d == nil {
			return link
		}
		if m[2] != "" {
			m[2] = "#" + html.EscapeString(d.Anchor(html.UnescapeString(m[2])))
		}
		return `href="` + html.EscapeString(url.PathEscape(name)) + ".html" + m[2] + `"`
	}))
}
