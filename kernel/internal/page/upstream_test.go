package page

import (
	"strings"
	"testing"

	"github.com/wyatt915/treeblood"

	"github.com/expfam/lab/internal/must"
)

// What the converter of TeX gets wrong and texHTML goes around. A failure is good
// news: docs/workarounds.md says what can go.
func TestLimitsOfTreeblood(t *testing.T) {
	forms := map[string]bool{}
	for range 200 { // one in six orders comes first by chance: all 200 alike never do
		mathml := must.Get(treeblood.TexToMML(`\operatorname{rank}`, nil, true, true))(t)
		must.Need(t, strings.Contains(mathml, "<merror>operatorname"), "treeblood knows \\operatorname now: %s", mathml)
		forms[mathml] = true
	}
	must.Be(t, len(forms) != 1, "attributes have one order now")
}
