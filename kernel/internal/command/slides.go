package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
)

// slides executes the verb slides: it writes slides of notebooks with the outputs that they have.
func slides(_ context.Context, args []string) error {
	flags := newFlags("slides")
	out := flags.String("out", "", "write the slides of one notebook here (default: NOTEBOOK.slides.html)")
	paths, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(paths) == 0 || *out != "" && len(paths) > 1 {
		return errors.New("slides takes notebooks, and -out with one of them: " + call("slides NOTEBOOK"))
	}
	scripts := page.Scripts{Libraries: map[string][]byte{"echarts": echartsSource()}}
	for _, path := range paths {
		nb, err := ipynb.Read(path)
		if err != nil {
			return err
		}
		base := strings.TrimSuffix(path, filepath.Ext(path))
		data, err := page.Slides(nb, filepath.Base(base), scripts)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		to := *out
		if to == "" {
			to = base + ".slides.html"
		}
		if err := ipynb.WriteFile(to, data, readers(path)...); err != nil {
			return err
		}
		fmt.Println(to)
	}
	return nil
}
