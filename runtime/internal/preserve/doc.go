// Package preserve stores the values that an API version cannot represent when an object is
// converted to it. It restores them when the object is converted back. It also decides which
// version is the original version. Package hidden reads and writes the stored values.
package preserve
