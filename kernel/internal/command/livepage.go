package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
)

// Where the program of a page's live cells can be.
const (
	liveIn     = "in"
	liveBeside = "beside"
)

// mostInside is how many bytes a program in a page's own file may have.
const mostInside = 8_000_000

// livePage compiles the live cells of an executed notebook for its page. If they cannot be compiled, it says so and
// returns nil, and the page shows settings drawn beforehand.
func livePage(ctx context.Context, said io.Writer, path, target string, nb *ipynb.Notebook, where string) (*page.Live,
	error) {
	if !hasPanels(nb) {
		return nil, nil
	}
	p, err := newPrograms()
	if err != nil {
		return nil, err
	}
	most := mostInside
	if where == liveBeside {
		most = math.MaxInt
	}
	program, notes, err := p.of(ctx, path, nb, most)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		if where == liveIn && errors.As(err, new(tooLarge)) {
			err = fmt.Errorf("%w, or give -live %s", err, liveBeside)
		}
		fmt.Fprintf(said, "%s: its figures show settings drawn beforehand: %v\n", target, err)
		return nil, nil
	}
	if program == nil {
		return nil, nil
	}
	fmt.Fprintf(said, "%s: %s in its page, a program of %.1f MB\n", target, liveCells(program),
		float64(program.Size())/1e6)
	live := &page.Live{Cells: program.Cells, Program: program.Code, Runtime: program.Runtime, Files: program.Files,
		Notes: notes}
	if where == liveIn {
		return live, nil
	}
	base, of := strings.TrimSuffix(target, ".ipynb")+".live", readers(path, target)
	put := func(name string, data []byte) string {
		if err == nil {
			err = ipynb.WriteFile(filepath.Join(base, name), data, of...)
		}
		return url.PathEscape(filepath.Base(base)) + "/" + url.PathEscape(name)
	}
	if err := folderOf(base, of); err != nil {
		return nil, err
	}
	live.ProgramURL, live.FileURLs = put("program.bin", live.Program), map[string]string{}
	live.WorkerURL = put("worker.js", []byte(page.WorkerScript(live.Runtime)))
	for name, data := range live.Files {
		live.FileURLs[name] = put(strings.ReplaceAll(name, "/", "_")+".bin", data)
	}
	return live, err
}

// folderOf makes a folder that is not more readable than files.
func folderOf(path string, of []fs.FileInfo) error {
	perm := fs.FileMode(0o777)
	for _, info := range of {
		may := info.Mode().Perm() | 0o600
		perm &= may | may>>2&0o111 // whoever reads may enter
	}
	if err := os.MkdirAll(path, perm); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&^perm == 0 {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&perm)
}
