// Package outsider tests the library from the outside, as another module uses it. The programs in testdata are built in
// a folder of their own. They see nothing of this repository but what it exports.
package outsider
