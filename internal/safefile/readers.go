package safefile

import "io/fs"

// Within reports whether nobody may read or write a file who may not do so with all of the others.
func Within(info fs.FileInfo, of ...fs.FileInfo) bool {
	return within(info.Mode().Perm(), info, of) == info.Mode().Perm()
}

// within takes from permissions of a file what the other files do not have. Where the groups are different, the group
// of the file may do what all may do with the others.
func within(perm fs.FileMode, file fs.FileInfo, of []fs.FileInfo) fs.FileMode {
	for _, o := range of {
		may := o.Mode().Perm() | 0o600 // of the owner, who has read them
		if !sameGroup(file, o) {
			may &= 0o707 | may<<3
		}
		perm &= may
	}
	return perm
}
