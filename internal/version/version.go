// Package version has the version of the library, the kernel and the lessons.
package version

// Version is the version of the last release. CITATION.cff has the same, and a test compares them.
const Version = "0.1.0"
