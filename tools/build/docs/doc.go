// Package docs has the tests of the pages in docs: that the tests which they name exist, and that their links lead
// somewhere.
package docs
