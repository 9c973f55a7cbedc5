package goconv

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// API writes the conversions of the API types that a resource declares.
func API(l gofile.Layout, kv *plan.KindVersion) *gofile.File {
	f := &function{Go: l.Types(kv.Package)}
	f.apiRoot(kv)
	for _, s := range kv.Package.Structs {
		if s.Owner == kv && !s.Map {
			f.apiStruct(s)
		}
	}
	return f.File
}

// Storage writes the steps of the storage types that a resource declares into a
// file.
func Storage(file *gofile.Go, kv *plan.KindVersion) {
	f := &function{Go: file}
	f.storageRoot(kv)
	for _, t := range kv.Package.Steps {
		if t.Owner == kv {
			f.step(t)
		}
	}
}

// apiStruct writes the conversions of one API type.
func (f *function) apiStruct(s *plan.Struct) {
	f.P()
	f.P("// ConvertToStorage makes dst what src is.")
	f.toStorage(s)
	f.P()
	f.P("// ConvertFromStorage makes dst what src is, as far as this version has it.")
	f.fromStorage(s)
	f.pivots(s)
}
