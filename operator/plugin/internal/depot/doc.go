// Package depot contains a kind of plugin for tests, with a name that is not of Strata. Its version
// 3 streams. Version 2 lacks the checksums of version 1, so that version 3 adapts version 1
// directly.
package depot
