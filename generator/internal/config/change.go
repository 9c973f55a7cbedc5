package config

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// maxSeparator is the largest length of a separator.
const maxSeparator = 100

// ChangedIn is the key of the version that has the later values of a declared change.
const ChangedIn = "changedIn"

// maxNames is the largest number of names in a path.
const maxNames = 50

// declared is what metadata declares for a property beyond its name.
type declared struct {
	operations []operation.Operation
	to         string // the path to which the property moves; empty if it does not
	in         string // the version that has the later values; empty if it is not named
	inPos      diag.Pos
}

// changes returns the keys that declare what becomes of a property, and what they declare.
func (d *decoder) changes() (fields []field, of *declared) {
	of = &declared{}
	add := func(o operation.Operation) { of.operations = append(of.operations, o) }
	whole := func(k operation.Kind) field {
		return key(string(k), func(v value) {
			if d.isTrue(v) {
				add(operation.Operation{Kind: k})
			}
		})
	}
	texts := func(k operation.Kind, read func(value) (string, bool)) field {
		return key(string(k), func(v value) {
			if text, ok := read(v); ok {
				add(operation.Operation{Kind: k, Text: text})
			}
		})
	}
	return []field{
		key(string(operation.Values), func(v value) {
			if pairs := d.renamedValues(v); pairs != nil {
				add(operation.Operation{Kind: operation.Values, Pairs: pairs})
			}
		}),
		whole(operation.Plural), whole(operation.Singular),
		texts(operation.WrappedIn, d.text), texts(operation.UnwrappedFrom, d.text),
		texts(operation.KeyedBy, d.text), texts(operation.ListedBy, d.text),
		texts(operation.Split, d.separator), texts(operation.Join, d.separator),
		key(string(operation.Factor), func(v value) {
			if by, over, ok := d.factor(v); ok {
				add(operation.Operation{Kind: operation.Factor, By: by, Over: over})
			}
		}),
		key(string(operation.MovedTo), func(v value) { of.to = d.path(v) }),
		key(ChangedIn, func(v value) { of.in, of.inPos = d.versionName(v), d.pos(v) }),
	}, of
}

// declare records what metadata declares for a property. A property that moves has a path as its
// name.
func (d *decoder) declare(o owner, of *declared) {
	if of.to != "" && len(of.operations) == 0 {
		of.operations = []operation.Operation{{Kind: operation.MovedTo}}
	}
	for i := range of.operations {
		if of.to != "" {
			of.operations[i].From, of.operations[i].To = o.Property, of.to
		}
		d.config.Changes = append(d.config.Changes, Change{o.Group, o.Version, o.Type, o.Property, of.operations[i], of.in, o.Pos})
	}
	switch {
	case of.in != "" && len(of.operations) == 0:
		d.add(diag.Errorf(of.inPos, "%q has changedIn, but declares no change", o.Property).
			WithHint("such as `{plural: true, changedIn: %[1]s}`; for a new name alone `renamedTo: {version: %[1]s, name: other}`", plaintext.YAML(of.in)))
	case of.in != "" && of.in == o.Version:
		d.add(diag.Errorf(of.inPos, "%s is the version of the earlier values", of.in).WithHint("name the later version, which has the later values"))
	case len(of.operations) > 1:
		d.add(diag.Errorf(o.Pos, "%q has two changes: `%s` and `%s`", o.Property, of.operations[0], of.operations[1]).
			WithHint("a hand-written step can do both: `conversion: custom`"))
	case of.to != "" && of.to == o.Property:
		d.add(diag.Errorf(o.Pos, "%q is moved to itself", o.Property).WithHint("name another object, such as `movedTo: template.spec.%s`", operation.Last(o.Property)))
	case of.to != "" && !isPath(o.Property):
		d.add(diag.Errorf(o.Pos, "%q is not a path of names", o.Property).WithHint("such as `disruption.expireAfter: {movedTo: template.spec.expireAfter}`"))
	}
}

