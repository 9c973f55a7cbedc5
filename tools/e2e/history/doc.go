// Package history tests histories: the generated code of a resource type, run after run, while
// its schemas and metadata change, and the objects that each run's code stores.
//
// A history is a sequence of stages. Each is one run of the generator with the ledger of the
// stage before, into a tree of its own. All trees belong to one module, so that one test binary
// has every generation of the code. There the first generation stores objects, and the last one
// must read the same values.
//
// Its tests prove law 7 on the worked example and on real schemas. On real schemas they also
// prove that skipping properties, which return in another shape, lose nothing. They are skipped
// in short mode; real schemas are found as package corpus finds them. `mage test` tries some
// histories of the worked example, `mage test:long` all of them and some real schemas, and `mage
// soak` the histories of all types in the tables.
package history
