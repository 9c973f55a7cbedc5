// Package labtest owns the lab that the tests of a package share. It closes shared resources
// after the last test.
package labtest
