// Package form is a small form for a reader's own observations. The reader enters a likelihood, its link and the
// observations, and the form samples the posterior as they are typed. It also shows the Go program that does the same.
package form
