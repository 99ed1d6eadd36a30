package speaktest_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/expfam/lab/expfam/internal/speaktest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/internal/speak"
)

// Where somebody watches, the bar has the plan and every step, and the log nothing.
func TestBar(t *testing.T) {
	bars := speaktest.Listen(t)
	var out bytes.Buffer
	ctx, end := speak.With(logged(t.Context(), &out), "work", "value")
	p := speak.NewPace(ctx, "test", "3 steps", 3)
	for range 3 {
		p.Step(math.NaN())
	}
	end()
	b := bars.One(t)
	must.Be(t, b.First == 0 && b.Last == 3 && b.Total == 3 && b.Plan == "3 steps" && b.Ended && b.Label == "work",
		"%+v", b)
	must.Be(t, out.Len() <= 0, "the log has %q", out.String())
}

// Elsewhere the log has one line, if there is more than a minute left after the first two seconds and eight steps.
func TestLog(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps int
		want  string
	}{
		{"long", 200, `msg="test: 200 steps" left=1m36s`},
		{"short", 100, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				p := speak.NewPace(logged(t.Context(), &out), "test", "200 steps", c.steps)
				for range c.steps {
					time.Sleep(time.Second / 2)
					p.Step(0)
				}
				if got := out.String(); strings.Count(got, "\n") != len(c.want)/max(len(c.want), 1) ||
					!strings.Contains(got, c.want) {
					t.Errorf("the log has %q, want %q", got, c.want)
				}
			})
		})
	}
}

// A first step that waits for what others share does not tell how long these take, unless it is slow.
func TestLogOfSharedStart(t *testing.T) {
	for first, want := range map[time.Duration]string{16 * time.Second: "left=1m44s", 40 * time.Second: "left=39m20s"} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			p := speak.NewPace(logged(t.Context(), &out), "test", "60 steps", 60)
			time.Sleep(first)
			if first > 30*time.Second {
				p.Step(0)
			} else {
				for range 8 {
					p.Step(0)
				}
			}
			must.Be(t, strings.Contains(out.String(), want), "after %v: %q, want %q", first, out.String(), want)
		})
	}
}

func logged(ctx context.Context, to *bytes.Buffer) context.Context {
	return speak.WithLogger(ctx, slog.New(slog.NewTextHandler(to, nil)))
}

// A search says which step it is at, and the log how long it takes at most.
func TestSearch(t *testing.T) {
	bars := speaktest.Listen(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, end := speak.With(t.Context(), "work", "")
		defer end()
		p := speak.Search(ctx, "test", "a search", "fit", 200)
		time.Sleep(time.Second / 2)
		p.Step(0)
		if b := bars.One(t); !slices.Equal(b.Said, []string{"fit 1", "fit 2, 2.0 per s"}) || b.Total != 0 ||
			b.Plan != "a search" {
			t.Errorf("%+v", b)
		}
		var out bytes.Buffer
		p = speak.Search(logged(context.Background(), &out), "test", "a search", "fit", 200)
		for range 10 {
			time.Sleep(time.Second / 2)
			p.Step(0)
		}
		want := `msg="test: a search" at_most=1m36s`
		must.Be(t, strings.Count(out.String(), "\n") == 1 && strings.Contains(out.String(), want),
			"the log has %q, want %q", out.String(), want)
	})
}

// The parts of a work that counts them have no bars of their own, whether they are handed its context or not.
func TestParts(t *testing.T) {
	bars := speaktest.Listen(t)
	ctx, end := speak.With(t.Context(), "whole", "")
	defer end()
	part, over := speak.Parts(ctx)
	must.Be(t, speak.From(part) == nil, "a part has the bar of the whole")
	_, done := speak.With(context.Background(), "part", "")
	done()
	over()
	bars.One(t)
	_, done = speak.With(context.Background(), "next", "")
	done()
	must.Equal(t, len(bars.All()), 2, "after the parts", bars.All())
}
