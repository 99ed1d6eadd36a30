// Package faults injects faults into all that people use of this module, area by area, and counts what becomes
// of them. It is tests alone, and nothing imports it.
//
//	go test ./internal/faults -full -v -timeout 1h
package faults
