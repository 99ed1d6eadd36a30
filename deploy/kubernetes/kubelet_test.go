package kubernetes

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
)

// kubelet runs the containers of pods as processes of this machine. They have no mounts of their own: the folder job
// stands for /job, and the volume is where -out says. The entry point of the image is left out.
type kubelet struct {
	job, home string // folders
	path      string // of expfam
	// kill is called with each container of a share that starts, and the number of pods that the share had before. What
	// it returns is called in a goroutine of its own, and ends the container when it returns; nil: nothing.
	kill func(index string, before int) func(context.Context)
	// disrupt makes a killed pod one whose node was drained.
	disrupt bool

	running sync.WaitGroup
	mu      sync.Mutex
	started map[string]int // containers by the pod's index, or by the container's name
}

// watch starts the containers of every new pod.
func (k *kubelet) watch(ctx context.Context, c *cluster, pods cache.SharedIndexInformer) {
	k.started = map[string]int{}
	_, _ = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		k.running.Go(func() { k.run(ctx, c, object.(*core.Pod).DeepCopy()) })
	}})
}

// run runs a pod to its end.
func (k *kubelet) run(ctx context.Context, c *cluster, pod *core.Pod) {
	set := func(phase core.PodPhase) {
		pod.Status.Phase = phase
		_ = retry.RetryOnConflict(retry.DefaultRetry, func() error {
			now, err := c.CoreV1().Pods(namespace).Get(ctx, pod.Name, meta.GetOptions{})
			if err == nil {
				now.Status = pod.Status
				_, err = c.CoreV1().Pods(namespace).UpdateStatus(ctx, now, meta.UpdateOptions{})
			}
			return err
		})
	}
	set(core.PodRunning)
	for _, container := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
		code, killed := k.start(ctx, c, pod, container)
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, core.ContainerStatus{Name: container.Name,
			State: core.ContainerState{Terminated: &core.ContainerStateTerminated{ExitCode: int32(code)}}})
		if killed && k.disrupt {
			pod.Status.Conditions = append(pod.Status.Conditions, core.PodCondition{Type: core.DisruptionTarget,
				Status: core.ConditionTrue})
		}
		if code != 0 {
			set(core.PodFailed)
			return
		}
	}
	set(core.PodSucceeded)
}

// start runs a container, and returns the status of its process.
func (k *kubelet) start(ctx context.Context, c *cluster, pod *core.Pod, container core.Container) (code int,
	killed bool) {
	for _, v := range pod.Spec.Volumes {
		if v.ConfigMap == nil {
			continue
		}
		config, err := c.CoreV1().ConfigMaps(namespace).Get(ctx, v.ConfigMap.Name, meta.GetOptions{})
		if err != nil {
			return 128, false
		}
		for name, text := range config.Data {
			path := filepath.Join(k.job, name)
			_ = os.WriteFile(path+pod.Name, []byte(strings.ReplaceAll(text, "/job/", k.job+"/")), 0o644)
			_ = os.Rename(path+pod.Name, path)
		}
	}
	var args []string
	for _, word := range container.Args {
		args = append(args, strings.ReplaceAll(word, "/job/", k.job+"/"))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+k.path+":"+os.Getenv("PATH"))
	index := pod.Annotations[batch.JobCompletionIndexAnnotation]
	for _, e := range container.Env {
		if e.ValueFrom != nil && strings.Contains(e.ValueFrom.FieldRef.FieldPath, batch.JobCompletionIndexAnnotation) {
			e.Value = index
		}
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		return 127, false
	}
	if index == "" {
		index = container.Name
	}
	k.mu.Lock()
	before := k.started[index]
	k.started[index]++
	k.mu.Unlock()
	over, end := context.WithCancel(ctx)
	defer end()
	if wait := k.kill(index, before); wait != nil {
		killed = true
		go func() {
			wait(over)
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}()
	}
	defer context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })()
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, killed
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled():
		return 128 + int(exit.Sys().(syscall.WaitStatus).Signal()), killed
	}
	return max(1, cmd.ProcessState.ExitCode()), killed
}
