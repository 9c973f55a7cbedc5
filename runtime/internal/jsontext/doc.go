// Package jsontext reads and writes JSON as text: cursors over bytes, numbers as decimals,
// members of objects and of roots, and the JSON of Go values in the spelling of API servers. It
// does not depend on the types of resources.
package jsontext
