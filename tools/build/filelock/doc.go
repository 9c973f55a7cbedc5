// Package filelock keeps processes apart: whoever has a file's lock is the only one, of this process or another, and the
// system frees the lock when its holder ends, however it does.
package filelock
