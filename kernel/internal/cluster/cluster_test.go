package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// A Slurm of shell scripts, whose sbatch runs the scripts of deploy/slurm before it returns. Its folder has sbatch.log,
// the arrays that were submitted; a merge runs if all three shares are there. What the folder holds besides changes
// what it does: a file lose-2 loses share 2 once, queue is what squeue prints, down makes every command fail.
const (
	sbatch = `#!/bin/sh
[ ! -e "$FAKE/down" ] || { echo "sbatch: error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }
for arg; do
	case $arg in
	--array=*) array=${arg#--array=} ;;
	--output=*) output=${arg#--output=} ;;
	-*) ;;
	*) break ;;
	esac
	shift
done
echo "${array:-merge}" >>"$FAKE/sbatch.log"
echo 7
export SLURMD_NODENAME=n1
if [ -z "$array" ]; then
	log=$(dirname "$output")
	[ -e "$log/share-0.done" ] && [ -e "$log/share-1.done" ] && [ -e "$log/share-2.done" ] && sh "$@" >>"$output" 2>&1
	exit 0
fi
for part in $(echo "$array" | tr , ' '); do
	for i in $(seq "${part%-*}" "${part#*-}"); do
		if [ -e "$FAKE/lose-$i" ]; then rm "$FAKE/lose-$i"; continue; fi
		SLURM_ARRAY_TASK_ID=$i sh "$@" >>"$(echo "$output" | sed "s/%a/$i/")" 2>&1
	done
done
exit 0
`
	squeue = `#!/bin/sh
[ ! -e "$FAKE/down" ] ||
	{ echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }
cat "$FAKE/queue" 2>/dev/null || true
`
	scontrol = `#!/bin/sh
echo "$@" >>"$FAKE/scontrol.log"
`
	// kernel writes what a share writes; a file broken-3 lets share 3 fail, as many times as it has lines.
	kernel = `#!/bin/sh
shift
i=merge
for arg; do
	case $arg in share=*) i=${arg#share=} ;; esac
	out=$prev; prev=$arg
done
if [ -s "$FAKE/broken-$i" ]; then
	sed -i 1d "$FAKE/broken-$i"
	echo "expfam: cell 3: the disk of share $i burns" >&2
	echo "what the cell wrote to standard error" >&2
	exit 1
fi
echo "$i" >"$out"
`
)

// fake is such a Slurm on PATH.
type fake struct {
	dir     string
	options Options
	shown   []Progress
}

func newFake(t *testing.T) *fake {
	f := &fake{dir: t.TempDir()}
	for name, text := range map[string]string{"sbatch": sbatch, "squeue": squeue, "scontrol": scontrol,
		"kernel": kernel} {
		f.write(t, name, text)
	}
	t.Setenv("PATH", f.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE", f.dir)
	f.options = Options{
		Kernel: filepath.Join(f.dir, "kernel"), Folder: filepath.Join(t.TempDir(), "a job"), Retries: 2,
		Show: func(p Progress) { f.shown = append(f.shown, p) }, tick: time.Millisecond, settle: 5 * time.Millisecond,
		patience: 30 * time.Millisecond,
	}
	return f
}

func (f *fake) write(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o755))
}

// submitted are the arrays so far, and "merge".
func (f *fake) submitted() string {
	text, _ := os.ReadFile(filepath.Join(f.dir, "sbatch.log"))
	return strings.Join(strings.Fields(string(text)), " ")
}

func three() Job {
	return Job{Name: "expfam-test", Shares: 3, Over: "share",
		Share: Program{Notebook: "/n/share.ipynb", Sum: "1", Flags: []string{"-set=draws=50"}},
		Merge: &Program{Notebook: "/n/merge.ipynb", Sum: "2", Flags: []string{"-set=draws=50"}}}
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name      string
		files     map[string]string
		submitted string
		trouble   string
	}{
		{name: "all well", submitted: "0-2 merge"},
		{"a share fails twice", map[string]string{"broken-1": "x\nx\n"}, "0-2 merge 1 1 merge",
			"share 1 is submitted again: cell 3: the disk of share 1 burns"},
		{"two shares are gone with their nodes", map[string]string{"lose-0": "", "lose-2": ""}, "0-2 merge 0,2 merge",
			"gone from the queue without a word"},
		{"the merge fails once", map[string]string{"broken-merge": "x\n"}, "0-2 merge merge", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			for name, text := range c.files {
				f.write(t, name, text)
			}
			ends := must.Get(three().Run(t.Context(), f.options))(t)
			var names []string
			for _, e := range ends {
				names = append(names, e.Name+" "+e.Node)
			}
			must.Equal(t, strings.Join(names, ", "), "share 0 n1, share 1 n1, share 2 n1, merge n1", "ended")
			must.Equal(t, f.submitted(), c.submitted, "submitted")
			said := slices.ContainsFunc(f.shown,
				func(p Progress) bool { return c.trouble != "" && strings.Contains(p.Trouble, c.trouble) })
			must.Equal(t, said, c.trouble != "", c.trouble, "is not among", f.shown)
			if _, err := three().Run(t.Context(), f.options); err != nil || f.submitted() != c.submitted {
				t.Errorf("a second call submitted %s; error %v", f.submitted(), err)
			}
		})
	}
}

