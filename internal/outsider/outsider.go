// Package outsider tests the library as somebody else's module has it: its programs, in
// testdata, are built in a folder of their own, with nothing of this repository but what
// it exports.
package outsider
