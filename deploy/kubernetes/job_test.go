package kubernetes

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	draws   = "-set=draws=300"
	batches = "-set=batch=10"
	share   = "../share.ipynb"
	merge   = "../merge.ipynb"
)

// setup builds expfam, and returns a kubelet with its folders, and the volume.
func setup(t *testing.T) (k *kubelet, volume string) {
	t.Helper()
	dir := t.TempDir()
	k = &kubelet{job: filepath.Join(dir, "job"), path: filepath.Join(dir, "bin"),
		kill: func(string, int) func(context.Context) { return nil }}
	volume = filepath.Join(dir, "volume")
	for _, folder := range []string{k.job, volume} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-ldflags=-w", "-o", filepath.Join(k.path, "expfam"), "./kernel/expfam")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return k, volume
}

// expfam runs the command, and returns its output.
func (k *kubelet) expfam(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(filepath.Join(k.path, "expfam"), args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, said.Bytes())
	}
	return out
}

// ended waits for the end of a job, and returns it with how it ended.
func (c *cluster) ended(t *testing.T, name string) (*batch.Job, batch.JobCondition) {
	t.Helper()
	for ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute); ; {
		defer cancel()
		job, err := c.BatchV1().Jobs(namespace).Get(ctx, name, meta.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, condition := range job.Status.Conditions {
			if (condition.Type == batch.JobComplete || condition.Type == batch.JobFailed) &&
				condition.Status == core.ConditionTrue {
				return job, condition
			}
		}
		if ctx.Err() != nil {
			t.Fatalf("%s has not ended: %+v", name, job.Status)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// A share that is killed comes back, the merge runs once, and their posterior is one machine's to the bit.
func TestKilledShare(t *testing.T) {
	k, volume := setup(t)
	one := t.TempDir()
	t.Setenv("EXPFAM_STORE", filepath.Join(one, "store"))
	k.expfam(t, "run", "-html=false", "-set=share=0", "-set=shares=1", draws, batches, "-set=folder="+one,
		"-out="+filepath.Join(one, "share-0.ipynb"), share)
	k.expfam(t, "run", "-html=false", draws, "-set=folder="+one, "-out="+filepath.Join(one, "merge.ipynb"), merge)
	for _, disrupt := range []bool{false, true} {
		t.Run("disrupted="+strconv.FormatBool(disrupt), func(t *testing.T) {
			k := &kubelet{job: k.job, path: k.path, disrupt: disrupt}
			folder := filepath.Join(volume, strconv.FormatBool(disrupt))
			k.kill = func(index string, before int) func(context.Context) {
				if index != "1" || before > 0 {
					return nil
				}
				return func(ctx context.Context) { // killed when the store has its first batches
					for ctx.Err() == nil {
						if found, _ := filepath.Glob(filepath.Join(folder, "store", "*")); len(found) > 0 {
							return
						}
						time.Sleep(10 * time.Millisecond)
					}
				}
			}
			retries := "-retries=1"
			if disrupt { // a drained node is no failure
				retries = "-retries=0"
			}
			c := newCluster(t, k)
			jobs := c.apply(t, k.expfam(t, "submit", "-on=kubernetes", "-shares=3", "-out="+folder, draws, batches,
				retries, "-merge="+merge, share, "--", "-storage=10Gi", "-cpus=1"))
			if len(jobs) != 2 {
				t.Fatalf("jobs %v, not shares and merge", jobs)
			}
			job, condition := c.ended(t, jobs[0])
			if condition.Type != batch.JobComplete || job.Status.CompletedIndexes != "0-2" ||
				job.Status.Succeeded != 3 {
				t.Errorf("shares ended with %+v, %+v", condition, job.Status)
			}
			if want := map[bool]int32{false: 1, true: 0}[disrupt]; job.Status.Failed != want {
				t.Errorf("%d failed pods count, not %d", job.Status.Failed, want)
			}
			if _, condition := c.ended(t, jobs[1]); condition.Type != batch.JobComplete {
				t.Errorf("the merge ended with %+v", condition)
			}
			starts := []int{k.started["0"], k.started["1"], k.started["2"], k.started["wait"], k.started["merge"]}
			if want := []int{1, 2, 1, 1, 1}; !slices.Equal(starts, want) {
				t.Errorf("starts of shares, wait and merge %v, not %v", starts, want)
			}
			got, err := os.ReadFile(filepath.Join(folder, "posterior.npy"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(one, "posterior.npy"))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes differ from the %d of one machine, error %v", len(got), len(want), err)
			}
		})
	}
}

// A share that fails each time ends the job, and nothing is merged.
func TestShareThatFails(t *testing.T) {
	k, volume := setup(t)
	k.kill = func(index string, _ int) func(context.Context) {
		if index == "0" {
			return func(context.Context) {}
		}
		return nil
	}
	c := newCluster(t, k)
	jobs := c.apply(t, k.expfam(t, "submit", "-on=kubernetes", "-shares=2", "-out="+volume, draws, batches,
		"-retries=1", "-merge="+merge, share))
	job, condition := c.ended(t, jobs[0])
	if condition.Type != batch.JobFailed || job.Status.FailedIndexes == nil || *job.Status.FailedIndexes != "0" {
		t.Errorf("shares ended with %+v, %+v", condition, job.Status)
	}
	if k.started["0"] != 2 || k.started["merge"] != 0 {
		t.Errorf("%d starts of the share and %d of the merge, not 2 and 0", k.started["0"], k.started["merge"])
	}
}
