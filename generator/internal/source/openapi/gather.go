package openapi

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// gather combines the results of the units, which are sorted by path.
func gather(units []*unit) *source.Result {
	var all []*document.Unit
	statements := statements{}
	for _, u := range units {
		all = append(all, &u.Unit)
		for _, s := range u.stated {
			statements.add(s)
		}
	}
	r := document.Gather(all)
	r.Broken = append(r.Broken, statements.apply(r.Resources)...)
	r.Resources = slices.DeleteFunc(r.Resources, func(of *model.Resource) bool { return len(of.Versions) == 0 })
	if m, ok := foreign(units); ok {
		r.Notes = append(r.Notes, m)
	}
	return r
}

// statements are what documents declare for resources in all versions, by type in lower case.
type statements map[string][]stated

func (s statements) add(d stated) {
	if key := strings.ToLower(d.typ); d.kind != "" || d.plural != "" {
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
				r.Kind, r.Plural = d.kind, d.plural
			} else if r.Kind != d.kind || r.Plural != d.plural {
				broken = append(broken, source.Broken{Type: r.Type, Version: d.version.Name, Source: d.version.Sources[0], Messages: []diag.Message{
					d.at.Errorf("%s is of the kind %s (%s) in another document, and %s (%s) here", r.Type, r.Kind, r.Plural, d.kind, d.plural),
				}})
				r.Versions = slices.DeleteFunc(r.Versions, func(v *model.Version) bool { return v == d.version })
			}
		}
	}
	return broken
}

// mostNamed is how many files a note names.
const mostNamed = 3

// foreign notes the files that are not documents, and that no document refers to.
func foreign(units []*unit) (diag.Message, bool) {
	referred := map[string]bool{}
	for _, u := range units {
		for _, f := range u.referred {
			referred[f.Path] = true
		}
	}
	var paths []string
	at := diag.Pos{}
	for _, u := range units {
		if u.foreign && !referred[u.path] {
			if paths = append(paths, u.path); len(paths) == 1 {
				at = diag.InFile(u.doc.Name)
			}
		}
	}
	if len(paths) == 0 {
		return diag.Message{}, false
	}
	names := strings.Join(paths[:min(mostNamed, len(paths))], ", ")
	if len(paths) > mostNamed {
		names += ", ..."
	}
	return diag.Notef(at, "no documents of OpenAPI or Swagger, and ignored: %d files (%s)", len(paths), names).
		WithHint("a document sets its version at its root: openapi: 3.1.0, or swagger: \"2.0\""), true
}
