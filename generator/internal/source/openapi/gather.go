package openapi

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// gather combines the results of the units, which are sorted by path.
func gather(units []*unit) *source.Result {
	r := &source.Result{}
	var declared []source.Declared
	stated := statements{}
	for _, u := range units {
		for _, d := range u.declared {
			declared = append(declared, d.Declared)
			stated.add(d)
		}
		r.Broken = append(r.Broken, u.broken...)
	}
	r.Resources = source.Unite(declared)
	r.Broken = append(r.Broken, stated.apply(r.Resources)...)
	r.Resources = slices.DeleteFunc(r.Resources, func(of *model.Resource) bool { return len(of.Versions) == 0 })
	r.Files = gatherFiles(units)
	r.Notes = gatherNotes(units)
	return r
}

// statements are what documents declare for resources in all versions, by type in lower case.
type statements map[string][]declared

func (s statements) add(d declared) {
	if key := strings.ToLower(d.Type); d.stated.kind != "" || d.stated.plural != "" {
		s[key] = append(s[key], d)
	}
}

// apply gives resources the kinds and plurals that documents declare. If two differ, the resource
// version of the second one is broken.
func (s statements) apply(resources []*model.Resource) []source.Broken {
	var broken []source.Broken
	for _, r := range resources {
		for _, d := range s[strings.ToLower(r.Type)] {
			if r.Kind == "" {
				r.Kind, r.Plural = d.stated.kind, d.stated.plural
			} else if r.Kind != d.stated.kind || r.Plural != d.stated.plural {
				broken = append(broken, source.Broken{Type: r.Type, Version: d.Version.Name, Source: d.Version.Sources[0], Messages: []diag.Message{
					d.stated.at.errorf("%s is of the kind %s (%s) in another document, and %s (%s) here", r.Type, r.Kind, r.Plural, d.stated.kind, d.stated.plural),
				}})
				r.Versions = slices.DeleteFunc(r.Versions, func(v *model.Version) bool { return v == d.Version })
			}
		}
	}
	return broken
}

func gatherFiles(units []*unit) []source.File {
	var files []source.File
	for _, u := range units {
		if u.file != nil {
			files = append(files, u.file.read)
		}
		for _, f := range u.referred {
			files = append(files, f.read)
		}
	}
	slices.SortFunc(files, func(a, b source.File) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b source.File) bool { return a.Path == b.Path })
}

// gatherNotes returns each note once, since several units may have read one file.
func gatherNotes(units []*unit) []diag.Message {
	first := map[subject]diag.Message{}
	for _, u := range units {
		for key, m := range u.notes {
			if before, ok := first[key]; !ok || byPlace(m, before) < 0 {
				first[key] = m
			}
		}
	}
	notes := slices.SortedFunc(maps.Values(first), byPlace)
	if m, ok := foreign(units); ok {
		notes = append(notes, m)
	}
	return notes
}

// shown is how many files a note names.
const shown = 3

// foreign notes the files that are not documents, and that no document refers to.
func foreign(units []*unit) (diag.Message, bool) {
	referred := map[string]bool{}
	for _, u := range units {
		for _, f := range u.referred {
			referred[f.path] = true
		}
	}
	var paths []string
	at := diag.Pos{}
	for _, u := range units {
		if u.foreign && !referred[u.path] {
			if paths = append(paths, u.path); len(paths) == 1 {
				at = diag.InFile(u.file.name)
			}
		}
	}
	if len(paths) == 0 {
		return diag.Message{}, false
	}
	names := strings.Join(paths[:min(shown, len(paths))], ", ")
	if len(paths) > shown {
		names += ", ..."
	}
	return diag.Notef(at, "no documents of OpenAPI or Swagger, and ignored: %d files (%s)", len(paths), names).
		WithHint("a document sets its version at its root: openapi: 3.1.0, or swagger: \"2.0\""), true
}