// A share that never ends well is named with its reason; the others stay, and are not done twice.
func TestWhatFailsForGood(t *testing.T) {
	f := newFake(t)
	f.write(t, "broken-1", "x\nx\nx\n")
	_, err := three().Run(t.Context(), f.options)
	must.Be(t, err != nil &&
		strings.Contains(err.Error(), "share 1 of 3 failed 3 times (share 1: cell 3: the disk of share 1 burns") &&
		strings.Contains(err.Error(), "2 are done") && !strings.Contains(err.Error(), "\n"),
		"error %v", err)
	_, err = three().Run(t.Context(), f.options)
	must.Be(t, err == nil && f.submitted() == "0-2 merge 1 1 1 merge", "submitted %s, error %v", f.submitted(), err)
	f = newFake(t)
	f.write(t, "broken-merge", "x\nx\nx\n")
	must.Refuse(three().Run(t.Context(), f.options))(t, "all 3 shares are in", "merge failed 3 times: cell 3")
	f = newFake(t)
	f.options.Retries = 0
	f.write(t, "lose-2", "")
	must.Refuse(three().Run(t.Context(), f.options))(t,
		"share 2 of 3 failed 1 times (share 2: it is gone from the queue")
}

// What the queue has is not submitted again; what waits for a node that failed starts as soon as there is another.
func TestTheQueue(t *testing.T) {
	f := newFake(t)
	f.write(t, "queue", "9_0|9|0|RUNNING|None\n9_2|9|2|PENDING|BeginTime\n10|10|N/A|PENDING|Dependency\n")
	ctx, cancel := context.WithCancel(t.Context())
	f.options.Show = func(p Progress) {
		f.shown = append(f.shown, p)
		if len(f.shown) == 3 {
			cancel()
		}
	}
	must.Refuse(three().Run(ctx, f.options))(t, "`scancel --name=expfam-test,expfam-test-merge`")
	must.Equal(t, f.submitted(), "1", "submitted")
	p := f.shown[1]
	must.Be(t, p.Done == 1 && p.Running == 1 && p.Waiting == 1 && p.Reason == "BeginTime" && !p.Merging, "%+v", p)
	said, _ := os.ReadFile(filepath.Join(f.dir, "scontrol.log"))
	must.Be(t, strings.HasPrefix(string(said), "update JobId=9_2 StartTime=now\n"), "scontrol %s", said)
}

// A share failed, and Slurm drops the merge that was to run behind it: the merge comes when all shares are there.
func TestTheMergeThatNeverRan(t *testing.T) {
	f := newFake(t)
	f.write(t, "lose-1", "")
	f.write(t, "queue", "7|7|N/A|PENDING|DependencyNeverSatisfied\n")
	var once bool
	f.options.Show = func(p Progress) {
		if p.Done == 3 && !once {
			once = true
			os.Remove(filepath.Join(f.dir, "queue"))
		}
	}
	_, err := three().Run(t.Context(), f.options)
	must.Be(t, err == nil && f.submitted() == "0-2 1 merge", "submitted %s, error %v", f.submitted(), err)
}

