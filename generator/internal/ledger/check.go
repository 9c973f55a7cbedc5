package ledger

import (
	"go/token"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// check reports contents that no run writes, and that later stages could not handle.
func (p *parser) check() {
	r := p.entry.Model
	if provider, typ, ok := strings.Cut(r.Type, "/"); !ok || provider == "" || typ == "" {
		p.fail(p.model, "%q is not a resource type", r.Type)
	}
	if !isGoName(r.Kind) || r.Plural == "" || strings.Trim(r.Plural, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		p.fail(p.model, "%q and %q are not a kind and a plural", r.Kind, r.Plural)
	}
	if len(r.Versions) == 0 {
		p.fail(p.model, "%s has no versions", r.Type)
	}
	labels := map[string]bool{}
	for i, v := range r.Versions {
		at := p.find(i, -1)
		parsed, ok := version.Parse(v.Name)
		switch {
		case !ok:
			p.fail(at, "%q is not a version", v.Name)
		case labels[parsed.Label()]:
			p.fail(at, "the version %s stands twice", v.Name)
		default:
			labels[parsed.Label()] = true
		}
		p.checkVersion(i, v)
	}
	for _, h := range p.heads {
		p.checkHead(h, labels)
	}
	p.checkSum()
}

func isGoName(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// find returns the offset of a version's line, or of the line of one of its definitions.
func (p *parser) find(version, def int) int {
	at := p.model
	for line := range strings.Lines(p.text[p.model:]) {
		switch {
		case strings.HasPrefix(line, "  version "):
			version--
		case version == -1 && strings.HasPrefix(line, "    def "):
			def--
		}
		if version == -1 && def == -1 || version < -1 {
			return at
		}
		at += len(line)
	}
	return p.model
}

// checkVersion checks that a version is refined: all objects are definitions, and types refer to
// them.
func (p *parser) checkVersion(i int, v *model.Version) {
	root := func(t model.Type) bool {
		_, ok := t.(*model.Ref)
		return ok
	}
	if !root(v.Spec) || v.Status != nil && !root(v.Status) {
		p.fail(p.find(i, -1), "the spec or status of %s is not a definition", v.Name)
	}
	for j, d := range v.Defs {
		o := d.Object()
		switch {
		case !isGoName(d.Name):
			p.fail(p.find(i, j), "%q is not the name of a type", d.Name)
		case o == nil:
			p.fail(p.find(i, j), "the definition %s is not an object", d.Name)
		case !isRefined(o):
			p.fail(p.find(i, j), "the definition %s is not a refined one", d.Name)
		}
	}
}

func isRefined(o *model.Object) bool {
	raw := func(p *model.Property) bool { return !isLeaf(p.Type) }
	return o.Requires == nil && !slices.ContainsFunc(o.Properties, raw) && (o.Additional == nil || isLeaf(o.Additional))
}

func isLeaf(t model.Type) bool {
	_, inner := chain.Unwrap(t)
	switch inner.(type) {
	case *model.Scalar, *model.Enum, *model.Any, *model.Ref:
		return true
	}
	return false
}

// checkHead checks that the model has the version and the property that a line of the head names.
func (p *parser) checkHead(h head, labels map[string]bool) {
	if h.word == sumWord {
		return
	}
	if h.word == "hub" || h.word == "served" {
		if !labels[h.rest] {
			p.fail(h.at, "the model has no version with the label %q", h.rest)
		}
		return
	}
	if h.word == "made" {
		p.checkMade(h)
		return
	}
	if h.join != nil {
		p.checkJoin(h.at, *h.join)
		return
	}
	if n := h.lineage; n != nil {
		p.checkProperty(h.at, n.Version, n.Status, n.Path, n.Property)
		return
	}
	if h.key.Via() && !labels[h.key.Compat] {
		p.fail(h.at, "the model has no version with the label %q", h.key.Compat)
	}
	p.checkProperty(h.at, h.key.Version, h.key.Status, h.key.Path, h.key.Property)
}

// checkProperty checks that the model has the property of a row.
func (p *parser) checkProperty(at int, version string, status bool, path []string, property string) {
	v, whole := p.entry.Model.Version(version), append(slices.Clone(path), property)
	switch {
	case v == nil:
		p.fail(at, "the model has no version %q", version)
	case !reaches(rootOf(v, status), whole):
		p.fail(at, "version %s has no property %s", v.Name, strings.Join(whole, "."))
	}
}

// checkJoin checks that both ends of a join are objects of one definition.
func (p *parser) checkJoin(at int, j chain.Join) {
	v := p.entry.Model.Version(j.Version)
	if v == nil {
		p.fail(at, "the model has no version %q", j.Version)
		return
	}
	root := rootOf(v, j.Status)
	from, to := objectAt(root, append(slices.Clone(j.Path), j.Property)), objectAt(root, j.To)
	if from == nil || from != to {
		p.fail(at, "version %s does not have one definition at %s and %s", v.Name, strings.Join(append(slices.Clone(j.Path), j.Property), "."), strings.Join(j.To, "."))
	}
}

// objectAt returns the definition that a path leads to; nil if it does not lead to an object.
func objectAt(t model.Type, path []string) *model.Def {
	t = follow(t, path)
	if t == nil {
		return nil
	}
	if _, inner := chain.Unwrap(t); inner != nil {
		if ref, ok := inner.(*model.Ref); ok {
			return ref.Def
		}
	}
	return nil
}

// checkMade checks that the model has the property of a line "made".
func (p *parser) checkMade(h head) {
	m := h.made
	v := p.entry.Model.Version(m.Version)
	if v == nil {
		p.fail(h.at, "the model has no version %q", m.Version)
		return
	}
	d := v.Def(m.Type)
	hasProperty := d != nil && d.Object() != nil && d.Object().Property(m.Property) != nil
	hasPath := d != nil && m.How == Declared && reaches(&model.Ref{Def: d}, strings.Split(m.Property, ".")) // of one that moves
	if !hasProperty && !hasPath {
		p.fail(h.at, "version %s has no property %s.%s", m.Version, m.Type, m.Property)
	}
}

// rootOf returns a version's spec, or its status, which is the spec if the version has no status.
func rootOf(v *model.Version, status bool) model.Type {
	if status && v.Status != nil {
		return v.Status
	}
	return v.Spec
}

// reaches reports whether a path of properties exists, through lists and maps, from a version's
// spec or status.
func reaches(t model.Type, path []string) bool { return follow(t, path) != nil }

// follow returns the type that a path of properties leads to; nil if the path does not exist.
func follow(t model.Type, path []string) model.Type {
	for _, name := range path {
		_, inner := chain.Unwrap(t)
		ref, ok := inner.(*model.Ref)
		if !ok || ref.Def.Object() == nil {
			return nil
		}
		o := ref.Def.Object()
		p := o.Property(name)
		switch {
		case p != nil:
			t = p.Type
		case name == chain.AdditionalName && o.Additional != nil:
			t = o.Additional
		default:
			return nil
		}
	}
	return t
}
