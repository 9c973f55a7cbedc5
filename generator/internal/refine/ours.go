package refine

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/model"
)

// section is the body of a resource, or a separate status.
type section struct {
	path        string   // empty for the body
	name, owner string   // its type's name, and the prefix of anonymous types' names
	ours        []string // the members that Strata adds to its root
}

// specOf returns the section of the body. known is the resource in the ledger; nil if the ledger
// does not have it.
func specOf(r, known *model.Resource) section {
	return section{name: r.Kind + "Spec", owner: r.Kind, ours: r.Reserved(model.SpecRoot, known)}
}

func statusOf(r *model.Resource) section {
	name := r.Kind + "Status"
	return section{path: "status", name: name, owner: name, ours: r.Reserved(model.StatusRoot, nil)}
}

// rename renames members of the root as the user has configured.
func (b *body) rename(s *shape) {
	to := func(name string) string {
		if other, ok := b.unit.renames[strings.ToLower(name)]; ok {
			return other
		}
		return name
	}
	renamed, required := &members{}, &names{}
	for _, m := range s.members.all() {
		if name := to(m.Name); name != m.Name {
			other := *m
			other.Wire, other.Name = m.Name, name
			m = &other
		}
		renamed.add(m)
	}
	required.add(mapped(s.required.all(), to)...)
	s.members, s.required = renamed, required
	if u := s.union; u != nil {
		s.union = &model.Union{Discriminator: to(u.Discriminator)}
		for _, c := range u.Cases {
			s.union.Cases = append(s.union.Cases, model.Case{Values: c.Values, Allows: mapped(c.Allows, to), Requires: mapped(c.Requires, to)})
		}
	}
}

func mapped(names []string, to func(string) string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		out[i] = to(name)
	}
	return out
}

// checkNames reports the names that generated types cannot have.
func (b *body) checkNames(members []*model.Property, path string) {
	seen := map[string]bool{}
	for _, p := range members {
		at := within(path, p.Name)
		switch {
		case seen[p.Name]:
			b.problem(p.Pos, fmt.Sprintf("%s has two properties %q", inWords(path), p.Name), b.renameHint(path, p.Name))
		case !fitsTag(p.Name):
			b.problem(p.Pos, fmt.Sprintf("%s has a property %q; a JSON tag of Go can have no such name", inWords(path), p.Name), b.renameHint(path, p.Name))
		case !b.unit.compares && path == b.section.path && slices.ContainsFunc(b.section.ours, func(our string) bool { return strings.EqualFold(our, p.Name) }):
			b.problem(p.Pos, fmt.Sprintf("%s, at the root of the body, has the name of a member that Strata adds to spec or status", at), b.renameHint(path, p.Name))
		}
		seen[p.Name] = true
	}
}

// renameHint returns the hint for a name that cannot be used.
func (b *body) renameHint(path, name string) string {
	if path != b.section.path {
		return "leave the resource out, by name with only, or use --lenient to leave out what cannot be generated"
	}
	return fmt.Sprintf("give it another name in strata.yaml: kinds: {<group>/%s: {rename: {%q: %q}}}", b.unit.resource.Kind, name, "vendor"+Identifier(name))
}

// fitsTag reports whether encoding/json, and decoders modelled on it, accept a name in a struct
// tag.
func fitsTag(name string) bool {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return false
		}
	}
	return name != ""
}
