// Package config defines strata.yaml: its syntax and its meaning.
//
// Read decodes a file strictly and reports all errors at once, each with line and column. A
// misspelled key gets a suggestion. The result is checked and complete, so that other packages
// never read YAML. They report keys that matched nothing by Config.At and Rename.Pos. The same
// rules are published as strata.schema.json for editors.
package config
