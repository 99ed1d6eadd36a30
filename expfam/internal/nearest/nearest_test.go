package nearest

import "testing"

// TestList: the nearest names are those with the fewest changes, and case and spaces change nothing.
func TestList(t *testing.T) {
	names := []string{"Orkney", "Shetland", "Ross-Cromarty", "Caithness", "9162"}
	for name, want := range map[string]string{
		"ross cromarty": `"Ross-Cromarty"`, "Orkneys": `"Orkney"`, "Shetlands": `"Shetland"`, "09162": `"9162"`,
	} {
		if got := List(name, names, 1); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if d := distance([]rune("kitten"), []rune("sitting")); d != 3 {
		t.Errorf("kitten to sitting: %d changes, want 3", d)
	}
}
