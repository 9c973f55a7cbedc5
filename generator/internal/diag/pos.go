package diag

import (
	"slices"
	"strconv"
	"strings"
)

// NoOffset as Pos.Offset means the file as a whole.
const NoOffset = -1

// Pos is a place in a source. The zero value is no place at all.
type Pos struct {
	// File is the name to print; Sources finds the file's bytes by it.
	File string
	// Offset counts bytes from the start of the file, from zero. NoOffset, or
	// any other negative number, means the file as a whole.
	Offset int
	// Path leads to the value inside the document, "output.dir" or
	// "definitions.Pool.properties.id"; may be empty.
	Path string
}

// InFile is the place of a message about a file as a whole.
func InFile(file string) Pos { return Pos{File: file, Offset: NoOffset} }

// At is the place of a value in a file.
func At(file string, offset int, path string) Pos {
	return Pos{File: file, Offset: offset, Path: path}
}

// IsZero reports whether p is no place at all.
func (p Pos) IsZero() bool { return p == Pos{} }

// String gives file and path, without reading the file.
func (p Pos) String() string {
	return strings.Join(nonEmpty(p.File, p.Path), ": ")
}

// Key extends a path by a member's name. Names that are not plain words are
// quoted in brackets: resources.crm["2014-04-04"].
func Key(path, name string) string {
	switch {
	case !isWord(name):
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// Index extends a path by a list index: sources[0].
func Index(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// isWord reports whether a name reads unmistakably in a dotted path.
func isWord(name string) bool {
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		return !(r == '_' || r == '$' || r == '-' || r == '/' ||
			'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}) < 0
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
