// Package store owns the file in which a simulator keeps its state: JSON values in named buckets of
// a bbolt database, which are changed together or not at all. The simulator alone opens one.
//
// A change that Change has made survives the end of the process at any instruction after it,
// SIGKILL among them: its pages were handed to the kernel before the page that makes them valid.
// The end of the machine may damage the file, unless it was opened with Sync. Open detects most
// damage by an error; what still reads as a database is taken for one, as bbolt has checksums of
// its two first pages alone.
package store
