// Package generator measures the generator and what it generates, on real schemas. Processes are
// measured from outside: the time of all processors, and the memory of the largest process.
//
// What should come out, on two processors:
//
//	WholeFirst      at most 5 s, 1 GB
//	WholeUnchanged  at most 0.6 s
//	Scale/First     the same cpu-s/copy for each number of copies
//	Scale/OneKind   at most 1 s
//	Peer            ratio at most 0.1
//	Size/Storage    at most 600 lines/version
//	GeneratedTests  at most 4 cpu-s/op
//	Hub             at most 1.0 of a deep copy with nothing hidden, 2.5 with five hidden values
//
// Of these, only what hardly depends on the machine is a test, too: the lines in package corpus,
// the ratio here. The module peers below has the programs that the generator is compared with.
package generator
