// Package goldentest compares text with the text that txtar archives want. Tests of the generator's
// packages import it. It adds a flag to them: -update writes what the test got into the archives.
package goldentest
