package command

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

// record is what an installation remembers about itself, in install.json beside kernel.json.
type record struct {
	Workspace string `json:"workspace"` // key of the workspace whose cache was warmed
	// Parts are those that install put in place and -remove removes, or why there are none, by their names.
	Parts map[string]placed `json:"parts,omitempty"`

	// Took is how long the announced steps took here last, in seconds.
	Took map[string]float64 `json:"took,omitempty"`
}

// placed is a part that install put in place, or could not.
type placed struct {
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (r *record) set(name string, p placed) {
	r.Parts = maps.Clone(r.Parts)
	if r.Parts == nil {
		r.Parts = map[string]placed{}
	}
	r.Parts[name] = p
}

func (in *installer) record() record {
	var rec record
	data, err := os.ReadFile(filepath.Join(in.dir, "install.json"))
	if err == nil && json.Unmarshal(data, &rec) != nil {
		return record{} // damaged: do everything again
	}
	return rec
}

func (in *installer) remember(rec record) error {
	if len(in.took) > 0 {
		rec.Took = maps.Clone(rec.Took)
		if rec.Took == nil {
			rec.Took = map[string]float64{}
		}
		maps.Copy(rec.Took, in.took)
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	return ipynb.WriteFile(filepath.Join(in.dir, "install.json"), append(data, '\n'))
}

// lock makes the installer's folder, and waits until no other process puts things into it: two at once must not build
// over each other.
func (in *installer) lock() (unlock func(), err error) {
	if err := os.MkdirAll(in.dir, 0o755); err != nil {
		return nil, err
	}
	return lock(filepath.Join(in.dir, ".lock"))
}
