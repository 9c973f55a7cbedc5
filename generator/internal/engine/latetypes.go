package engine

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// lateTypes reports choices of types that differ from the ledger, because objects may be stored
// with the ledger's type. Such choices were made or changed after the version was generated. It
// returns their resources, versions and paths.
func (ms Models) lateTypes(result *refine.Result) map[[3]string]bool {
	late := map[[3]string]bool{}
	for _, s := range result.Chosen {
		c, _ := ms.config.TypeOf(s.Type, s.Version, s.Path)
		has := kindOf(ms.knownAt(s.Type, s.Version, s.Path))
		at := [3]string{s.Type, s.Version, s.Path}
		if has == "" || has == c.Type || late[at] {
			continue
		}
		late[at] = true
		m := diag.Errorf(ms.config.At(c.Pos.Path+".type"), "%s %s: %s is to be %s, but the ledger has it as %s, and objects may be stored so", s.Type, s.Version, s.Path, c.Type, has)
		switch {
		case ms.Lenient:
			m.Severity = diag.Warning
			m = m.WithHint("the version is generated as the ledger has it")
		case slices.Contains(s.Choices, has):
			m = m.WithHint("choose a type before the first run that generates the version; now, replace the entry by this line, which chooses what the ledger has:").
				WithPaste(lineOf(s.Type, s.Version, s.Path, []string{has}))
		default:
			m = m.WithHint("remove the entry, or use --lenient to keep what the ledger has")
		}
		ms.Messages.Add(m)
	}
	return late
}

// lostChoice returns the configuration line that chooses the ledger's type for a property that
// cannot be merged without a choice. It is empty for other findings.
func (ms Models) lostChoice(f ledger.Finding, conflicts []refine.Conflict) string {
	has := kindOf(f.Known)
	for _, c := range conflicts {
		if has != "" && c.Type == f.Type && c.Version == f.Version && c.Path == f.Path && slices.Contains(c.Choices, has) {
			return lineOf(c.Type, c.Version, c.Path, []string{has})
		}
	}
	return ""
}

// knownAt returns the ledger's type at a path of a resource version; nil if there is none.
func (s Sources) knownAt(resource, version, path string) model.Type {
	v := s.Ledger.Version(resource, version)
	if v == nil {
		return nil
	}
	t := v.Spec
	if below, isStatus := strings.CutPrefix(path, "status."); isStatus && v.Status != nil {
		t, path = v.Status, below
	}
	for step := range strings.SplitSeq(path, ".") {
		name := strings.TrimRight(step, "[]")
		t = memberOf(t, name)
		for range strings.Count(step[len(name):], "[]") {
			t = elementOf(t)
		}
	}
	return t
}

// memberOf returns the type of a member of an object or, for *, of the values of a map; nil if
// there is none.
func memberOf(t model.Type, name string) model.Type {
	switch t := t.(type) {
	case *model.Map:
		if name == "*" {
			return t.Elem
		}
	case *model.Ref:
		o := t.Def.Object()
		if p := o.Property(name); p != nil {
			return p.Type
		}
		if name == "*" {
			return o.Additional
		}
	}
	return nil
}

func elementOf(t model.Type) model.Type {
	if list, ok := t.(*model.List); ok {
		return list.Elem
	}
	return nil
}

// kindOf returns a type in the form of a choice; empty if it has none.
func kindOf(t model.Type) string {
	switch t := t.(type) {
	case *model.Scalar:
		return t.Kind.String()
	case *model.Enum:
		return t.Base.String()
	case *model.List:
		return "list"
	case *model.Map:
		return "map"
	case *model.Ref:
		return "object"
	case *model.Any:
		return refine.FreeJSON
	}
	return ""
}

// first moves a choice to the front, if it is one of the choices.
func first(choice string, choices []string) []string {
	if !slices.Contains(choices, choice) {
		return choices
	}
	return append([]string{choice}, slices.DeleteFunc(slices.Clone(choices), func(c string) bool { return c == choice })...)
}
