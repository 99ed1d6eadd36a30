//go:build !unix

package faults

import "errors"

func limitFiles(uint64) error { return errors.ErrUnsupported }
