// Package codec reads and writes the JSON of values by their shapes. It is total: a value of the
// wrong type is a misfit, which is taken out when an object is read, and stands at its place again
// when the object is written. Package convert says where misfits are stored; here they are only
// collected.
package codec
