// Package kubernetes runs the manifests that `expfam submit -on kubernetes` writes: by Kubernetes' own defaults, its
// validation and its controller of Jobs, over a fake API server in this process, and a kubelet that starts containers
// as processes. It is a module of its own, so that the library does not need Kubernetes.
package kubernetes

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	client "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	internal "k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/controller/job"
	strategy "k8s.io/kubernetes/pkg/registry/batch/job"
	"sigs.k8s.io/yaml"
)

const namespace = "default"

// cluster is an API server with a controller of Jobs and one node.
type cluster struct {
	*fake.Clientset
	kubelet *kubelet
}

// newCluster starts a cluster, which ends with the test. What the kubelet does to a pod is the test's.
func newCluster(t *testing.T, k *kubelet) *cluster {
	t.Helper()
	c := &cluster{fake.NewClientset(), k}
	c.PrependReactor("*", "*", client.ObjectReaction(&versions{ObjectTracker: c.Tracker()}))
	// The fake API server gives no names and no ids.
	c.PrependReactor("create", "pods", func(action client.Action) (bool, runtime.Object, error) {
		pod := action.(client.CreateAction).GetObject().(*core.Pod)
		pod.UID = uuid.NewUUID()
		pod.Name = pod.GenerateName + string(pod.UID[:5])
		return false, nil, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	factory := informers.NewSharedInformerFactory(c, 0)
	controller, err := job.NewController(ctx, factory.Core().V1().Pods(), factory.Batch().V1().Jobs(), c)
	if err != nil {
		t.Fatal(err)
	}
	k.watch(ctx, c, factory.Core().V1().Pods().Informer())
	factory.Start(ctx.Done())
	ended := make(chan struct{})
	go func() {
		controller.Run(ctx, 2)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		k.running.Wait()
		factory.Shutdown()
	})
	return c
}

// versions gives objects the versions of an API server, by which a controller knows that they changed, and refuses an
// update of an old version. The fake API server has none.
type versions struct {
	client.ObjectTracker
	mu   sync.Mutex
	last int
}

// next sets the version of an object.
func (v *versions) next(object runtime.Object) {
	v.last++
	object.(meta.Object).SetResourceVersion(strconv.Itoa(v.last))
}

func (v *versions) Create(of schema.GroupVersionResource, object runtime.Object, ns string,
	o ...meta.CreateOptions) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.next(object)
	return v.ObjectTracker.Create(of, object, ns, o...)
}

func (v *versions) Update(of schema.GroupVersionResource, object runtime.Object, ns string,
	o ...meta.UpdateOptions) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	own := object.(meta.Object)
	if now, err := v.Get(of, ns, own.GetName()); err == nil &&
		now.(meta.Object).GetResourceVersion() != own.GetResourceVersion() {
		return errors.NewConflict(of.GroupResource(), own.GetName(), fmt.Errorf("it has changed"))
	}
	v.next(object)
	return v.ObjectTracker.Update(of, object, ns, o...)
}

func (v *versions) Patch(of schema.GroupVersionResource, object runtime.Object, ns string,
	o ...meta.PatchOptions) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.next(object)
	return v.ObjectTracker.Patch(of, object, ns, o...)
}

// apply does what `kubectl apply` and an API server do with a manifest: a field that Kubernetes does not know, or knows
// with another type, is an error, and so is a Job that its validation refuses.
func (c *cluster) apply(t *testing.T, manifest []byte) (jobs []string) {
	t.Helper()
	ctx := t.Context()
	for _, doc := range bytes.Split(manifest, []byte("\n---\n")) {
		var kind struct{ Kind string }
		err := yaml.Unmarshal(doc, &kind)
		switch kind.Kind {
		case "ConfigMap":
			config := new(core.ConfigMap)
			if err = yaml.UnmarshalStrict(doc, config); err == nil {
				_, err = c.CoreV1().ConfigMaps(namespace).Create(ctx, config, meta.CreateOptions{})
			}
		case "PersistentVolumeClaim":
			claim := new(core.PersistentVolumeClaim)
			if err = yaml.UnmarshalStrict(doc, claim); err == nil {
				_, err = c.CoreV1().PersistentVolumeClaims(namespace).Create(ctx, claim, meta.CreateOptions{})
			}
		case "Job":
			var job *batch.Job
			if job, err = admitted(doc); err == nil {
				jobs = append(jobs, job.Name)
				_, err = c.BatchV1().Jobs(namespace).Create(ctx, job, meta.CreateOptions{})
			}
		default:
			err = fmt.Errorf("kind %q is none of those that submit writes: %v", kind.Kind, err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return jobs
}

// admitted returns a Job with all that an API server fills in.
func admitted(doc []byte) (*batch.Job, error) {
	given, own, full := new(batch.Job), new(internal.Job), new(batch.Job)
	if err := yaml.UnmarshalStrict(doc, given); err != nil {
		return nil, err
	}
	given.UID, given.Namespace = types.UID(uuid.NewUUID()), namespace
	legacyscheme.Scheme.Default(given)
	if err := legacyscheme.Scheme.Convert(given, own, nil); err != nil {
		return nil, err
	}
	if err := rest.BeforeCreate(strategy.Strategy, request.WithNamespace(context.Background(), namespace),
		own); err != nil {
		return nil, err
	}
	return full, legacyscheme.Scheme.Convert(own, full, nil)
}
