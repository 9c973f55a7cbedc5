package source

// Unit describes what one file of a source declares. With it, a later run knows which files it must
// read.
type Unit struct {
	Path  string
	Types []string // of resources, also of those that cannot be understood; empty if a type is unknown
	Files []File   // the file, and those that it refers to
}
