package goconv

import (
	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// API writes the conversions of the API types that a resource declares.
func API(l gofile.Layout, kv *plan.KindVersion) *gofile.File {
	f := &function{Go: l.Types(kv.Package)}
	f.apiRoot(kv)
	for _, s := range kv.Package.Structs {
		if s.Owner == kv {
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
	for _, s := range kv.Package.Structs {
		if s.Owner != kv {
			continue
		}
		for _, t := range s.Steps {
			f.step(t)
		}
	}
}

// apiStruct writes all conversions of one API type.
func (f *function) apiStruct(s *plan.Struct) {
	own := ownMoves(s)
	f.P()
	f.P("// ConvertToStorage makes dst what src is.")
	f.toStorage(s, "ConvertToStorage", s, own)
	f.calls = nil
	f.P()
	f.P("// ConvertFromStorage makes dst what src is, as far as this version has it.")
	f.fromStorage(s, "ConvertFromStorage", s, own)
	f.calls = nil
	for _, t := range s.Fused {
		up, down := fusedName("to", s, t.Near), fusedName("from", s, t.Near)
		f.P()
		f.P("// ", up, " is ConvertToStorage and all steps to ", t.Near.Package.Label, " in one.")
		f.toStorage(s, up, t.Near, t.Moves)
		f.calls = nil
		f.P()
		f.P("// ", down, " is all steps from ", t.Near.Package.Label, " and ConvertFromStorage in one.")
		f.fromStorage(s, down, t.Near, t.Moves)
		f.calls = nil
	}
	f.pivots(s)
}

// ownMoves hands every field of an API type to its own storage type.
func ownMoves(s *plan.Struct) []*plan.Move {
	var out []*plan.Move
	for _, f := range s.Fields {
		out = append(out, &plan.Move{Far: f, Near: f})
	}
	return out
}
