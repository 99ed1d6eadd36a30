package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/front"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/site"
	"github.com/expfam/lab/kernel/internal/wasm"
)

const (
	siteTitle = "expfam lab"
	siteWords = "Four accidents were counted in one month: is it a busy street? A diffusion model knows how to " +
		"remove noise, and a count bends its way. The lessons lead from this one number to maps and decisions. " +
		"Figures marked live run the lesson's own Go code in this page."
)

// mostLive is how many bytes a reader may have to fetch for the live cells of a page. A lesson with more keeps settings
// drawn beforehand.
const mostLive = 6_500_000

// sites executes the verb site: it makes a folder of pages for a server of files.
func sites(ctx context.Context, args []string) error {
	flags := newFlags("site")
	out := flags.String("out", "", "the folder, made if it is not there")
	live := flags.Bool("live", true, "compile the programs of live cells; without, their figures show settings "+
		"drawn beforehand")
	paths, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if *out == "" || len(paths) == 0 {
		return errors.New("site needs a folder and notebooks: " + call("site -out DIR notebooks/*.ipynb"))
	}
	s := site.Site{Title: siteTitle, Words: siteWords, Libraries: map[string][]byte{"echarts": echartsSource()}}
	if len(s.Libraries["echarts"]) == 0 {
		fmt.Println("ECharts is not installed, so figures stay static: run", quoted("install"))
	}
	var programs *programs
	for _, path := range paths {
		nb, err := ipynb.Read(path)
		if err != nil {
			return err
		}
		l := site.Lesson{Name: strings.TrimSuffix(filepath.Base(path), ".ipynb"), Notebook: nb}
		if *live && hasPanels(nb) {
			if programs == nil {
				if programs, err = newPrograms(); err != nil {
					return err
				}
			}
			begin := time.Now()
			l.Program, l.Notes, err = programs.of(ctx, path, nb, mostLive)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				fmt.Printf("%s: its figures show settings drawn beforehand: %v\n", path, err)
			case l.Program != nil:
				fmt.Printf("%s: %s, %.1f MB, compiled in %.0f s\n", path, liveCells(l.Program),
					float64(l.Program.Size())/1e6, time.Since(begin).Seconds())
			}
		}
		s.Lessons = append(s.Lessons, l)
		for _, info := range readers(path) {
			if s.Of = append(s.Of, info); info.Mode().Perm()&0o004 == 0 {
				fmt.Printf("%s has mode %v, and the site is not more readable: for a server of another user, give "+
					"the notebook mode 0644 and make the site again\n", path, info.Mode().Perm())
			}
		}
	}
	if err := s.Write(*out); err != nil {
		return err
	}
	fmt.Printf("%s: %d lessons; any server of files shows them, as `python3 -m http.server -d %s`\n",
		filepath.Join(*out, "index.html"), len(s.Lessons), *out)
	return nil
}

func hasPanels(nb *ipynb.Notebook) bool {
	return slices.ContainsFunc(nb.Cells, func(c *ipynb.Cell) bool {
		return wasm.Panels(c) > 0 && !c.HasTag(wasm.StillTag)
	})
}

func liveCells(p *wasm.Program) string {
	if len(p.Cells) == 1 {
		return "1 live cell"
	}
	return fmt.Sprintf("%d live cells", len(p.Cells))
}

// tooLarge is the error of live cells that need more bytes than a page may have.
type tooLarge struct{ bytes, most int }

func (e tooLarge) Error() string {
	return fmt.Sprintf("its live cells need %.2f MB, more than %.0f: tag cells that read large files %q",
		float64(e.bytes)/1e6, float64(e.most)/1e6, wasm.StillTag)
}

// programs compiles the live cells of notebooks.
type programs struct {
	checkout string
	packages cell.Packages
}

func newPrograms() (*programs, error) {
	co, err := findCheckout()
	if err != nil {
		return nil, err
	}
	packages, err := front.Library(co.dir)
	return &programs{co.dir, packages}, err
}

// of compiles the live cells of a notebook. Its parameters have the values that the notebook's metadata gives them for
// a page, and notes tells of these values, by id of the cell that uses them. The program is nil if the notebook has no
// live cells.
func (p *programs) of(ctx context.Context, path string, nb *ipynb.Notebook, most int) (program *wasm.Program,
	notes map[string]string, err error) {
	data, err := nb.Bytes()
	if err != nil {
		return nil, nil, err
	}
	changed, err := ipynb.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	set := settings(site.AboutOf(nb).Page)
	if err := set.apply(changed); err != nil {
		return nil, nil, err
	}
	cells, err := wasm.Cells(changed, p.packages)
	if err != nil || len(cells) == 0 {
		return nil, nil, err
	}
	if program, err = wasm.Build(ctx, p.checkout, filepath.Dir(path), cells); err != nil {
		return nil, nil, err
	}
	if n := program.Size(); n > most {
		return nil, nil, tooLarge{n, most}
	}
	notes = map[string]string{}
	for _, c := range cells {
		var here []string
		for _, name := range slices.Sorted(maps.Keys(set)) {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(c.Source) {
				here = append(here, name+" = "+set[name])
			}
		}
		if here != nil {
			notes[c.ID] = "in this page " + strings.Join(here, ", ")
		}
	}
	return program, notes, nil
}
