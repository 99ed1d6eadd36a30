// Package report writes the page that an analyst hands on. One call checks the prior, fits the model, certifies the
// draws, checks their predictions, compares models and decides:
//
//	r, err := report.Analysis{Title: "Malaria in 1000 cells", Prior: prior, Like: like, Obs: obs}.Run()
//	err = viz.Save(r.Page(), "malaria.html")
package report
