// Package jsontext reads and writes JSON as text: cursors over bytes, numbers as decimals, members
// of objects and of roots, and the JSON of Go values as an API server spells it. It knows no types
// of resources.
package jsontext
