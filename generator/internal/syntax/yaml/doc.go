// Package yaml is the one place of the generator that imports a YAML library, which
// is archived and has a successor with the same API: switching is a change of one
// import. It gives syntax trees with lines and columns; what they mean is for those
// who walk them.
package yaml
