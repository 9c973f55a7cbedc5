// Package testrun runs the go command's tests and reports on them: the lines of go test as packages
// end, then how long each package took, which tests were skipped, and whether the reason of each
// skip holds on this machine. A test that is skipped for another reason fails the run. The targets
// `mage test`, `mage test:quick` and `mage test:long` call it.
//
// A test states its reason as "kind: details", where the kind is one of [Reasons].
package testrun
