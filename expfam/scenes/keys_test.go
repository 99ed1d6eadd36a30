package scenes

import (
	"testing"

	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// Keys of what was stored when these types were in package grid.
func TestFormerKeys(t *testing.T) {
	p := Procedural{Rows: 4, Cols: 4}
	for key, prior := range map[string]any{
		"f2855cf3c7e6107c7445f173b73e04fccb9865b883a5b93c802c152b347b53a9": p,
		"eab82f0bfd8ac6e9e397bc8f2547e9ffa1c9f62d2737159066d4edd7a48a3b25": Crop{Of: p, Rows: 2},
	} {
		must.Equal(t, store.Key("a", prior), key, prior, "key")
	}
	for name, prior := range map[string]any{"Procedural": p, "Crop": Crop{Of: p}, "Images": &Images{}} {
		must.Equal(t, fingerprint.NameOf(prior)[0], "github.com/expfam/lab/expfam/grid grid."+name, name, "is named")
	}
}
