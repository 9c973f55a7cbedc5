// Package corpus runs the generator on real schemas.
//
// It owns where the schemas are found, the folders that the generator writes to, the module around
// generated code in which the go command compiles and tests it, and the reading of what came out.
// Nothing that is made of the schemas is written inside of the repository.
//
// Its tests run the generator, and the tests that it generates, on real schemas. They are skipped
// where there are no schemas, and in short mode; with STRATA_CORPUS=1 they compile and test all
// providers, not just five. Package bench/generator measures.
package corpus
