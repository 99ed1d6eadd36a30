package command

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/notebooks/templates"
	"github.com/expfam/lab/viz/program"
)

// frontEnd is the extension of JupyterLab that connects the controls of package viz/live with the program behind them.
// JupyterLab loads it from the folder in which ECharts lies, because that folder has a package.json.
//
//go:embed labextension
var frontEnd embed.FS

const (
	frontEndName  = "expfam-viz" // its folder among JupyterLab's extensions
	frontEndRoot  = "labextension"
	frontEndEntry = frontEndRoot + "/static/remoteEntry.js"
)

// liveEnv set to off tells panels of package viz/live that nobody can move their controls.
const liveEnv = "EXPFAM_LIVE"

// eachFrontEnd calls f with every file of the front end and the path that it has or should have. package.json comes
// first. A page that is loaded in between gets the other files at its next reload.
func eachFrontEnd(f func(data []byte, path string) error) error {
	dir, err := echartsDir()
	if err != nil {
		return err
	}
	err = fs.WalkDir(frontEnd, frontEndRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := frontEnd.ReadFile(name)
		if err != nil {
			return err
		}
		if name == frontEndEntry { // it uses the controls by this name
			data = append([]byte("globalThis.expfamControls = "+program.Controls+";\n"), data...)
		}
		rel, err := filepath.Rel(frontEndRoot, filepath.FromSlash(name))
		if err != nil {
			return err
		}
		return f(data, filepath.Join(dir, rel))
	})
	if err != nil {
		return err
	}
	return eachTemplate(func(data []byte, name string) error {
		return f(data, filepath.Join(dir, "static", "templates", filepath.FromSlash(name)))
	})
}

// eachTemplate calls f with every file of the templates, and with a list of them, by which the launcher offers them.
func eachTemplate(f func(data []byte, name string) error) error {
	type entry struct {
		Name  string   `json:"name"`
		Title string   `json:"title"`
		Data  []string `json:"data"`
		Files []string `json:"files"` // all except the notebook
	}
	var list []entry
	for _, t := range templates.All {
		e := entry{Name: t.Name, Title: t.Title, Data: t.Data}
		err := t.Files(func(path string, data []byte) error {
			if path != t.Name+".ipynb" {
				e.Files = append(e.Files, path)
			}
			return f(data, path)
		})
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return f(data, "index.json")
}

// frontEndCurrent reports whether this program's front end is in place.
func frontEndCurrent() bool {
	return nil == eachFrontEnd(func(data []byte, path string) error {
		if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, data) {
			return fmt.Errorf("%s is not this program's", path)
		}
		return nil
	})
}

func (in *installer) frontEnd() error {
	return in.step("live controls", frontEndCurrent(), func() (string, error) {
		err := eachFrontEnd(func(data []byte, path string) error {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return ipynb.WriteFile(path, data)
		})
		return "extension of JupyterLab; reload pages that are open", err
	})
}

// removeFrontEnd removes what installer.frontEnd put there, and the folders that are empty then.
func removeFrontEnd() error {
	root, err := echartsDir()
	if err != nil {
		return err
	}
	err = eachFrontEnd(func(_ []byte, path string) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	static := filepath.Join(root, "static")
	for _, dir := range []string{filepath.Join(static, "templates", "images"), filepath.Join(static, "templates"),
		static, root, filepath.Dir(root)} {
		os.Remove(dir)
	}
	return err
}

func checkFrontEnd(context.Context, *installer) []finding {
	f := finding{name: "live controls", remedy: quoted("install") +
		": until then panels show settings drawn beforehand"}
	if dir, err := echartsDir(); err == nil && frontEndCurrent() {
		f.detail, f.remedy = dir, ""
	}
	return []finding{f}
}
