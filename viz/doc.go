// Package viz draws the figures of the lessons: posterior intervals against the
// truth, training curves, labelled curves with bands and arrows, quantile
// agreement, several of them side by side, maps, and tables that compare methods.
//
// A figure is a struct literal whose zero options are good:
//
//	viz.Show(post)                    // a posterior: its Summary
//	viz.Show(viz.Compare(post, other)) // two in one figure and one table
//	viz.Show(viz.Intervals{Draws: post, Truth: theta})
//	err := viz.Save(viz.Curve{Train: loss, LogY: true}, "loss.pdf")
//
// Data enter through small views (Draws is satisfied by gonum's mat.Matrix), so
// that this package imports neither the models nor an engine.
//
// # Two renderings of one description
//
// Every figure first becomes a Chart: axes, marks in data units, a note. The
// chart is then drawn twice. The static drawing (gonum/plot) is an SVG inside
// an <img>, which survives untrusted notebooks, web viewers and missing
// networks. The interactive one (ECharts) replaces the image when a script may
// run and the library is at hand, in this order:
//
//  1. a page that already has a global echarts, as the pages of `kernel run`
//     do: they embed it when an output has an element with the attribute
//     data-uses="echarts", which figures have;
//  2. in Jupyter, {base_url}lab/extensions/expfam-viz/echarts.min.js, a file
//     in the folder labextensions/expfam-viz of a Jupyter data directory;
//  3. in a file written by Save, the same file embedded into the page, or the
//     one named by the environment variable EXPFAM_ECHARTS.
//
// Nothing is ever fetched from another host. Without the library the image
// stays, and where scripts may run it answers the pointer with the values
// under it.
//
// Maps are not charts: their pictures are images of one pixel per cell, and their
// scripts need no ECharts to tell the values of the cell under the pointer in
// all maps of a row, to enlarge a part, and to move the threshold of an
// Exceedance.
//
// Buttons over a figure save the whole of it, all panels together, as SVG or PNG.
//
// # Colours
//
// Where scripts run a figure takes its ground from the page, so that it is dark in a dark
// theme of JupyterLab or VS Code and in a page for a reader who prefers that; colours
// of maps stay what they are. Files, and figures without a script, are dark on white.
//
// Methods take the palette of Okabe and Ito (2008), which colour-blind readers
// can tell apart; magnitudes take viridis (Smith and van der Walt, 2015), differences
// vik (Crameri, 2018).
package viz
