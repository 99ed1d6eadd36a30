package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// What is to be done is said once, with the times of this machine where there are any.
func TestAnnounce(t *testing.T) {
	var out bytes.Buffer
	in := &installer{out: &out}
	in.announce(nil, record{})
	must.Be(t, out.Len() <= 0, "nothing to do is %q", out.String())
	in.announce([]string{"gonb", "library for cells"}, record{})
	want := "2 steps, about 47 s, typical of two cores: gonb (22 s), library for cells (25 s)\n"
	must.Equal(t, out.String(), want)
	in.announce([]string{"gonb"}, record{})
	must.Equal(t, strings.Count(out.String(), "\n"), 1, "twice", out.String())
	out.Reset()
	(&installer{out: &out}).announce([]string{labStep}, record{Took: map[string]float64{labStep: 71.6}})
	must.Equal(t, out.String(), "1 step, about 72 s, as it took here last: JupyterLab (72 s)\n")
	if got, want := progressBar(1, 2, "library for cells", 75, 150),
		"███████████████░░░░░ 2 of 2  library for cells, 75 s of about 3 min"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// A step that takes longer than expected does not count as done.
	got := progressBar(1, 2, "library for cells", 1000, 150)
	if !strings.HasPrefix(got, strings.Repeat("█", 20)+" 2 of 2") &&
		!strings.HasPrefix(got, strings.Repeat("█", 19)+"░ 2 of 2") {
		t.Errorf("got %q", got)
	}
}
