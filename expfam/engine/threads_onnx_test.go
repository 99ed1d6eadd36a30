//go:build cgo && !noonnx && linux && (amd64 || arm64)

package engine

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/internal/must"
)

// squarings is a graph of so many products of matrices of 128 × 128.
func squarings(t *testing.T, e *Engine, times int) *graph.Exec {
	t.Helper()
	exec := must.Get(graph.NewExec(e.Backend, func(x *graph.Node) *graph.Node {
		for range times {
			x = graph.Tanh(graph.MatMul(x, x))
		}
		return x
	}))(t)
	t.Cleanup(exec.Finalize)
	return exec
}

func matrix() *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(make([]float32, 128*128), 128, 128)
}

// A session of a worker makes no thread, and one that is compiled otherwise one less than
// Go uses; Go's own threads, some of which may start meanwhile, are far fewer.
func TestThreadsOfSessions(t *testing.T) {
	e, err := Open("onnx")
	if err != nil {
		t.Skip(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const sessions = 6
	threads := func() int {
		all := must.Get(os.ReadDir("/proc/self/task"))(t)
		return len(all)
	}
	made := func(call func(exec *graph.Exec, args ...any) ([]*tensors.Tensor, error)) int {
		before := threads()
		for range sessions {
			must.Get(call(squarings(t, e, 1), matrix()))(t)
		}
		return threads() - before
	}
	if n := made(e.Call); n >= 2*sessions {
		t.Errorf("%d sessions of workers made %d threads", sessions, n)
	}
	if n := made((*graph.Exec).Call); n < 3*sessions {
		t.Errorf("%d sessions on 4 processors made %d threads, want %d", sessions, n, 3*sessions)
	}
}

// Many short evaluations end while a long one is under way, hundreds on idle processors: the
// long one takes the time of three thousand. One by one the first of them would wait for the
// long one, and few would be under way until its caller hears of it.
func TestEvaluationsRunBesideEachOther(t *testing.T) {
	e, err := Open("onnx")
	if err != nil {
		t.Skip(err)
	}
	long, short, x := squarings(t, e, 3000), squarings(t, e, 1), matrix()
	for _, exec := range []*graph.Exec{long, short} {
		must.Get(e.Call(exec, matrix()))(t)
	}
	done := make(chan error, 1)
	go func() {
		_, err := long.Call(matrix())
		done <- err
	}()
	time.Sleep(5 * time.Millisecond) // until it runs
	for n := 0; ; n++ {
		select {
		case err := <-done:
			must.Be(t, err == nil && n >= 20, "%d short evaluations ended while a long one ran, error %v", n, err)
			return
		default:
			must.Get(short.Call(x))(t)
		}
	}
}
