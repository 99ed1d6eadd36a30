package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/kernel/ipynb"
	"github.com/expfam/lab/kernel/jupyter"
)

func TestScratch(t *testing.T) {
	g := installed(t)
	k := g.start(t, g.home, nil)
	for i, src := range []string{
		"x := 3", "x + 1", "1+1", "1+2", "func f(a float64) float64 { return a * float64(x) }\ny := f(2)\ny",
		"panic(\"oh no\")", "a := []int{1}\nfunc g(i int) int { return a[i] }\n\ng(5)", "z", "func ff() (int, error) { return 3, os.ErrNotExist }\nff()",
		"expfam.Must(os.ReadFile(\"nope\"))",
		"viz.Lines{Lines: []viz.Line{{Name: \"a\", Y: []float64{1, 3, 2}}}, Title: \"A figure\"}",
		"%%\nos.Exit(3)", "!echo hi", "%ls",
		"%%\nfmt.Fprintln(os.Stderr, \"expected\")\nos.Exit(3)",
	} {
		rec, cell := newRecording(k.TempDir()), &ipynb.Cell{Type: ipynb.Code, Source: src}
		start := time.Now()
		reply, err := k.Execute(context.Background(), src, func(m jupyter.Message) { rec.record(cell, m) })
		fmt.Printf("---- %d %s\n=> %.2f s %v %+v\n", i, src, time.Since(start).Seconds(), err, reply)
		for _, o := range rec.outputs(cell) {
			fmt.Printf("   [%s %s %s %s %s]", o.Type, o.Name, strings.TrimSpace(o.Text), o.EValue, strings.Join(o.Traceback, "|"))
			for _, c := range []string{"text/plain"} {
				fmt.Print(" ", o.Content(c))
			}
			fmt.Println()
		}
	}
	fmt.Println(k.Complete(context.Background(), "fmt.Prin", 8))
	time.Sleep(5*time.Second)
	fmt.Println(k.Complete(context.Background(), "fmt.Prin", 8))
	fmt.Println(k.Complete(context.Background(), "s := viz.Lines{Ti", 17))
}
