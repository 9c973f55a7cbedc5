package ledger

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Made is a property that a source's functions make, since a version, of what it was before. Or it
// is a property that changes after a version, as the user declares. Its type and name are those of
// that version.
type Made struct {
	Version  string
	How      How
	Type     string
	Property string
	// By is what makes the property: a value in JSON that fills it, the pairs of renamed values in
	// JSON, the names of functions, each with parentheses, or the change that the user declares. It
	// is empty in entries of earlier releases.
	By string
}

// How is what functions do.
type How string

// What functions do.
const (
	Converted How = "converted" // of the earlier value, and back
	Filled    How = "filled"    // of nothing
	Renamed   How = "renamed"   // of the same value under another name
	Declared  How = "declared"  // no functions: the user declares what becomes of the value later
)

// IsSame reports whether two entries are about the same property, whatever makes it.
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

// appendMade appends what functions make of a property. The last word is left out if an earlier
// release has written the line without it.
func appendMade(out []byte, m Made) []byte {
	words := []string{m.Version, string(m.How), m.Type, m.Property}
	if m.By != "" {
		words = append(words, m.By)
	}
	return appendWords(append(out, "made"...), words...)
}

// parseMade reads the words of a line on what functions make.
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

// withMade returns entries with those of a run. An entry of the run replaces one on the same
// property.
func withMade(known, now []Made) []Made {
	out, places := slices.Clone(known), map[Made]int{}
	for i, m := range known {
		m.By = ""
		places[m] = i
	}
	for _, m := range now {
		key := m
		key.By = ""
		if i, ok := places[key]; ok {
			out[i] = m
			continue
		}
		places[key] = len(out)
		out = append(out, m)
	}
	return out
}
