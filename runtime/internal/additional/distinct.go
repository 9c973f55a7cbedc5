package additional

import (
	"bytes"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// isDistinct reports whether a reader of plain JSON takes a value as the entry under key, and not
// as the object's own member called name. It requires that the two kinds differ, and that the
// version that has the key can read the value. A value that no version can read stays in the bag.
func isDistinct(t *notation.List, key, name string, value runtime.JSON, j *jsontext.Jumps) bool {
	if t == nil {
		return true
	}
	own, named := t.Items[name]
	additional, typed := t.AdditionalItem()
	its, known := t.Keys[key]
	isReadable := kindOf(its) == "" || isOfScalars(kindOf(its), value, j)
	switch {
	case !named && typed:
		return known && !fitsAdditional(additional, value, j)
	case !named:
		return isReadable
	case kindOf(own) == "":
		return kindOf(its) != "" && isReadable && hasScalar(value)
	}
	return isReadable && !isOfScalars(kindOf(own), value, j)
}

// kindOf returns the kind of the values of an item. It is empty for free JSON, and if the kind is
// not known.
func kindOf(i notation.Item) string {
	if i.Inner == nil || i.Inner.Kind == "" || strings.HasSuffix(i.Inner.Kind, "a") {
		return ""
	}
	return strings.Repeat("m", i.Maps) + i.Inner.Kind
}

// hasScalar reports whether a value is a scalar, or a list that begins with one. The value must
// be a scalar, an object, or a list or map of these. If hasScalar reports true, the value
// contains no object or map. It may belong to a member whose kind is not listed.
func hasScalar(value runtime.JSON) bool {
	rest := bytes.TrimLeft(value, "[], \t\r\n")
	return len(rest) > 0 && rest[0] != '{'
}

// fitsAdditional reports whether a value may be an additional member of a type. It decides by the
// item of additional members alone.
func fitsAdditional(of notation.Item, value runtime.JSON, j *jsontext.Jumps) bool {
	if kind := kindOf(of); kind != "" {
		return isOfScalars(kind, value, j)
	}
	first := (&jsontext.Cursor{Data: value}).Peek()
	return first == '{' || first == '['
}

// isOfScalars is IsOfKind for scalars, objects, and lists and maps of these. It does not look
// into objects, so that no level of a value is parsed again for each level around it. Jumps are
// those of the value, or of a value around it.
func isOfScalars(kind string, value runtime.JSON, j *jsontext.Jumps) bool {
	c := &jsontext.Cursor{Data: value, Jumps: j}
	first := c.Peek()
	switch {
	case kind == "":
		return false
	case kind == "o":
		return first == '{'
	case kind[0] == 'l':
		for is := c.Take('['); is && c.More(']'); {
			if !isOfScalars(kind[1:], c.Raw(), j) {
				return false
			}
		}
		return first == '['
	case kind[0] == 'm':
		for is := c.Take('{'); is && c.More('}'); {
			if c.Name(); !isOfScalars(kind[1:], c.Raw(), j) {
				return false
			}
		}
		return first == '{'
	}
	return first != '{' && first != '[' && notation.IsOfKind(kind, value)
}
