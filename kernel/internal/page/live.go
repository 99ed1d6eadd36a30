package page

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/expfam/lab/viz/program"
)

//go:embed live.js
var liveJS string

//go:embed clean.js
var cleanJS string

//go:embed worker.js
var workerJS string

// Live is the program of a notebook's live cells. If the program lies beside the page, the page has addresses instead
// of contents.
type Live struct {
	Cells []string // ids
	// Program is WebAssembly, compressed by gzip; Runtime is the script that runs it, wasm.Program's.
	Program, Runtime []byte
	// Files are what the program reads, by path beside the notebook, compressed by gzip.
	Files map[string][]byte
	// Notes say below the panel of a cell what is different in the page.
	Notes map[string]string
	// ProgramURL, WorkerURL and FileURLs are where the contents lie; "" and nil mean in the page.
	ProgramURL, WorkerURL string
	FileURLs              map[string]string
}

// LiveScript returns the script that fetches the program of live cells when one of them comes into view, and connects
// their panels with it.
func LiveScript() string {
	return "globalThis.expfamControls = " + program.Controls + ";\nglobalThis.expfamClean = " +
		strings.TrimSpace(cleanJS) + "(" + string(compactJSON(shown)) + ");\n" + liveJS
}

// WorkerScript returns the script in which a program runs, behind a page.
func WorkerScript(runtime []byte) string { return workerJS + "\n" + string(runtime) }

func (l *Live) cells() []string {
	if l == nil {
		return nil
	}
	return l.Cells
}

func (l *Live) beside() bool { return l.ProgramURL != "" }

// liveConfig is what live.js reads.
type liveConfig struct {
	Program string            `json:"program"` // address; "" if it is in the page
	Worker  string            `json:"worker"`
	Size    int               `json:"size"` // bytes of the compressed program
	Notes   map[string]string `json:"notes"`
	Files   []liveFile        `json:"files"`
}

type liveFile struct {
	Path string `json:"path"`
	URL  string `json:"url"`
}

// Config returns the element with the configuration, which live.js reads first.
func (l *Live) Config() template.HTML {
	c := liveConfig{Program: l.ProgramURL, Worker: l.WorkerURL, Size: len(l.Program), Notes: l.Notes,
		Files: []liveFile{}}
	for _, path := range slices.Sorted(maps.Keys(l.Files)) {
		c.Files = append(c.Files, liveFile{path, l.FileURLs[path]})
	}
	text, err := json.Marshal(c) // never fails for texts and numbers
	if err != nil {
		panic(err)
	}
	return template.HTML(`<script type="application/json" id="expfam-live">` + string(text) + "</script>\n")
}

// blocks returns the configuration and the contents that stand in the page itself.
func (l *Live) blocks() template.HTML {
	var b strings.Builder
	b.WriteString(string(l.Config()))
	block := func(id string, data []byte) {
		b.WriteString(`<script type="text/plain" id="` + template.HTMLEscapeString(id) + `">` +
			base64.StdEncoding.EncodeToString(data) + "</script>\n")
	}
	if l.ProgramURL == "" {
		block("expfam-live-program", l.Program)
	}
	if l.WorkerURL == "" {
		block("expfam-live-worker", []byte(WorkerScript(l.Runtime)))
	}
	for _, path := range slices.Sorted(maps.Keys(l.Files)) {
		if l.FileURLs[path] == "" {
			block("expfam-live-file:"+path, l.Files[path])
		}
	}
	return template.HTML(b.String())
}
