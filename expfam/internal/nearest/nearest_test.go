package nearest

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestList: the nearest names are those with the fewest changes, and case and spaces change nothing.
func TestList(t *testing.T) {
	names := []string{"Orkney", "Shetland", "Ross-Cromarty", "Caithness", "9162"}
	for name, want := range map[string]string{
		"ross cromarty": `"Ross-Cromarty"`, "Orkneys": `"Orkney"`, "Shetlands": `"Shetland"`, "09162": `"9162"`,
	} {
		must.Equal(t, List(name, names, 1), want, name)
	}
	must.Equal(t, distance([]rune("kitten"), []rune("sitting")), 3, "kitten to sitting changes")
}
