package ledger

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Made is a property that functions of a source make in a version from its earlier value. Or it
// is a property that changes after a version, as the user declares. Type and Property are the
// names in that version.
type Made struct {
	Version  string
	How      How
	Type     string
	Property string
	// By identifies the functions or the change. It is a value in JSON that fills the property,
	// the pairs of renamed values in JSON, or the names of functions, each with parentheses. For
	// a declared change, it is that change. It is empty in entries of earlier releases.
	By string
}

// How states how a property is made.
type How string

// The values of How.
const (
	Converted How = "converted" // from the earlier value, and back, by functions
	Filled    How = "filled"    // without an earlier value
	Renamed   How = "renamed"   // from the same value with another name
	Declared  How = "declared"  // no function: the user declares a later change
)

// IsSame reports whether two entries are about the same property, whatever By is.
func (m Made) IsSame(other Made) bool {
	m.By, other.By = "", ""
	return m == other
}

// Allows reports whether stored objects read as before if what makes the property becomes that of
// now. A value may be spelled otherwise, and objects in it may gain members that t, the property's
// type in the ledger, lacks, as when a struct gets a field. Nil is no type, and lacks all. Entries
// of earlier releases allow everything.
func (m Made) Allows(now Made, t model.Type) bool {
	if m.By == "" || m.By == now.By {
		return true
	}
	if m.How != Filled {
		return false
	}
	before, err := decoded(m.By)
	after, nowErr := decoded(now.By)
	return err == nil && nowErr == nil && extends(before, after, t)
}

func decoded(text string) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// extends reports whether a JSON value equals an earlier one, but for members of objects that its
// earlier type lacks.
func extends(before, after any, t model.Type) bool {
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		for name, value := range b {
			member, has := a[name]
			of, _ := memberOf(t, name)
			ok = ok && has && extends(value, member, of)
		}
		for name := range a {
			_, has := b[name]
			_, isKnown := memberOf(t, name)
			ok = ok && (has || !isKnown)
		}
		return ok
	case []any:
		a, ok := after.([]any)
		var elem model.Type
		if list, is := t.(*model.List); is {
			elem = list.Elem
		}
		return ok && slices.EqualFunc(b, a, func(b, a any) bool { return extends(b, a, elem) })
	case json.Number:
		a, ok := after.(json.Number)
		return ok && (a == b || areEqualNumbers(a.String(), b.String()))
	}
	return before == after
}

// memberOf returns the type of a member, and whether a type has it. Maps and free JSON have all
// members.
func memberOf(t model.Type, name string) (model.Type, bool) {
	switch t := t.(type) {
	case nil:
		return nil, false
	case *model.Map:
		return t.Elem, true
	case *model.Ref:
		if o := t.Def.Object(); o != nil {
			if p := o.Property(name); p != nil {
				return p.Type, true
			}
			return o.Additional, o.Additional != nil
		}
	}
	return nil, true
}

// areEqualNumbers compares numbers that are spelled differently. Two integers then differ.
func areEqualNumbers(a, b string) bool {
	if !strings.ContainsAny(a+b, ".eE") {
		return false
	}
	x, err := strconv.ParseFloat(a, 64)
	y, otherErr := strconv.ParseFloat(b, 64)
	return err == nil && otherErr == nil && x == y
}

// appendMade appends a line "made". The last word is left out if an earlier release wrote the
// line without it.
func appendMade(out []byte, m Made) []byte {
	words := []string{m.Version, string(m.How), m.Type, m.Property}
	if m.By != "" {
		words = append(words, m.By)
	}
	return appendWords(append(out, "made"...), words...)
}

// parseMade reads the words of a line "made".
func parseMade(text string) (Made, error) {
	words, err := parseWords(text)
	if err != nil {
		return Made{}, err
	}
	if len(words) != 4 && (len(words) != 5 || words[4] == "") || !slices.Contains([]How{Converted, Filled, Renamed, Declared}, How(words[1])) {
		return Made{}, errors.New("what functions make is a version, what they do, a type, a property, and what makes it")
	}
	return Made{words[0], How(words[1]), words[2], words[3], strings.Join(words[4:], "")}, nil
}

// withMade returns the entries of known and now. An entry of now replaces one about the same
// property.
func withMade(known, now []Made) []Made {
	out, indices := slices.Clone(known), map[Made]int{}
	for i, m := range known {
		m.By = ""
		indices[m] = i
	}
	for _, m := range now {
		key := m
		key.By = ""
		if i, ok := indices[key]; ok {
			out[i] = m
			continue
		}
		indices[key] = len(out)
		out = append(out, m)
	}
	return out
}