// checkPaths reports moves from or to a property that another move is about too, alone or with the
// object around it. They would set one value twice.
func (d *decoder) checkPaths(changes []Change) {
	moves := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !c.Operation.Moves() })
	for _, side := range []struct {
		verb string
		path func(Change) string
	}{
		{"moved from", func(c Change) string { return c.Operation.From }},
		{"moved to", func(c Change) string { return c.Operation.To }},
	} {
		// A path is next to a path below it in this order, if there is one.
		within := func(c Change) string { return side.path(c) + "." }
		slices.SortStableFunc(moves, func(a, b Change) int { return strings.Compare(within(a), within(b)) })
		for i := 1; i < len(moves); i++ {
			a, b := moves[i-1], moves[i]
			if a.Property != b.Property && strings.HasPrefix(within(b), within(a)) {
				d.add(diag.Errorf(b.Pos, "%q is %s %s, and %q is %s %s", b.Property, side.verb, side.path(b), a.Property, side.verb, side.path(a)).
					WithHint("a value moves once, with the object around it or alone; a hand-written step can do both: `conversion: custom`"))
			}
		}
	}
}

// path decodes the names of properties from an object to one that it contains, separated by dots.
func (d *decoder) path(v value) string {
	text, ok := d.text(v)
	if ok && !isPath(text) {
		d.add(diag.Errorf(d.pos(v), "%.200q is not a path of 1 to %d names", text, maxNames).WithHint("such as `movedTo: template.spec.expireAfter`"))
		return ""
	}
	return text
}

func isPath(text string) bool {
	names := strings.Split(text, ".")
	return len(names) <= maxNames && !slices.Contains(names, "")
}

// isTrue decodes a key that is true or left out.
func (d *decoder) isTrue(v value) bool {
	before := d.errors
	is := d.boolean(v)
	if !is && d.errors == before {
		d.add(diag.Errorf(d.pos(v), "must be true").WithHint("remove the key if nothing changes"))
	}
	return is
}

// renamedValues decodes names of values and their later names.
func (d *decoder) renamedValues(v value) []string {
	var pairs []string
	entries, ok := d.entries(v)
	if ok && len(entries) == 0 {
		d.add(diag.Errorf(d.pos(v), "no values").WithHint("such as `values: {Standard: Basic}`"))
	}
	owners := map[string]string{}
	for _, e := range entries {
		to, ok := d.text(e.value)
		switch first, taken := owners[to]; {
		case !ok:
		case to == e.key.Value:
			d.add(diag.Errorf(d.pos(e.value), "%q is renamed to itself", to).WithHint("values that stay need no entry"))
		case taken:
			d.add(diag.Errorf(d.pos(e.value), "%q is already the later name of %q", to, first).
				WithHint("two values cannot become one, because the way back would not know which it was"))
		default:
			owners[to] = e.key.Value
			pairs = append(pairs, e.key.Value, to)
		}
	}
	return pairs
}

// separator decodes a text between parts. Spaces, tabs and line breaks are allowed.
func (d *decoder) separator(v value) (string, bool) {
	if v.Kind != yaml.ScalarNode || v.Anchor != "" || v.Tag != "!!str" {
		d.wrong(v, "a string")
		return "", false
	}
	isWrong := func(r rune) bool { return !plaintext.IsPlain(r) && !strings.ContainsRune(" \t\n", r) }
	switch {
	case v.Value == "" || len(v.Value) > maxSeparator:
		d.errorf(v, "a separator has 1 to %d bytes", maxSeparator)
	case strings.ContainsFunc(v.Value, isWrong):
		d.errorf(v, "%.200q has a character that is not allowed", v.Value)
	default:
		return v.Value, true
	}
	return "", false
}

// factor decodes a positive integer, or a fraction of two.
func (d *decoder) factor(v value) (by, over int64, ok bool) {
	if v.Kind == yaml.ScalarNode && v.Anchor == "" && (v.Tag == "!!int" || v.Tag == "!!str") {
		by, over, ok = operation.ParseFactor(v.Value)
	}
	if !ok {
		d.add(diag.Errorf(d.pos(v), "must be a positive integer or a fraction of two, and not 1").
			WithHint("`factor: 1000` for seconds that become milliseconds, `factor: 1/1000` for the other way"))
	}
	return by, over, ok
}
