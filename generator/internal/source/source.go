package source

import (
	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// Result is what a front-end read.
type Result struct {
	// Resources are raw, and sorted by lower-case type. Types that differ only in case are one
	// resource. Its versions are in the order of file and position, and several may have the same
	// name.
	Resources []*model.Resource
	// Renames are those that the source itself declares.
	Renames []Rename
	// Changes are those that the source itself declares beyond names.
	Changes []Change
	// Functions are the functions that complete conversions.
	Functions []Function
	// Exports are declarations that the author wants in the packages of versions too.
	Exports []Export
	// Own are the packages whose types serve as API types unchanged.
	Own []*augmentation.Package
	// Definitions are the CRDs that were read, by resource, then by file and position.
	Definitions []Definition
	// Releases are the releases of the source, the oldest first. There are none if Resources has
	// everything that the source defines.
	Releases []Release
	// Broken lists what could not be understood, in the order of file and position. Resources has
	// nothing of it.
	Broken []Broken
	// Notes report, sorted, what a schema requires and the model cannot represent.
	Notes []diag.Message
	// Files are all files that were decoded, including those that others refer to, sorted.
	Files []File
	// Units are the files that the source includes. They are nil if the front-end does not list
	// them, or if what a file declares depends on all files.
	Units []Unit
}

// Broken is a resource version that cannot be understood, with all its errors. Type or Version is
// empty if the errors are about it. Type is also empty if a whole file or section cannot be read.
type Broken struct {
	Type, Version string
	Source        model.Source
	Messages      []diag.Message
}

// Definition is a CRD. Type is that of the resource. JSON is the whole CRD, if the front-end was
// asked for it.
type Definition struct{ Type, File, JSON string }

// Release is what one release of a project defines. Name is the path of its folder.
type Release struct {
	Name      string
	Resources []*model.Resource
}

// File identifies the bytes that were read. Path is below the source's root, with slashes. Digest
// is the SHA-256 in lower-case hexadecimal.
type File struct {
	Path   string
	Size   int
	Digest string
}
