// Package form is a small form for a reader's own observations: their likelihood, its link, and the numbers, whose posterior is sampled
// as they are typed. It shows the Go program that does the same.
package form
