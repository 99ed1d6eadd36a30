//go:build !linux && !darwin

package command

func room(string) (free int64, known bool) { return 0, false }

func addressLimit() (limit int64, limited bool) { return 0, false }
