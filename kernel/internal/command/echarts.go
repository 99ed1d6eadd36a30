package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/expfam/lab/internal/safefile"
)

// echartsPackage is the package of ECharts, which makes figures interactive; without it they are images. JupyterLab
// serves what lies in a folder of labextensions at {base_url}lab/extensions/, and needs no package.json for that.
var echartsPackage = npmPackage{
	name: "echarts", version: "6.1.0",
	integrity: "sha512-q0yaFPggC9FUdsWH4blavRWFmxdrIodbkoKNAjJudAI6CA9gNPxHtV2RcZNEepZVlk4yvBYkOkbk6HIVpIyHZA==",
}

const (
	echartsFile = "echarts.min.js"
	echartsEnv  = "EXPFAM_ECHARTS" // a file elsewhere, for pages; the figures' package reads it too
	staticOnly  = "figures stay static"
)

// echartsMembers are the files of the package that are kept, by their names in it. The licence goes where the program
// goes.
var echartsMembers = map[string]string{
	"package/dist/" + echartsFile: echartsFile,
	"package/LICENSE":             "LICENSE",
	"package/NOTICE":              "NOTICE",
	"package/licenses/LICENSE-d3": "LICENSE-d3",
}

// echartsDir returns the folder in which figures look for ECharts.
func echartsDir() (string, error) {
	dir, err := dataDir()
	return filepath.Join(dir, "labextensions", frontEndName), err
}

// echartsSource reads ECharts for embedding; nil means that there is none.
func echartsSource() []byte {
	paths := []string{os.Getenv(echartsEnv)}
	if dir, err := echartsDir(); err == nil {
		paths = append(paths, filepath.Join(dir, echartsFile))
	}
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && len(data) > 0 {
			return data
		}
	}
	return nil
}

// echarts begins to put ECharts in place, and returns the step that ends this. If ECharts cannot be had, that is no
// error. A file that install didn't put there is left alone.
func (in *installer) echarts(ctx context.Context, rec *record) func() error {
	dir, err := echartsDir()
	if err != nil {
		return func() error { return err }
	}
	_, err = os.Stat(filepath.Join(dir, echartsFile))
	done := err == nil && (rec.ECharts == "" || rec.ECharts == echartsPackage.version)
	if !done && rec.EChartsError != "" && !in.verbose {
		return func() error { return nil } // said before; `install` tries again
	}
	what := "npm package " + echartsPackage.name + " " + echartsPackage.version
	fetch := func() (string, error) { return what, fetchECharts(ctx, dir) }
	return in.begin(ctx, "ECharts", done, fetch, func(what string, err error) (string, error) {
		if err != nil {
			rec.EChartsError = err.Error()
			in.remember(*rec)
			return fmt.Sprintf("not in place, so %s (%v); %s tries again", staticOnly, err, quoted("install")), nil
		}
		rec.ECharts, rec.EChartsError = echartsPackage.version, ""
		return what, in.remember(*rec)
	})
}

// fetchECharts puts the files into the folder, the program last, so that its licence is wherever the program is.
func fetchECharts(ctx context.Context, dir string) error {
	if os.Getenv(noInstallEnv) != "" {
		return fmt.Errorf("%s forbids fetching it", noInstallEnv)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	defer os.Remove(dir) // if it is empty after a failure
	temp, remove, err := safefile.Folder(dir, ".fetch")
	if err != nil {
		return err
	}
	defer remove()
	files := map[string]string{}
	for member, name := range echartsMembers {
		files[member] = filepath.Join(temp, name)
	}
	if err := echartsPackage.fetch(ctx, temp, files); err != nil {
		return err
	}
	for _, name := range echartsMembers {
		if name == echartsFile {
			continue
		}
		if err := os.Rename(filepath.Join(temp, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.Rename(filepath.Join(temp, echartsFile), filepath.Join(dir, echartsFile))
}

// removeECharts removes what fetchECharts put there.
func removeECharts() error {
	dir, err := echartsDir()
	if err != nil {
		return err
	}
	for _, name := range echartsMembers {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	os.Remove(dir) // if it is empty now
	os.Remove(filepath.Dir(dir))
	return nil
}

func checkECharts(_ context.Context, in *installer) []finding {
	f := finding{what: "ECharts", mend: quoted("install") + ": until then " + staticOnly}
	dir, err := echartsDir()
	if err != nil {
		return []finding{f}
	}
	path := filepath.Join(dir, echartsFile)
	if _, err := os.Stat(path); err == nil {
		f.detail, f.mend = path, ""
		if version := in.record().ECharts; version != "" {
			f.detail = version + "  " + path
		}
	}
	return []finding{f}
}