func TestDetached(t *testing.T) {
	f := newFake(t)
	f.options.Detach = true
	f.write(t, "lose-1", "")
	if ends, err := three().Run(t.Context(), f.options); err != nil || ends != nil || f.submitted() != "0-2 merge" {
		t.Errorf("%v, submitted %s, error %v", ends, f.submitted(), err)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	f := newFake(t)
	must.Get(three().Run(t.Context(), f.options))(t)
	before := f.submitted()
	for _, c := range []struct {
		name string
		edit func(*Job)
		want string
	}{
		{"other draws", func(j *Job) { j.Share.Flags = []string{"-set=draws=60"} },
			"it was run with -set=draws=50, not -set=draws=60"},
		{"more shares", func(j *Job) { j.Shares = 4 }, "shares were 3 and are 4"},
		{"another number", func(j *Job) { j.Over = "seed" }, "parameter share and is seed"},
		{"another notebook", func(j *Job) { j.Share.Notebook = "/n/other.ipynb" },
			"of /n/share.ipynb, not /n/other.ipynb"},
		{"an edited notebook", func(j *Job) { j.Share.Sum = "3" }, "/n/share.ipynb has been edited since"},
		{"an edited merge", func(j *Job) {
			j.Merge = &Program{Notebook: "/n/merge.ipynb", Sum: "3", Flags: []string{"-set=draws=50"}}
		}, "/n/merge.ipynb has been edited since"},
		{"no merge", func(j *Job) { j.Merge = nil }, "the other has none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := three()
			c.edit(&j)
			_, err := j.Run(t.Context(), f.options)
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) &&
				strings.HasSuffix(err.Error(), "choose another -out, or remove it") && f.submitted() == before,
				"submitted %s, error %v", f.submitted(), err)
		})
	}
	for _, c := range []struct{ name, file, want string }{
		{"somebody's folder", "thesis.tex", "is there already, with thesis.tex in it"},
		{"a damaged job", jobFile, "can't be read: remove it, or choose another -out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := f.options
			o.Folder = t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(o.Folder, c.file), []byte("{"), 0o644))
			_, err := three().Run(t.Context(), o)
			entries, _ := os.ReadDir(o.Folder)
			if err == nil || !strings.Contains(err.Error(), c.want) || len(entries) != 1 || f.submitted() != before {
				t.Errorf("%d entries, submitted %s, error %v", len(entries), f.submitted(), err)
			}
		})
	}
	t.Run("another watch", func(t *testing.T) {
		unlock := must.Get(lock(filepath.Join(f.options.Folder, logFolder, ".lock")))(t)
		defer unlock()
		must.Refuse(three().Run(t.Context(), f.options))(t, "another `expfam submit` watches this job")
	})
}

func TestClustersThatAreNotThere(t *testing.T) {
	f := newFake(t)
	must.Do(t, Slurm{}.Answers(t.Context()))
	f.write(t, "down", "")
	if err := (Slurm{}).Answers(t.Context()); err == nil ||
		err.Error() != "the cluster does not answer (squeue: Unable to contact slurm controller (connect "+
			"failure)): `sinfo` says more" {
		t.Errorf("error %v", err)
	}
	began := time.Now()
	if _, err := three().Run(t.Context(), f.options); err == nil ||
		!strings.Contains(err.Error(), "the cluster has not answered for") || time.Since(began) < f.options.patience {
		t.Errorf("error %v", err)
	}
	f.options.Detach = true
	_, err := three().Run(t.Context(), f.options)
	must.Be(t, err != nil && f.submitted() == "", "submitted %s, error %v", f.submitted(), err)
	t.Run("it answers again", func(t *testing.T) {
		f.options.Detach = false
		f.options.Show = func(p Progress) { os.Remove(filepath.Join(f.dir, "down")) }
		must.Get(three().Run(t.Context(), f.options))(t)
	})
	t.Setenv("PATH", t.TempDir())
	err = Slurm{}.Answers(t.Context())
	must.Be(t, err == errNoSlurm, "error %v", err)
}

// A share that took too long runs again with more time, in the folder of the same job.
func TestAnotherTimeout(t *testing.T) {
	f := newFake(t)
	f.options.Retries = 0
	f.write(t, "broken-1", "x\n")
	f.write(t, "kernel", strings.Replace(kernel, "shift\n", "echo \"$@\" >>\"$FAKE/run.log\"\nshift\n", 1))
	j := three()
	j.Share.Timeout = "-timeout=1h0m0s"
	must.Refuse(j.Run(t.Context(), f.options))(t)
	j.Share.Timeout = "-timeout=2h0m0s"
	_, err := j.Run(t.Context(), f.options)
	must.Be(t, err == nil && f.submitted() == "0-2 merge 1 merge", "submitted %s, error %v", f.submitted(), err)
	said, _ := os.ReadFile(filepath.Join(f.dir, "run.log"))
	if one, two := strings.Count(string(said), "-set=draws=50 -timeout=1h0m0s -out"),
		strings.Count(string(said), "-set share=1 -set=draws=50 -timeout=2h0m0s -out"); one != 3 || two != 1 {
		t.Errorf("%d shares of an hour and %d of two:\n%s", one, two, said)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		shares []int
		want   string
	}{{[]int{0}, "0"}, {[]int{0, 1, 2, 3}, "0-3"}, {[]int{1, 3, 4, 7}, "1,3-4,7"}, {nil, ""}} {
		must.Equal(t, numbers(c.shares), c.want, c.shares)
	}
	must.Equal(t, fmt.Sprint(log("/a%b", "share-%a")), "/a%%b/log/share-%a.log")
}
