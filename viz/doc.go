// Package viz draws figures of posteriors: intervals beside the truth, training curves, labelled curves with bands and
// arrows, comparisons of quantiles, maps, tables that compare methods, and several of these side by side.
//
// A figure is a struct literal, and the zero value of each option is a good default:
//
//	viz.Show(post)                    // a posterior: its Summary
//	viz.Show(field)                   // a field, a column, observations or surveys: their Data
//	viz.Show(viz.Compare(post, other)) // two in one figure and one table
//	viz.Show(viz.Intervals{Draws: post, Truth: theta})
//	err := viz.Save(viz.Curve{Train: loss, LogY: true}, "loss.pdf")
//
// Most figures have a method Chart, whose axes, note and size can be changed before it is shown; see the example of
// Chart.
//
// What cannot be shown is not hidden. Missing values (NaN) are gaps, a logarithmic axis leaves out values of 0 or less,
// infinite values are cut off at the frame, and the note below the figure counts them. PNG and PDF have the letters of
// the Liberation fonts: Latin, Greek and Cyrillic. A figure with other letters is refused there, and its notebook keeps
// an SVG instead.
//
// Figures take data through small interfaces, so this package imports neither the models
// nor an engine. For example, gonum's mat.Matrix is a Draws.
//
// # Two renderings of one description
//
// Every figure first becomes a Chart: axes, marks in data units, a note. The chart is then drawn twice. The static
// drawing (gonum/plot) is an SVG inside an <img>, which is shown in untrusted notebooks, in web viewers and without a
// network. The interactive drawing (ECharts) replaces the image where scripts may run and ECharts is found. It is
// looked for in this order:
//
//  1. in a page that has a global echarts, such as the pages of `expfam run`: they embed
//     ECharts if an output has an element with the attribute data-uses="echarts", which
//     figures have;
//  2. in Jupyter, {base_url}lab/extensions/expfam-viz/echarts.min.js, a file
//     in the folder labextensions/expfam-viz of a Jupyter data directory;
//  3. in a file written by Save, the same file embedded into the page, or the
//     one named by the environment variable EXPFAM_ECHARTS.
//
// Nothing is ever fetched from another host. Without ECharts the image stays; where
// scripts may run, the pointer then shows the values under it.
//
// Maps are not charts: their pictures are images of one pixel per cell. Their scripts need no ECharts. They show the
// values under the pointer in all maps of a row, enlarge a part, and move the threshold of an Exceedance. Choropleth
// makes maps of regions, such as districts.
//
// Buttons above a figure save the complete figure, with all panels, as SVG or PNG.
//
// # Colours
//
// Where scripts run, a figure takes the background of its page: it is dark in a dark
// theme of JupyterLab or VS Code, and in a page for a reader who prefers dark pages.
// Colours of maps do not change. Files, and figures without a script, are dark on white.
//
// Methods have the colours of Okabe and Ito (2008), which colour-blind readers can tell apart. Magnitudes are shown in
// viridis (Smith and van der Walt, 2015), and differences in vik (Crameri, 2018).
package viz
