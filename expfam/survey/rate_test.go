package survey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
)

// In a column of rates, 1.00 and 0.00 are no counts. In a column of counts they are, as pandas writes them beside gaps.
func TestRates(t *testing.T) {
	for text, want := range map[string]int{
		"1.00|0.33|0.00|1.00": 0,
		"0,00|0,5|0,00|1,0":   0,
		"1.0|0.0|NA|5.0":      3,
		"1|0.33|0|2":          3, // written as counts
		"1|0.33|0|1":          0, // none is more than 1
		"0.5|0|0|1":           0,
		"1.00|0.00|12.5|7.0":  1, // estimates; 7.0 may be a count
	} {
		rows := "site;lon;lat;examined;positive\n"
		for cell := range strings.SplitSeq(text, "|") {
			rows += "a;35;1;10;" + cell + "\n"
		}
		path := filepath.Join(t.TempDir(), "a.csv")
		must.Do(t, os.WriteFile(path, []byte(rows), 0o644))
		s, err := survey.Table{}.Read(path)
		must.Be(t, err == nil && len(s.Sites) == want && s.Report.Used == want && s.Report.Used+s.Report.Refused == 4,
			"%s: %v, %v", text, s, err)
	}
}
