// Package manifests checks the manifests of the folder above against the types of
// Kubernetes. It is a module of its own, so that the library does not need them.
package manifests

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// objects decodes a file: a field that Kubernetes does not know, or knows with another type, is an error.
func objects(t *testing.T, file string) (jobs []batch.Job, claims []core.PersistentVolumeClaim) {
	t.Helper()
	raw, err := os.ReadFile("../" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range bytes.Split(raw, []byte("\n---\n")) {
		var kind struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal(doc, &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.APIVersion + "/" + kind.Kind {
		case "batch/v1/Job":
			jobs = append(jobs, batch.Job{})
			err = yaml.UnmarshalStrict(doc, &jobs[len(jobs)-1])
		case "v1/PersistentVolumeClaim":
			claims = append(claims, core.PersistentVolumeClaim{})
			err = yaml.UnmarshalStrict(doc, &claims[len(claims)-1])
		default:
			err = fmt.Errorf("%s %s is none of the kinds checked here", kind.APIVersion, kind.Kind)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return jobs, claims
}

func TestManifests(t *testing.T) {
	shares, claims := objects(t, "shares.yaml")
	merge, _ := objects(t, "merge.yaml")
	if len(shares) != 1 || len(claims) != 1 || len(merge) != 1 {
		t.Fatalf("%d and %d jobs, %d claims; want one each", len(shares), len(merge), len(claims))
	}
	spec := shares[0].Spec
	if spec.CompletionMode == nil || *spec.CompletionMode != batch.IndexedCompletion || spec.Completions == nil {
		t.Fatal("the job of shares is not indexed")
	}
	args := spec.Template.Spec.Containers[0].Args
	if want := fmt.Sprintf("-set=shares=%d", *spec.Completions); !slices.Contains(args, want) {
		t.Errorf("%d completions, and no %s in %q", *spec.Completions, want, args)
	}
	if !slices.Contains(args, "-set=share=$(JOB_COMPLETION_INDEX)") {
		t.Errorf("a share does not know its number: %q", args)
	}
	if spec.BackoffLimitPerIndex != nil && spec.Template.Spec.RestartPolicy != core.RestartPolicyNever {
		t.Error("backoffLimitPerIndex needs restartPolicy: Never")
	}
	for _, job := range []batch.Job{shares[0], merge[0]} {
		pod := job.Spec.Template.Spec
		if pod.SecurityContext == nil || pod.SecurityContext.RunAsNonRoot == nil || !*pod.SecurityContext.RunAsNonRoot {
			t.Errorf("%s runs as root", job.Name)
		}
		if r := pod.Containers[0].Resources; !reflect.DeepEqual(r.Requests, r.Limits) ||
			r.Limits.Cpu().MilliValue()%1000 != 0 || r.Limits.Cpu().IsZero() {
			t.Errorf("%s asks for %v and is bound to %v; docker/README.md asks for whole processors, both equal",
				job.Name, r.Requests, r.Limits)
		}
		volumes := map[string]core.Volume{}
		for _, v := range pod.Volumes {
			volumes[v.Name] = v
		}
		for _, m := range pod.Containers[0].VolumeMounts {
			v, ok := volumes[m.Name]
			if !ok || v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName != claims[0].Name {
				t.Errorf("%s mounts %s, which is no volume of it or no claim of ours", job.Name, m.Name)
			}
		}
		args := pod.Containers[0].Args
		notebook, inImage := strings.CutPrefix(args[len(args)-1], "/opt/expfam/lab/deploy/")
		if _, err := os.Stat("../" + notebook); !inImage || err != nil {
			t.Errorf("%s runs %s: %v", job.Name, args[len(args)-1], err)
		}
		if !slices.Contains(args, "-set=draws=2000") {
			t.Errorf("%s is of other draws: %q", job.Name, args)
		}
	}
}

// The values are those of a chart, whose schema is not among Kubernetes' types:
// what is checked is that they are YAML without a key twice.
func TestValues(t *testing.T) {
	raw, err := os.ReadFile("../jupyterhub.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Singleuser map[string]any `json:"singleuser"`
	}
	if err := yaml.UnmarshalStrict(raw, &values); err != nil || values.Singleuser["cmd"] != "jupyterhub-singleuser" {
		t.Errorf("%v, error %v", values, err)
	}
}
