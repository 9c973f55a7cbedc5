// Package history owns histories: what is generated of a resource type, run after run, while its
// schemas and its metadata change, and what is stored meanwhile.
//
// A history is a sequence of stages. Each is one run of the generator with the ledger of the stage
// before, into a tree of its own. All trees lie in one module, so that one test binary holds every
// generation of the code: there the first one stores objects, and the last one must read them as
// the first does.
//
// Its tests prove law 7 in this way, on the worked example and on real schemas, and on the latter
// that properties which were away and came back in another shape lose nothing. They are skipped in
// short mode; real schemas are found as package corpus finds them. With STRATA_SOAK=1 they tell the
// histories of all types of the tables.
package history
