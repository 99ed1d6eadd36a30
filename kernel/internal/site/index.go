package site

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"image"
	"image/png"
	"regexp"
	"slices"
	"strings"

	"encoding/base64"

	"golang.org/x/image/draw"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/kernel/internal/wasm"
)

//go:embed shell.html
var shellLayout string

//go:embed index.html
var indexLayout string

//go:embed site.css
var sheet string

//go:embed site.js
var script string

//go:embed keep.js
var keeper string

var indexTemplate = template.Must(template.New("index").Parse(indexLayout + shellLayout))

// card is what the index says about a lesson.
type card struct {
	URL, Title, Summary, Minutes, Live, Picture string
}

// About is what a notebook says of itself in its metadata, under "expfam".
type About struct {
	Summary string            // a sentence
	Minutes string            // minutes that a first run takes
	Picture string            // id of the cell whose figure stands for the lesson
	Hero    string            // id of the live cell that stands on the index, above the cards
	Page    map[string]string // values of its parameters for the program in a page
}

// AboutOf reads a notebook's metadata.
func AboutOf(nb *ipynb.Notebook) (a About) {
	m, _ := nb.Metadata["expfam"].(map[string]any)
	a.Summary, _ = m["summary"].(string)
	a.Minutes, _ = m["minutes"].(string)
	a.Picture, _ = m["picture"].(string)
	a.Hero, _ = m["hero"].(string)
	a.Page = map[string]string{}
	set, _ := m["page"].(map[string]any)
	for name, value := range set {
		if text, is := value.(string); is {
			a.Page[name] = text
		}
	}
	return a
}

func (w *writer) card(l Lesson, title string) (c card, err error) {
	about := AboutOf(l.Notebook)
	c = card{URL: l.Name + ".html", Title: title, Summary: about.Summary, Minutes: about.Minutes}
	c.Summary = cmp.Or(c.Summary, firstSentence(l.Notebook))
	if c.Minutes != "" {
		c.Minutes += " min to run"
	}
	live, drawn := 0, 0
	for _, cell := range l.Notebook.Cells {
		n := wasm.Panels(cell)
		if l.Program != nil && slices.Contains(l.Program.Cells, cell.ID) {
			live++
		} else {
			drawn += n
		}
	}
	switch {
	case live > 0:
		c.Live = count(live, "live figure")
	case drawn > 0:
		c.Live = count(drawn, "figure") + " with settings drawn beforehand"
	}
	c.Picture, err = w.picture(l, about.Picture)
	return c, err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

var sentence = regexp.MustCompile(`^(.*?[.!?])(\s|$)`)

// firstSentence returns the first sentence of the first paragraph of Markdown that is neither a heading nor a formula.
func firstSentence(nb *ipynb.Notebook) string {
	for _, cell := range nb.Cells {
		if cell.Type != ipynb.Markdown {
			continue
		}
		for _, paragraph := range strings.Split(cell.Source, "\n\n") {
			text := strings.TrimSpace(plain(paragraph))
			if text == "" || strings.HasPrefix(strings.TrimSpace(paragraph), "#") ||
				strings.HasPrefix(strings.TrimSpace(paragraph), "$$") {
				continue
			}
			if m := sentence.FindStringSubmatch(text); m != nil {
				return m[1]
			}
			return text
		}
	}
	return ""
}

const pictureWidth = 640 // px, twice what a card shows

// picture writes the picture of a lesson's card, which shows the figure of the cell with the id, or the first figure if
// the id is "".
func (w *writer) picture(l Lesson, id string) (url string, err error) {
	for _, cell := range l.Notebook.Cells {
		if id != "" && cell.ID != id {
			continue
		}
		for _, out := range cell.Outputs {
			data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(out.Content("image/png")), ""))
			if err != nil || len(data) == 0 {
				continue
			}
			small, err := scaled(data)
			if err != nil {
				continue
			}
			return w.asset(l.Name+".png", small)
		}
	}
	return "", nil
}

// scaled returns a picture that is at most as wide as those of cards.
func scaled(data []byte) ([]byte, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width*config.Height > 1<<26 {
		return nil, fmt.Errorf("a picture of %d×%d px: %w", config.Width, config.Height, err)
	}
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	b := from.Bounds()
	if b.Dx() <= pictureWidth {
		return data, nil
	}
	to := image.NewRGBA(image.Rect(0, 0, pictureWidth, b.Dy()*pictureWidth/b.Dx()))
	draw.CatmullRom.Scale(to, to.Bounds(), from, b, draw.Src, nil)
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}

// hero is a live cell of a lesson on the index.
type hero struct {
	body       template.HTML // "" for none
	scripts    []string
	config     template.HTML
	url, title string // of the lesson
}

// heroOf makes the hero of a lesson whose metadata name one of its live cells.
func heroOf(l Lesson, title string, scripts []string, config template.HTML) (h hero, err error) {
	id := AboutOf(l.Notebook).Hero
	if id == "" || l.Program == nil || !slices.Contains(l.Program.Cells, id) {
		return h, nil
	}
	at := slices.IndexFunc(l.Notebook.Cells, func(c *ipynb.Cell) bool { return c.ID == id })
	if at < 0 {
		return h, nil
	}
	one := *l.Notebook
	one.Cells = l.Notebook.Cells[at : at+1]
	d, err := page.New(&one, title, id)
	return hero{d.Body, scripts, config, l.Name + ".html", title}, err
}

// index writes the page with the cards.
func (w *writer) index() error {
	var out bytes.Buffer
	sh := w.shell(w.Title, w.hero.scripts...)
	sh.Config = w.hero.config
	err := indexTemplate.Execute(&out, struct {
		shell
		Words     string
		Hero      template.HTML
		URL, From string
		Cards     []card
	}{sh, w.Words, w.hero.body, w.hero.url, w.hero.title, w.cards})
	if err != nil {
		return err
	}
	return w.file("index.html", out.Bytes())
}
