// Package corpus runs the generator on real schemas.
//
// It finds the schemas, owns the folders that the generator writes to and the module in which the
// go command compiles and tests generated code, and reads the results. It writes no generated
// file inside the repository.
//
// Its tests run the generator, and the tests that it generates, on real schemas. They are skipped
// without schemas, and in short mode. With STRATA_CORPUS=1 they compile and test all providers,
// not just five. Package bench/generator measures.
package corpus
