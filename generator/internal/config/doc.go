// Package config owns strata.yaml: what may stand in it, and what it means.
//
// Read decodes a file strictly and reports everything that is wrong with it at
// once, each with line, column and, where one is near, the key that was meant.
// What it returns is checked and complete; the floors above never look at YAML.
// They report keys that matched nothing by Config.At and Rename.Pos. The same
// rules are published as strata.schema.json for editors.
//
// It is the only package that imports a YAML library.
package config
