package program

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A call is known by its data, whatever the text of the program was when it was written.
func TestCalled(t *testing.T) {
	for _, p := range All() {
		data := map[string]string{"chart": `{"id":"a","panels":[]}`, "maps": `{"id":"a","maps":[]}`, "areas": `{"id":"a","maps":[],"areas":true}`,
			"panel": `{"panel":"a","specs":[]}`,
			"table": `{"id":"a","csv":"x"}`, "sketch": `{"id":"a"}`,
			"influence": `{"id":"a","map":"b","effects":[],"names":[]}`}[p.Name]
		call := strings.TrimSuffix(strings.TrimPrefix(Call(p.Code, data), "<script>"), "</script>")
		name, got := Called(call)
		must.Be(t, name == p.Name && got == data && data != "", "%s: got %q with %s", p.Name, name, got)
	}
}
