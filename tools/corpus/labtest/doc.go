// Package labtest owns the lab that the tests of a package share, and what they leave open until
// the last of them ends.
package labtest
