package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// result returns what the fake kernel wrote for all shares and the merge.
func (f *fake) result(t *testing.T) string {
	t.Helper()
	var all []string
	for _, name := range []string{"share-0", "share-1", "share-2", "merge"} {
		all = append(all, strings.TrimSpace(string(must.Get(os.ReadFile(filepath.Join(f.options.Folder,
			name+".ipynb")))(t))))
	}
	return strings.Join(all, " ")
}

// A share that fails is run again, on this machine and by the commands of other schedulers: one that runs a script, and
// arrays whose tasks know their number by each of the variables.
func TestOtherSchedulers(t *testing.T) {
	array := func(variable string, first int) Command {
		return Command{Words: []string{"submit-array", variable, strconv.Itoa(first), "{shares}", "{run}"}}
	}
	all := map[string]Scheduler{"local": &Local{}, "command": Command{Words: []string{"submit-one", "{run}", "{log}"}}}
	for _, i := range indices {
		all["array/"+i.variable] = array(i.variable, i.first)
	}
	for name, on := range all {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.write(t, "submit-one", "#!/bin/sh\nsh \"$1\" >\"$2\" 2>&1 &\n")
			f.write(t, "submit-array", "#!/bin/sh\n"+
				"for i in $(seq $2 $(($2 + $3 - 1))); do env $1=$i sh \"$4\" & done\n")
			// the date of macOS
			f.write(t, "date", "#!/bin/sh\ncase $1 in *%3N) exec /bin/date +%s3N ;; esac\nexec /bin/date \"$@\"\n")
			f.write(t, "broken-1", "x\n")
			f.write(t, "broken-merge", "x\n")
			f.options.On = on
			ends := must.Get(three().Run(t.Context(), f.options))(t)
			must.Be(t, len(ends) == 4 && f.result(t) == "0 1 2 merge", "%v with %s", ends, f.result(t))
			must.Be(t, ends[0].Node != "" && ends[0].Node != "-", "no name of a node in %v", ends)
			said := f.shown
			must.Get(three().Run(t.Context(), f.options))(t)
			must.Be(t, len(f.shown) == len(said)+1, "a second call did something: %+v", f.shown[len(said):])
		})
	}
}

// What cannot be submitted is refused with what to do.
func TestCommandsThatAreRefused(t *testing.T) {
	f := newFake(t)
	must.Be(t, Command{Words: []string{"qsub"}}.Check() != nil, "a command without {run}")
	err := Command{Words: []string{"no-such-qsub", "{run}"}}.Answers(t.Context())
	must.Be(t, err != nil && strings.Contains(err.Error(), "where jobs are submitted"), "%v", err)
	f.write(t, "refuses", "#!/bin/sh\necho no queue >&2\nexit 1\n")
	f.options.On = Command{Words: []string{"refuses", "{run}"}}
	must.Refuse(three().Run(t.Context(), f.options))(t, "no queue")
	f.options.Detach = true
	must.Refuse(three().Run(t.Context(), f.options))(t, "leave -wait=false or -merge out")
}

// Debian's task-spooler and at, where they are.
func TestRealSchedulers(t *testing.T) {
	for name, words := range map[string][]string{"tsp": {"tsp", "{run}"}, "at": {"at", "-f", "{run}", "now"}} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(name + " is not installed")
			}
			if _, err := os.Stat("/run/atd.pid"); name == "at" && err != nil {
				t.Skip("atd does not run")
			}
			f := newFake(t)
			f.write(t, "broken-2", "x\n")
			t.Setenv("TS_SOCKET", filepath.Join(f.dir, "socket"))
			f.options.On, f.options.settle = Command{Words: words}, time.Minute
			must.Get(three().Run(t.Context(), f.options))(t)
			must.Equal(t, f.result(t), "0 1 2 merge", "results")
			if name == "tsp" {
				must.Do(t, exec.Command("tsp", "-K").Run())
			}
		})
	}
}

// A manifest has the notebooks as they are, and what Kubernetes cannot run is refused; deploy/kubernetes runs it.
func TestManifest(t *testing.T) {
	dir := t.TempDir()
	notebook := filepath.Join(dir, "share.ipynb")
	must.Do(t, os.WriteFile(notebook, []byte("{\"a\": \"<é>\\n\"}\n"), 0o644))
	job := Job{Name: "expfam-1", Shares: 3, Over: "it's",
		Share: Program{Notebook: notebook, Flags: []string{"-set=a=b c"}}}
	k := Kubernetes{Image: "expfam/lab", Claim: "draws", CPUs: 2, Memory: "4Gi", Deadline: time.Hour}
	text := must.Get(k.Manifest(job, "/home/lab/draws"))(t)
	for _, want := range []string{"completions: 3\n", `share.ipynb: "{\"a\": \"\u003cé\u003e\\n\"}\n"`,
		`exec sh /job/share.sh expfam '/home/lab/draws' 'it'\\''s' /job/share.ipynb '-set=a=b c'`,
		"activeDeadlineSeconds: 3600\n"} {
		must.Be(t, strings.Contains(text, want), "no %q in %s", want, text)
	}
	must.Be(t, !strings.Contains(text, "merge"), "a merge in %s", text)
	must.Refuse(k.Manifest(job, "draws"))(t, "where containers mount the volume")
	must.Do(t, os.WriteFile(notebook, make([]byte, mostOfConfig+1), 0o644))
	must.Refuse(k.Manifest(job, "/draws"))(t, "clear their outputs")
}
