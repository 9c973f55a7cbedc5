package config

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// decoder walks the tree of one file, fills the config and collects messages.
type decoder struct {
	file    string
	lines   *diag.Lines
	config  Config
	list    diag.List
	errors  int                 // in list
	grammar map[string][]string // the keys of every object, by its name in the grammar
}

// value is a node and its path.
type value struct {
	*yaml.Node
	path string
}

// entry is a member of a mapping.
type entry struct {
	key   value // its path is that of the member
	value value
}

// field is one key that an object may have.
type field struct {
	name     string
	decode   func(entry)
	required bool
}

func key(name string, decode func(value)) field {
	return field{name: name, decode: func(e entry) { decode(e.value) }}
}

func required(name string, decode func(value)) field {
	f := key(name, decode)
	f.required = true
	return f
}

// pos returns the position of a value.
func (d *decoder) pos(v value) diag.Pos {
	return diag.At(d.file, d.lines.Offset(v.Line, v.Column), v.path)
}

func (d *decoder) add(m diag.Message) {
	d.errors++
	d.list.Add(m)
}

func (d *decoder) errorf(v value, format string, args ...any) {
	d.add(diag.Errorf(d.pos(v), format, args...))
}

// object decodes a mapping with fixed keys. section is its name in the grammar.
func (d *decoder) object(v value, section string, fields ...field) {
	for _, f := range fields {
		d.know(section, f.name)
	}
	entries, ok := d.entries(v)
	if !ok {
		return
	}
	seen := map[string]bool{}
	for _, e := range entries {
		f, known := find(fields, e.key.Value)
		if !known {
			seen[d.unknown(e, fields)] = true
			continue
		}
		seen[f.name] = true
		f.decode(e)
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			d.missing(v, f.name)
		}
	}
}

func (d *decoder) know(section, name string) {
	for _, known := range d.grammar[section] {
		if known == name {
			return
		}
	}
	d.grammar[section] = append(d.grammar[section], name)
}

func find(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// entries returns the members of a mapping in the order of the file, each key once. It returns
// false if v is not a mapping.
func (d *decoder) entries(v value) ([]entry, bool) {
	if !d.is(v, yaml.MappingNode, "a mapping") {
		return nil, false
	}
	var entries []entry
	first := map[string]int{}
	for i := 0; i+1 < len(v.Content); i += 2 {
		e := entry{key: value{v.Content[i], v.path}}
		if !d.isKey(e.key) {
			continue
		}
		path := diag.Key(v.path, e.key.Value)
		e.key.path, e.value = path, value{v.Content[i+1], path}
		if line, twice := first[e.key.Value]; twice {
			d.add(diag.Errorf(d.pos(e.key), "%q appears here twice", e.key.Value).
				WithHint("the first is in line %d: join the two", line))
			continue
		}
		first[e.key.Value] = e.key.Line
		d.config.positions[path] = d.pos(e.value)
		entries = append(entries, e)
	}
	return entries, true
}

func (d *decoder) isKey(k value) bool {
	switch {
	case k.Kind != yaml.ScalarNode:
		d.errorf(k, "must be a plain key, not %s", describe(k.Node))
	case k.Tag == "!!merge":
		d.errorf(k, "merge keys are not supported here")
	case k.Anchor != "":
		d.errorf(k, "anchors are not supported here")
	case k.Value == "":
		d.errorf(k, "an empty key")
	default:
		return true
	}
	return false
}

// items decodes the elements of a list. It returns false if v is not a list.
func (d *decoder) items(v value, decode func(value)) bool {
	if !d.is(v, yaml.SequenceNode, "a list") {
		return false
	}
	for i, node := range v.Content {
		item := value{node, diag.Index(v.path, i)}
		d.config.positions[item.path] = d.pos(item)
		decode(item)
	}
	return true
}

// text returns a string. Dates count as strings. It returns false after an error.
func (d *decoder) text(v value) (string, bool) {
	if v.Kind != yaml.ScalarNode || v.Anchor != "" || v.Tag != "!!str" && v.Tag != "!!timestamp" {
		d.wrong(v, "a string")
		return "", false
	}
	if strings.TrimSpace(v.Value) != v.Value || v.Value == "" {
		d.errorf(v, "%q is empty or has spaces around it", v.Value)
		return "", false
	}
	if at := strings.IndexFunc(v.Value, func(r rune) bool { return !plaintext.IsPlain(r) }); at >= 0 {
		d.errorf(v, "%.200q has the character %U, which is not allowed", v.Value, []rune(v.Value[at:])[0])
		return "", false
	}
	return v.Value, true
}

// number returns a count.
func (d *decoder) number(v value) (int, bool) {
	if !d.is(v, yaml.ScalarNode, "a number") {
		return 0, false
	}
	n, err := strconv.Atoi(v.Value)
	if v.Tag != "!!int" || err != nil || n < 0 {
		d.wrong(v, "a whole number from 0")
		return 0, false
	}
	return n, true
}

// boolean returns a boolean, which is false after an error.
func (d *decoder) boolean(v value) bool {
	if !d.is(v, yaml.ScalarNode, "true or false") {
		return false
	}
	if v.Tag != "!!bool" {
		d.wrong(v, "true or false")
		return false
	}
	return strings.EqualFold(v.Value, "true")
}

// is checks the kind of a node, and refuses anchors and aliases.
func (d *decoder) is(v value, kind yaml.Kind, want string) bool {
	if v.Kind != kind || v.Anchor != "" {
		d.wrong(v, want)
		return false
	}
	return true
}
