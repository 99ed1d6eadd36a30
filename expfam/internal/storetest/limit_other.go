//go:build !unix

package storetest

import "errors"

func limitFiles(uint64) error { return errors.ErrUnsupported }
