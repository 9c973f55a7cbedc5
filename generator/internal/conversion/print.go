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
			ops := differences(nil, before, after, "")
			if len(ops) == 0 {
				continue
			}
			all = append(all, `{"file":`+syntax.Quote(f.Name)+`,"kind":`+syntax.Quote(o.Kind)+`,"name":`+syntax.Quote(o.Name)+
				`,"from":`+syntax.Quote(o.From)+`,"to":`+syntax.Quote(o.To)+`,"patch":[`+strings.Join(ops, ",")+`]}`)
		}
	}
	return indentedJSON("[" + strings.Join(all, ",") + "]")
}

// differences appends the operations that turn one value into another.
func differences(ops []string, before, after *tree, at string) []string {
	operation := func(op, path string, value *tree) {
		text := `{"op":"` + op + `","path":` + syntax.Quote(path)
		if value != nil {
			text += `,"value":` + value.JSON()
		}
		ops = append(ops, text+"}")
	}
	switch {
	case before.isEqual(after):
	case before.kind == syntax.Object && after.kind == syntax.Object:
		for _, m := range before.members {
			if path := at + "/" + escaped(m.name); after.member(m.name) == nil {
				operation("remove", path, nil)
			} else {
				ops = differences(ops, m.value, after.member(m.name), path)
			}
		}
		for _, m := range after.members {
			if before.member(m.name) == nil {
				operation("add", at+"/"+escaped(m.name), m.value)
			}
		}
	case before.kind == syntax.List && after.kind == syntax.List && len(before.items) == len(after.items):
		for i := range before.items {
			ops = differences(ops, before.items[i], after.items[i], at+"/"+strconv.Itoa(i))
		}
	default:
		operation("replace", at, after)
	}
	return ops
}

// escaped returns a name as a token of a JSON pointer.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
