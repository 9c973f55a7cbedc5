package crd

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Most CRDs that are too large exceed the limit by far. A lower bound of their size shows this
// without printing them.

// The lengths of lines of a schema.
const (
	typeLine     = len("type: object\n") // arrays and numbers are no more than a byte shorter
	keepLine     = len("x-kubernetes-preserve-unknown-fields: true\n")
	membersLine  = len("properties:\n")
	elementsLine = len("items:\n")
	furtherLine  = len("additionalProperties:\n")
	describes    = len("description: \n")
)

// rootIndent is the minimum indentation of the members of a spec. Those of native kinds may be at
// the root.
const (
	rootIndent       = len("              ")
	nativeRootIndent = len("          ")
)

// least returns a lower bound of the bytes of a kind's CRD with a cut and a trim. It stops above
// most, so that a result above most means only that the CRD is too large.
func least(k *plan.Kind, c cut, t trim, most int) int {
	t.exact = k.Verbatim
	n := sizing{cut: c, trim: t, native: k.Verbatim, most: most}
	indent := rootIndent
	if n.native {
		indent = nativeRootIndent
	}
	for _, kv := range k.Versions {
		if !kv.Serving.Served() {
			continue
		}
		n.trim = t.of(kv)
		n.atRoot = n.native && kv.Version.Model.AtRoot
		for i, root := range []*plan.Struct{kv.Spec, kv.Status} {
			n.firsts, n.status = firstsOf(root), i == 1
			n.members(root, level{first: true}, indent)
		}
	}
	return n.bytes
}

// sizing adds up the lines that walk certainly writes.
type sizing struct {
	cut            cut
	trim           trim
	native, status bool
	atRoot         bool // the members of the root are those of whole objects
	firsts         firsts
	around         []*plan.Struct
	depth          int // of the member, from the root of an object
	bytes, most    int
}

func (n *sizing) line(indent, length int) { n.bytes += indent + length }

// object adds an object whose keywords have the given indentation.
func (n *sizing) object(s *plan.Struct, at level, indent int) {
	if isCut, _ := n.cut.cuts(at); isCut || slices.Contains(n.around, s) {
		n.line(indent, typeLine)
		n.line(indent, keepLine)
		return
	}
	if len(s.Facts) == 0 {
		n.line(indent, typeLine)
	}
	if slices.ContainsFunc(s.Fields, func(f *plan.Field) bool { return !f.Additional }) {
		n.line(indent, membersLine)
	}
	n.members(s, at, indent+2)
}

func (n *sizing) members(s *plan.Struct, at level, indent int) {
	n.around = append(n.around, s)
	n.depth++
	width := n.cut.width
	if n.atRoot && n.depth == 1 {
		width = everywhere
	}
	for _, f := range s.Fields {
		if n.bytes > n.most || width == 0 {
			break
		}
		if f.Additional {
			continue
		}
		width--
		n.line(indent, len(f.Property.Name)+len(":\n"))
		if text := n.trim.member(f, n.depth+1, n.native, n.status); text != "" {
			n.line(indent+2, describes+len(text))
		}
		n.typ(f.Schema(), f, at, indent+2)
	}
	n.depth--
	n.around = n.around[:len(n.around)-1]
}

// typ adds the type of a field. It counts only types without facts, because facts can change a
// schema.
func (n *sizing) typ(t model.Type, f *plan.Field, at level, indent int) {
	switch t := t.(type) {
	case *model.List:
		n.line(indent, elementsLine)
		n.name(t.Facts, indent)
		n.typ(t.Elem, f, at, indent+2)
	case *model.Map:
		n.line(indent, furtherLine)
		n.name(t.Facts, indent)
		n.typ(t.Elem, f, at, indent+2)
	case *model.Ref:
		n.object(f.API.Struct, at.below(f, n.firsts), indent)
	case *model.Scalar:
		n.name(t.Facts, indent)
		n.format(t.Kind, indent)
	case *model.Enum:
		n.name(t.Facts, indent)
		n.format(t.Base, indent)
	case *model.Any:
		if len(t.Facts) == 0 {
			n.line(indent, keepLine)
		}
	}
}

// name adds the line with the name of a type.
func (n *sizing) name(facts model.Facts, indent int) {
	if len(facts) == 0 {
		n.line(indent, typeLine-len("e"))
	}
}

// format adds the format of numbers, which native kinds have only if their source states it.
func (n *sizing) format(k model.Kind, indent int) {
	if format := kinds[k].Format; format != "" && !n.native {
		n.line(indent, len("format: \n")+len(format))
	}
}
