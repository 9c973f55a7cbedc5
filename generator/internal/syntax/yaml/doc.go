// Package yaml is the only package of the generator that imports a YAML library. The library is
// archived, and has a successor with the same API: switching changes one import. The package
// returns syntax trees with lines and columns.
package yaml
