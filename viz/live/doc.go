// Package live adds controls to a figure: sliders, ranges, choices, text, checkboxes,
// buttons and painted masks. Each movement of a control redraws the figure.
//
//	rate := &live.Slider{Label: "rate", Min: 0.1, Max: 10, Value: 1, Log: true}
//	live.Show(func() (viz.Figure, error) { return curve(rate.Value), nil }, rate)
//
// A figure with its controls is a panel. A cell that shows a panel keeps running, so that its program keeps networks,
// compiled graphs and draws, and an update compiles nothing. The cell ends when the person presses Done or stops it, or
// when another cell waits for the kernel. It ends at once where nobody can use the controls: in `expfam run`, in
// notebooks without the extension that `expfam install` installs, and in programs outside a notebook.
//
// The saved output holds the figure in its last state, an image that needs no script, and some settings of one slider
// that were drawn beforehand. Wherever scripts run, the slider switches between these settings.
//
// In a page of `expfam site` the program runs in the reader's browser. The panel is then
// live without a kernel, as long as the page is open.
//
// # Cost
//
// When says which movements redraw: every movement (OnMove), the end of a movement (OnRelease), or only the panel's Run
// button, which shows the expected seconds (OnButton).
//
// A figure that takes seconds is drawn in steps (ShowSteps): a quick figure first, which the
// accurate one replaces. Newer values end the steps of older ones.
//
// # No value is lost
//
// The front end sends the values of all controls with a number, and repeats them until the program acknowledges. The
// program ignores values that are older than its own. While it draws, only the newest values wait. Figures are numbered
// as well, and are sent again to a front end that reports an older number. The last value is therefore always shown,
// even if messages are lost or late.
//
// # Elements
//
// Style sheets and tests find the elements of a panel as follows:
//
//   - div.expfam-live[data-panel] is a panel;
//   - [data-control="LABEL"] are its inputs; the ends of a Range also have data-end, low or high;
//   - .expfam-live-figure[data-seq] is the figure; data-seq is the number of the last values that it shows, and
//     data-asked the number of the last values that were asked for;
//   - [data-status] says connecting, live, busy, finishing, ended or precomputed.
//
// A live figure becomes interactive when the pointer is over it.
package live
