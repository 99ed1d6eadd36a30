package scenes

import (
	"iter"
	"runtime"
)

// Source is an endless sequence of images in which each image can be made by itself.
// [Procedural] and [Images] are Sources.
type Source interface {
	Dim() int
	// Item fills x, of length Dim, with image i of a seed. It may be called by
	// several goroutines.
	Item(seed uint64, i int, x []float64) error
}

// Stream makes the images from, from + 1, … of a source ahead of time and yields them in
// order. Workers is the number of goroutines; 0 means one for each processor. The images
// do not depend on the number of workers, and the receiver may keep them. A stream ends
// after an error, or when its loop ends. To continue a stream, start from the image after
// the last one.
//
//	for x, err := range scenes.Stream(photos, 1, 0, 0) { … }
func Stream(s Source, seed uint64, from, workers int) iter.Seq2[[]float64, error] {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	type result struct {
		x   []float64
		err error
	}
	type job struct {
		i    int
		done chan result
	}
	return func(yield func([]float64, error) bool) {
		// the same jobs: for the workers, and in order for yield
		jobs, queue := make(chan job), make(chan job, 2*workers)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(jobs)
			for i := from; ; i++ {
				j := job{i, make(chan result, 1)}
				for _, to := range []chan job{queue, jobs} {
					select {
					case to <- j:
					case <-stop:
						return
					}
				}
			}
		}()
		for range workers {
			go func() {
				for j := range jobs {
					x := make([]float64, s.Dim())
					err := s.Item(seed, j.i, x)
					j.done <- result{x, err}
				}
			}()
		}
		for j := range queue {
			r := <-j.done
			if !yield(r.x, r.err) || r.err != nil {
				return
			}
		}
	}
}
