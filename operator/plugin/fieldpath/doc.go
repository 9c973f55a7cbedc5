// Package fieldpath reads paths within JSON, as properties.keys[0].value, and the values that they lead to. The operator and
// providers spell paths alike.
package fieldpath
