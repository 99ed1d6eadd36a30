// Package live puts a figure under controls: sliders, ranges, choices, text,
// checkboxes, buttons and painted masks, whose movement redraws it.
//
//	rate := &live.Slider{Label: "rate", Min: 0.1, Max: 10, Value: 1, Log: true}
//	live.Show(func() (viz.Figure, error) { return curve(rate.Value), nil }, rate)
//
// A cell that shows a panel keeps running, because only then its program holds
// networks, compiled graphs and draws, and an update compiles nothing. It ends
// when the person presses Done or stops it, when another cell waits for the
// kernel, and at once where nothing can answer: `kernel run`, notebooks without
// the front end that `kernel install` puts in place, programs outside a notebook.
//
// Whatever ends it, the saved output holds the figure in its last state, an
// image that needs no script, and settings of one slider that were drawn
// beforehand, between which the slider switches wherever scripts run.
//
// In a page that `kernel site` makes, the program runs in the reader's browser:
// the panel is live there without a kernel, for as long as the page is open.
//
// # Cost
//
// When says what redraws: every movement (OnMove), its end (OnRelease), or the
// panel's Run button with the seconds that it takes (OnButton).
//
// # No value is lost
//
// The front end sends the values of all controls, numbered, and again until the
// program acknowledges; the program ignores what is older than what it has,
// and while it draws only the newest waits. The figures are numbered as well and
// are sent again to a front end that reports an older one. So the last value
// wins, whatever the messages in between do.
//
// # Elements
//
// For style sheets and tests: div.expfam-live[data-panel] is a panel,
// [data-control="LABEL"] its inputs (the ends of a Range also have data-end, low
// or high), .expfam-live-figure[data-seq] the figure with the number of the last
// values that it shows and, in data-asked, of the last that were asked for, and
// [data-status] says connecting, live, busy, finishing, ended or precomputed. A
// figure that is live becomes interactive under the pointer.
package live
