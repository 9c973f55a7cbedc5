// Package linkcache stores programs of tests that were linked, so that tests whose code has not
// changed are not linked again. The go command stores what it compiles, and links each program of
// tests anew. [Tool] goes into its flag -toolexec.
//
// A program is found by the action ID of the go command, which covers the linker, its flags and the
// content of all packages. By the same ID, `go install` decides that a program is up to date.
package linkcache
