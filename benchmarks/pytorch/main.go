// Command pytorch times the U-Net that ships on this library's engine and, with the same
// weights and inputs, in PyTorch (unet.py), in turns in one run:
//
//	python3 -m venv peer && peer/bin/pip install torch==2.9.1 numpy==2.3.5 safetensors==0.7.0
//	cd benchmarks && go run ./pytorch -python ../peer/bin/python
//
// It checks first that both give the same heads and the same products with the transposed Jacobian. Then it prints a
// line for every piece of work: the seconds of both (medians over the rounds), their ratio, and the rate of operations
// in the convolutions, as a share of the engine's rate in products of large matrices.
//
// A piece of sampling is 8 images through the network and three products with its transposed
// Jacobian; a piece of training is the gradients of all weights on 8 images.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/expfam/lab/expfam/engine"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pytorch: ")
	python := flag.String("python", "python3", "a Python that has torch, numpy and safetensors")
	rounds := flag.Int("rounds", 7, "how often each piece of work is done")
	threads := flag.Int("threads", runtime.GOMAXPROCS(0), "threads of both")
	side := flag.Int("side", 64, "rows and columns of the grid")
	flag.Parse()
	if err := run(context.Background(), *python, *side, *threads, *rounds); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, python string, side, threads, rounds int) error {
	if rounds < 1 {
		return fmt.Errorf("-rounds is %d; give at least 1", rounds)
	}
	runtime.GOMAXPROCS(threads)
	e, err := engine.Open("onnx")
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "pytorch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	w, err := newWork(e, side)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.write(folder); err != nil {
		return err
	}
	torch, err := startPeer(ctx, python, folder, threads)
	if err != nil {
		return err
	}
	defer torch.close()
	if err := w.agrees(folder); err != nil {
		return err
	}
	fmt.Printf("PyTorch %s, %d threads, %d×%d cells, %d images, medians of %d rounds in turns\n", torch.version,
		threads, side, side, images, rounds)
	peak, err := w.peak()
	if err != nil {
		return err
	}
	fmt.Printf("products of matrices: %.0f GFLOP/s\n", peak/1e9)
	for _, kind := range []string{"sampling", "training"} {
		var ours, theirs []float64
		for range rounds + 1 {
			start := time.Now()
			if err := w.do(kind); err != nil {
				return err
			}
			ours = append(ours, time.Since(start).Seconds())
			seconds, err := torch.do(kind)
			if err != nil {
				return err
			}
			theirs = append(theirs, seconds)
		}
		a, b := median(ours[1:]), median(theirs[1:]) // the first round warms up
		flops := w.operations(kind)
		fmt.Printf("%s: %.3f s, PyTorch %.3f s, ratio %.2f; %.0f GFLOP/s in convolutions, %.0f%% of the products', "+
			"PyTorch %.0f%%\n",
			kind, a, b, a/b, flops/a/1e9, 100*flops/a/peak, 100*flops/b/peak)
	}
	return nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
