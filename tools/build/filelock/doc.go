// Package filelock locks files. One holder at a time has the lock of a file, in this process or
// another. The system frees the lock when the process of its holder ends.
package filelock
