// Package document reads files for front-ends. It decodes JSON and YAML, gives each value a
// location for messages and models, resolves references between files, and gathers what the files
// declare.
//
// It knows no dialect. Each front-end decides which file the address of a reference means.
package document
