package aso

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Via converts the JSON of an object between two versions of its kind.
type Via func(ctx context.Context, from, to string, object []byte) ([]byte, error)

// Reader reads and writes the objects of one kind that ASO has stored in one version.
type Reader struct {
	Group string
	// Version is the version in which ASO stored the objects, API the API version that it belongs
	// to, and Hub the version of the hub.
	Version, API, Hub string
	// Types are the types of the kind's API versions, by version.
	Types map[string]reflect.Type
}

// roots are the members of an object that have bags.
var roots = []string{"spec", "status"}

// statusBag is the member of a status that stores hidden values. Only Strata writes it.
const statusBag = "propertyBag"

// Read converts an object that ASO has stored to the hub.
func (r *Reader) Read(ctx context.Context, stored []byte, via Via) ([]byte, error) {
	whole := object(stored)
	if whole == nil {
		return nil, fmt.Errorf("an object is expected")
	}
	original, left := r.strip(whole)
	hub, err := via(ctx, r.API, r.Hub, whole.appendTo(nil))
	if err != nil {
		return nil, err
	}
	if original == "" {
		original = originalIn(hub) // which edits in other versions would replace
	}
	for _, version := range r.order(original) {
		if !left.fits(shape.Of(r.Types[version])) {
			continue
		}
		if hub, err = r.edit(ctx, hub, version, left, via); err != nil {
			return nil, err
		}
	}
	return r.finish(hub, original, left)
}

// strip changes the object to the API version. It returns the original version, and the entries
// that the API version lacks.
func (r *Reader) strip(whole *node) (original string, left *pending) {
	left = &pending{}
	s := shape.Of(r.Types[r.API])
	whole.set("apiVersion", r.apiVersion(r.API))
	for _, root := range roots {
		value, of := whole.get(root), s.Member(root)
		if value == nil || of == nil {
			continue
		}
		part := object(value.raw)
		if part == nil {
			continue
		}
		p := left.member(root)
		if root == "spec" {
			original = r.original(part, p)
		} else if forged := part.remove(statusBag); forged != nil {
			p.entries = append(p.entries, entry{key: statusBag, value: forged.raw, isMember: true})
		}
		whole.set(root, parser{isASO: true}.value(part.appendTo(nil), of.Shape, p))
		left.tidy(root)
	}
	return original, left
}

// original removes the original version from a spec, and returns it. A value that cannot be a
// version becomes an entry.
func (r *Reader) original(spec *node, p *pending) string {
	value := spec.remove(label.OriginalVersion)
	if value == nil {
		return ""
	}
	if text := jsontext.Unquoted(value.raw); value.raw[0] == '"' && isLabel(string(text)) {
		return string(text)
	}
	p.entries = append(p.entries, entry{key: label.OriginalVersion, value: value.raw, isMember: true})
	return ""
}

// originalIn returns the original version of an object of the hub; empty if it has none.
func originalIn(hub []byte) string {
	spec := jsontext.MemberOf(hub, "spec")
	return string(jsontext.Unquoted(jsontext.MemberOf(spec, label.OriginalVersion)))
}

// isLabel reports whether a text can be the name of a version.
func isLabel(text string) bool {
	plain := strings.Trim(text, "abcdefghijklmnopqrstuvwxyz"+label.Digits) == ""
	return text != "" && len(text) <= 63 && plain
}

func (r *Reader) apiVersion(version string) *node {
	return &node{raw: jsontext.AppendText(nil, r.Group+"/"+version)}
}

// order returns the versions in which Read looks for properties of entries: the original version,
// the others from the latest to the first, and last the object's own version. Its own values have
// precedence.
func (r *Reader) order(original string) []string {
	var out []string
	for version := range r.Types {
		if version != original && version != r.API {
			out = append(out, version)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return label.Compare(b, a) })
	if r.Types[original] != nil && original != r.API {
		out = slices.Insert(out, 0, original)
	}
	return append(out, r.API)
}

// edit sets entries in a version of the object, as a client of that version would.
func (r *Reader) edit(ctx context.Context, hub []byte, version string, left *pending, via Via) ([]byte, error) {
	visible, err := via(ctx, r.Hub, version, hub)
	if err != nil {
		return nil, err
	}
	whole, s := object(visible), shape.Of(r.Types[version])
	if whole == nil {
		return hub, nil
	}
	inserted := false
	for _, root := range roots {
		value, of, p := whole.get(root), s.Member(root), left.inner[root]
		if value == nil || of == nil || p == nil {
			continue
		}
		part := parser{}.value(value.raw, of.Shape, &pending{})
		if part.kind == '{' && root == "status" && part.get(statusBag) == nil {
			// Entries must not become hidden values.
			part.set(statusBag, &node{raw: []byte("null")})
		}
		inserted = p.insert(part, of.Shape) || inserted
		whole.set(root, part)
		left.tidy(root)
	}
	if !inserted {
		return hub, nil
	}
	return via(ctx, version, r.Hub, whole.appendTo(nil))
}

// finish sets the original version of an object of the hub, and stores the remaining entries in
// its bags.
func (r *Reader) finish(hub []byte, original string, left *pending) ([]byte, error) {
	if original == "" && left.isEmpty() {
		return hub, nil
	}
	whole := object(hub)
	if whole == nil {
		return nil, fmt.Errorf("the hub's version is no object")
	}
	for _, root := range roots {
		p := left.inner[root]
		if p.isEmpty() && (root != "spec" || original == "") {
			continue
		}
		part := emptyObject()
		if value := whole.get(root); value != nil {
			if part = object(value.raw); part == nil {
				continue
			}
		}
		if root == "spec" && original != "" {
			part.set(label.OriginalVersion, &node{raw: jsontext.AppendText(nil, original)})
		}
		if !p.isEmpty() {
			part.set(bagName, r.kept(part.get(bagName), p))
		}
		whole.set(root, part)
	}
	return whole.appendTo(nil), nil
}

// kept adds to a bag of the hub what no version has, as one entry. Its key has the version of ASO,
// so that it is the key of no property.
func (r *Reader) kept(bag *node, p *pending) *node {
	out := emptyObject()
	if bag != nil {
		if known := object(bag.raw); known != nil {
			out = known
		}
	}
	out.add(bagName+"@"+r.Version, p.tree())
	slices.SortFunc(out.members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out
}

// Write converts an object of the hub to the version in which ASO stored it, without bags. API
// servers compare such objects to decide who owns a field. No client reads or writes them.
func (r *Reader) Write(ctx context.Context, hub []byte, via Via) ([]byte, error) {
	visible, err := via(ctx, r.Hub, r.API, hub)
	if err != nil {
		return nil, err
	}
	whole, from := object(visible), object(hub)
	if whole == nil || from == nil {
		return nil, fmt.Errorf("an object is expected")
	}
	whole.set("apiVersion", r.apiVersion(r.Version))
	if value := whole.get("status"); value != nil {
		if status := object(value.raw); status != nil && status.remove(statusBag) != nil {
			whole.set("status", status)
		}
	}
	value, stored := whole.get("spec"), from.get("spec")
	if value == nil || stored == nil {
		return whole.appendTo(nil), nil
	}
	spec, its := object(value.raw), object(stored.raw)
	if spec != nil && its != nil && its.get(label.OriginalVersion) != nil {
		spec.set(label.OriginalVersion, its.get(label.OriginalVersion))
		whole.set("spec", spec)
	}
	return whole.appendTo(nil), nil
}
