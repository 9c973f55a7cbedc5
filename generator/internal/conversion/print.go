package conversion

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// JSON prints all objects of files: one alone, and several as a list.
func JSON(files []*Result) (string, error) {
	var all []string
	for _, f := range files {
		for _, o := range f.Objects {
			all = append(all, o.After)
		}
	}
	text := `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(all, ",") + `]}`
	if len(all) == 1 {
		text = all[0]
	}
	return indentedJSON(text)
}

func indentedJSON(text string) (string, error) {
	var out bytes.Buffer
	err := json.Indent(&out, []byte(text), "", "  ")
	return out.String() + "\n", err
}

// Patches prints, for each object that changes, the operations of a JSON patch (RFC 6902) that lead
// to the converted object.
func Patches(files []*Result) (string, error) {
	var all []string
	for _, f := range files {
		for _, o := range f.Objects {
			before, err := parsed(o.Before)
			if err != nil {
				return "", err
			}
			after, err := parsed(o.After)
			if err != nil {
				return "", err
			}
			var ops []string
			for _, d := range differences(nil, before, after) {
				ops = append(ops, d.operation())
			}
			if len(ops) == 0 {
				continue
			}
			all = append(all, `{"file":`+syntax.Quote(f.Name)+`,"kind":`+syntax.Quote(o.Kind)+`,"name":`+syntax.Quote(o.Name)+
				`,"from":`+syntax.Quote(o.From)+`,"to":`+syntax.Quote(o.To)+`,"patch":[`+strings.Join(ops, ",")+`]}`)
		}
	}
	return indentedJSON("[" + strings.Join(all, ",") + "]")
}

// difference is a value that differs between two objects. Before or after is nil if one lacks it.
type difference struct {
	path          []string
	before, after *tree
}

// operation returns the operation of a JSON patch that makes one value of the other.
func (d difference) operation() string {
	path := ""
	for _, name := range d.path {
		path += "/" + escaped(name)
	}
	switch rest := `","path":` + syntax.Quote(path); {
	case d.after == nil:
		return `{"op":"remove` + rest + "}"
	case d.before == nil:
		return `{"op":"add` + rest + `,"value":` + d.after.JSON() + "}"
	default:
		return `{"op":"replace` + rest + `,"value":` + d.after.JSON() + "}"
	}
}

// differences lists the values that differ, each at the longest path that both objects have.
func differences(path []string, before, after *tree) []difference {
	var out []difference
	switch {
	case before.isEqual(after):
	case before.kind == syntax.Object && after.kind == syntax.Object:
		for _, m := range before.members {
			if is := after.member(m.name); is == nil {
				out = append(out, difference{with(path, m.name), m.value, nil})
			} else {
				out = append(out, differences(with(path, m.name), m.value, is)...)
			}
		}
		for _, m := range after.members {
			if before.member(m.name) == nil {
				out = append(out, difference{with(path, m.name), nil, m.value})
			}
		}
	case before.kind == syntax.List && after.kind == syntax.List && len(before.items) == len(after.items):
		for i := range before.items {
			out = append(out, differences(with(path, strconv.Itoa(i)), before.items[i], after.items[i])...)
		}
	default:
		out = append(out, difference{path, before, after})
	}
	return out
}

// escaped returns a name as a token of a JSON pointer.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
