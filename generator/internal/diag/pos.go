package diag

import (
	"slices"
	"strconv"
	"strings"
)

// NoOffset as Pos.Offset stands for the whole file.
const NoOffset = -1

// Pos is a position in a source. The zero value is no position.
type Pos struct {
	// File is the name to print, by which Sources finds the file's bytes.
	File string
	// Offset is the number of bytes before the position. NoOffset, or any other negative number,
	// stands for the whole file.
	Offset int
	// Path is the path of the value in the document, such as "output.dir" or
	// "definitions.Pool.properties.id"; may be empty.
	Path string
}

// InFile returns the position of a message about a whole file.
func InFile(file string) Pos { return Pos{File: file, Offset: NoOffset} }

// At returns the position of a value in a file.
func At(file string, offset int, path string) Pos {
	return Pos{File: file, Offset: offset, Path: path}
}

// IsZero reports whether p is no position.
func (p Pos) IsZero() bool { return p == Pos{} }

// String returns file and path, without reading the file.
func (p Pos) String() string {
	return strings.Join(nonEmpty(p.File, p.Path), ": ")
}

// Key appends the name of a member to a path. Names that are not plain words are quoted in
// brackets: resources.crm["2014-04-04"].
func Key(path, name string) string {
	switch {
	case !isWord(name):
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// Index appends a list index to a path: sources[0].
func Index(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// isWord reports whether a name is unambiguous in a dotted path.
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
