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
			f.custom(t)
		}
		if t.Owner == kv {
			f.step(t, plan.Programs)
		}
	}
}

// Steps writes the conversions between neighbours that only tests call, beside the tests of a
// resource.
func Steps(l gofile.Layout, k *plan.Kind) *gofile.File {
	f := &function{Go: l.Tests(k.Group)}
	f.Note = "Source: " + k.Resource.Model.Type
	for _, kv := range k.Versions {
		if next := kv.Next(); next != nil && kv.IsForTests(next) && k.HasTests {
			f.rootSteps(kv, next, "one step nearer to the hub")
		}
		for _, t := range kv.Package.Steps {
			if t.Owner == kv {
				f.step(t, plan.Tests)
			}
		}
	}
	return f.File
}

// apiStruct writes the conversions of one API type.
func (f *function) apiStruct(s *plan.Struct) {
	f.P()
	f.toStorage(s)
	f.P()
	f.fromStorage(s)
	f.pivots(s)
}
