// Server is a program of an outside user. It trains priors and samples posteriors on request over
// HTTP, ends the work for a client that goes away, and keeps a log of its own. It imports nothing
// but what the library exports.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
)

// server answers requests. Its log goes to standard output, one line of JSON for each event.
type server struct {
	log      *slog.Logger
	engine   *engine.Engine
	requests atomic.Int64
	folder   string // where networks are saved
}

// handle runs work under the context of a request, with the log of that request.
func (s *server) handle(work func(ctx context.Context, log *slog.Logger, r *http.Request) (any,
	error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		log := s.log.With("request", s.requests.Add(1))
		answer, err := work(expfam.WithLogger(r.Context(), log), log, r)
		switch {
		case errors.Is(err, expfam.ErrInterrupted):
			log.Info("ended by its client", "error", err.Error())
		case err != nil:
			log.Error("failed", "error", err.Error())
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			log.Info("done")
			json.NewEncoder(w).Encode(answer)
		}
	}
}

func (s *server) train(ctx context.Context, log *slog.Logger, r *http.Request) (any, error) {
	steps, err := strconv.Atoi(r.FormValue("steps"))
	if err != nil {
		return nil, err
	}
	prior, err := learn.TrainContext(ctx, gp.RBF{Cells: 6}, learn.Training{
		Net: nn.Experts{Experts: 2, Blocks: 1, Width: 16, Embedding: 16}, Steps: steps, Batch: 64, Engine: s.engine,
		Progress: func(step, total int, _ float64) { log.Info("trains", "step", step, "of", total) },
	})
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("%s/%d.safetensors", s.folder, steps)
	return path, prior.Save(path)
}

func (s *server) sample(ctx context.Context, log *slog.Logger, r *http.Request) (any, error) {
	draws, err := strconv.Atoi(r.FormValue("draws"))
	if err != nil {
		return nil, err
	}
	var prior expfam.Prior = gp.RBF{Cells: 6}
	if path := r.FormValue("prior"); path != "" {
		if prior, err = learn.Load(path); err != nil {
			return nil, err
		}
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs, err := like.Observe1(2, 0, 1, 1, 4, 3)
	if err != nil {
		return nil, err
	}
	post, err := diffusion.SampleContext(ctx, prior, like, obs,
		diffusion.Sampler{Draws: draws, Batch: 50, Seed: 1, Engine: s.engine,
			Progress: func(done, total int, _ float64) { log.Info("samples", "step", done, "of", total) }})
	if err != nil {
		return nil, err
	}
	return post.Median(), nil
}

func main() {
	s := &server{log: slog.New(slog.NewJSONHandler(os.Stdout, nil)), folder: os.Args[1]}
	var err error
	if s.engine, err = engine.Open("go"); err != nil {
		s.log.Error("no engine", "error", err.Error())
		os.Exit(1)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/train", s.handle(s.train))
	mux.HandleFunc("/sample", s.handle(s.sample))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.log.Error("no address", "error", err.Error())
		os.Exit(1)
	}
	// After an interrupt, requests that are under way are finished. The library leaves this to the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	web := &http.Server{Handler: mux}
	go web.Serve(listener)
	s.log.Info("listens", "address", listener.Addr().String())
	<-ctx.Done()
	quiet, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := web.Shutdown(quiet); err != nil {
		os.Exit(1)
	}
	s.log.Info("over")
}
