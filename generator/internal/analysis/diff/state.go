package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/limit"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
)

// ofVersions compares what two versions state of the whole resource. If both are states of one
// version, it also compares what API servers do with the version.
func ofVersions(old, later *model.Version, inPlace bool) []Change {
	var out []Change
	add := func(k Kind, severity finding.Severity, was, is string) {
		out = append(out, Change{Kind: k, Severity: severity, Old: was, New: is, Pos: later.Pos})
	}
	one := func(k Kind, was, is string) { add(k, k.Rule().Severity, was, is) }
	a, b := old.Facts, later.Facts
	if inPlace {
		isServed := func(f model.Facts) bool { return f.Get(model.Served) != "false" }
		switch was, is := isServed(a), isServed(b); {
		case was && !is:
			one(Unserved, "", "")
		case is && !was:
			one(ServedAgain, "", "")
		}
		deprecation := func(f model.Facts) string { return f.Get(model.Deprecated) + f.Get(model.DeprecationWarning) }
		switch was, is := deprecation(a), deprecation(b); {
		case was == is:
		case is == "":
			one(VersionSupported, "", "")
		default:
			one(VersionDeprecated, "", b.Text(model.DeprecationWarning))
		}
	}
	ofObjects(old, later, func(k Kind, path, was, is string) {
		one(k, was, is)
		out[len(out)-1].Path = path
	})
	for _, subresource := range []string{model.StatusSubresource, model.Scale} {
		switch was, is := a.Get(subresource), b.Get(subresource); {
		case limit.Canonical(was) == limit.Canonical(is):
		case was == "" && subresource == model.Scale:
			add(SubresourceAdded, finding.None, "", subresource)
		case was == "":
			one(SubresourceAdded, "", subresource)
		case is == "":
			one(SubresourceRemoved, subresource, "")
		default:
			one(SubresourceChanged, was, is)
		}
	}
	if limit.Canonical(a.Get(model.Columns)) != limit.Canonical(b.Get(model.Columns)) {
		one(Columns, "", "")
	}
	was, is := selectable(a), selectable(b)
	if gone := limit.Beyond(is, was); len(gone) > 0 {
		one(SelectableRemoved, strings.Join(gone, ", "), "")
	}
	if more := limit.Beyond(was, is); len(more) > 0 {
		one(SelectableAdded, "", strings.Join(more, ", "))
	}
	return out
}

// ofObjects compares what two schemas state of whole objects and their metadata.
func ofObjects(old, later *model.Version, found func(k Kind, path, was, is string)) {
	was, is := keywordsOf(old.Facts.Get(model.Schema)), keywordsOf(later.Facts.Get(model.Schema))
	if was.Equal(is) {
		return
	}
	facts(was.Without(namedSchemas), is.Without(namedSchemas), func(k Kind, old, later string) { found(k, "", old, later) })
	before, after := was.Texts("required"), is.Texts("required")
	each := func(k Kind, names []string) {
		for _, name := range names {
			// Every object has the others, and members beside the spec are properties.
			if name == "status" || name == "spec" && !old.AtRoot && !later.AtRoot {
				found(k, name, "", "")
			}
		}
	}
	each(Required, limit.Beyond(before, after))
	each(Optional, limit.Beyond(after, before))
	metadata := func(f model.Facts) model.Facts {
		return keywordsOf(keywordsOf(keywordsOf(f.Get(namedSchemas)).Get("metadata")).Get(namedSchemas))
	}
	a, b := metadata(was), metadata(is)
	names := map[string]bool{}
	for _, f := range slices.Concat(a, b) {
		names[f.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		facts(keywordsOf(a.Get(name)), keywordsOf(b.Get(name)), func(k Kind, old, later string) { found(k, "metadata."+name, old, later) })
	}
}

// namedSchemas is the keyword with the schemas of members.
const namedSchemas = "properties"

// keywordsOf returns the keywords of a schema in JSON, in alphabetical order.
func keywordsOf(schema string) (out model.Facts) {
	var all map[string]json.RawMessage
	if schema == "" || json.Unmarshal([]byte(schema), &all) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, model.Fact{Name: name, Value: string(all[name])})
	}
	return out
}

func selectable(f model.Facts) (paths []string) {
	var all []struct {
		JSONPath string `json:"jsonPath"`
	}
	if text := f.Get(model.SelectableFields); text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	for _, one := range all {
		paths = append(paths, one.JSONPath)
	}
	return paths
}

// ofResources compares what two trees state of a whole resource.
func ofResources(old, later *model.Resource) []Change {
	var out []Change
	add := func(k Kind, was, is string) {
		out = append(out, Change{Kind: k, Severity: k.Rule().Severity, Old: was, New: is})
	}
	scope := func(r *model.Resource) string {
		if text := r.Facts.Text(model.Scope); text != "" {
			return text
		}
		return "Namespaced"
	}
	if was, is := scope(old), scope(later); was != is {
		add(Scope, was, is)
	}
	for _, name := range []func(*model.Resource) string{
		func(r *model.Resource) string { return r.Kind },
		func(r *model.Resource) string { return r.Plural },
		func(r *model.Resource) string { return r.Facts.Text(model.Singular) },
		func(r *model.Resource) string { return r.Facts.Text(model.ListKind) },
	} {
		if was, is := name(old), name(later); was != is {
			add(Names, was, is)
		}
	}
	was, is := old.Facts.Text(model.StorageVersion), later.Facts.Text(model.StorageVersion)
	if was != "" && is != "" && was != is {
		add(StorageVersion, was, is)
	}
	for _, of := range []string{model.ShortNames, model.Categories} {
		was, is := old.Facts.Texts(of), later.Facts.Texts(of)
		for _, name := range limit.Beyond(is, was) {
			add(ShortNameRemoved, name, "")
		}
		for _, name := range limit.Beyond(was, is) {
			add(ShortNameAdded, "", name)
		}
	}
	return out
}

// WithoutDocs returns comparisons without the changes of class docs.
func WithoutDocs(all []Comparison) []Comparison {
	out := slices.Clone(all)
	for i := range out {
		out[i].Changes = slices.DeleteFunc(slices.Clone(out[i].Changes), func(c Change) bool { return c.Kind.Rule().Class == finding.ClassDocs })
	}
	return out
}
