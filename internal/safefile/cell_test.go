package safefile

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestCell: what a spreadsheet would compute is text.
func TestCell(t *testing.T) {
	for s, want := range map[string]string{"": "", "a": "a", "=1+1": "'=1+1", "@x": "'@x", "-3": "-3", "+1e5": "+1e5",
		"-a": "'-a", "a=1": "a=1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "\t=1": "'\t=1"} {
		must.Equal(t, Cell(s), want, s)
	}
}
