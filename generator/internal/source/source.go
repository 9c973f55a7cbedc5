package source

import (
	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// Result is what a front-end read.
type Result struct {
	// Resources are raw, sorted by lower-case type. A resource is found once,
	// whatever the spelling of its type; its versions stand in the order of
	// file and position, and several may have one name.
	Resources []*model.Resource
	// Renames are those that the source itself tells of.
	Renames []Rename
	// Functions are those that complete conversions.
	Functions []Function
	// Exports are what people want in the packages of versions too.
	Exports []Export
	// Own are the packages whose types are API types as they are.
	Own []*augmentation.Package
	// Definitions are those of custom resources as they were read, in the order of
	// file and position.
	Definitions []Definition
	// Broken holds what could not be understood, in the order of file and
	// position. Nothing of it is in Resources.
	Broken []Broken
	// Notes say what a schema requires and the model cannot say, sorted.
	Notes []diag.Message
	// Files are all files that were decoded, referred ones too, sorted.
	Files []File
}

// Broken is a resource version that cannot be understood, with all its errors.
// Type or Version is empty where the errors are about it; Type is empty also
// where a file or section as a whole cannot be read.
type Broken struct {
	Type, Version string
	Source        model.Source
	Messages      []diag.Message
}

// Definition is a definition of a custom resource. Type is the resource's; JSON is
// all that the file says.
type Definition struct{ Type, File, JSON string }

// File tells which bytes were read. Path is below the source's root, with
// slashes; Digest is the SHA-256 in lower-case hexadecimal.
type File struct {
	Path   string
	Size   int
	Digest string
}
