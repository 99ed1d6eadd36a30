// Package img documents the pictures beside it.
package img

//go:generate go run figure.go
//go:generate go run photograph.go
