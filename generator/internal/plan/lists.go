package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Lists are lists of members, in the form of the runtime's lists. Entries refer to lists by their
// numbers, which begin at 1.
type Lists [][]ListEntry

// ListEntry describes the members that one of its fields names, as an entry of the runtime's
// lists does.
type ListEntry struct {
	Name string `json:"name,omitzero"`
	Key  string `json:"key,omitzero"`
	Rest bool   `json:"rest,omitzero"`
	Kind string `json:"kind,omitzero"`
	Maps int    `json:"maps,omitzero"`
	List int    `json:"list,omitzero"` // 0 for none
}

// JSON returns the lists as JSON, which also identifies them; empty for nil.
func (l Lists) JSON() string {
	if l == nil {
		return ""
	}
	return compactJSON(l)
}

// compactJSON encodes a value as JSON. It panics if the type cannot be encoded.
func compactJSON(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // of a type without JSON
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// String formats an entry for reports: names, !key, * for the rest, ?kind, and the
// number of a list in parentheses.
func (e ListEntry) String() string {
	out := e.what() + strings.Repeat("{}", e.Maps)
	if e.List != 0 {
		out += "(" + strconv.Itoa(e.List) + ")"
	}
	return out
}

func (e ListEntry) what() string {
	switch {
	case e.Key != "":
		return "!" + word(e.Key)
	case e.Rest:
		return "*"
	case e.Kind != "":
		return "?" + e.Kind
	}
	return word(e.Name)
}

// listTable numbers lists. Equal lists of all versions get one number, except for lists that
// contain themselves.
type listTable struct {
	lists  Lists
	number map[*lackList]int
	open   map[*lackList]bool
	equal  map[string]int // by their texts
}

func newListTable() *listTable {
	return &listTable{number: map[*lackList]int{}, open: map[*lackList]bool{}, equal: map[string]int{}}
}

// listsFrom numbers root, as 1, and all lists that it refers to.
func listsFrom(root *lackList) Lists {
	t := newListTable()
	t.reserve(root)
	t.fill(root)
	return t.lists
}

// add returns the number of a list; 0 for nil.
func (t *listTable) add(l *lackList) int {
	if l == nil {
		return 0
	}
	if n, known := t.number[l]; known {
		return n
	}
	if t.open[l] {
		return t.reserve(l)
	}
	return t.fill(l)
}

// reserve gives a list a number of its own before its entries are known.
func (t *listTable) reserve(l *lackList) int {
	t.lists = append(t.lists, nil)
	t.number[l] = len(t.lists)
	return len(t.lists)
}

// fill numbers the lists that a list refers to, and then the list itself.
func (t *listTable) fill(l *lackList) int {
	t.open[l] = true
	entries := []ListEntry{}
	for _, i := range l.items {
		i.item.List = t.add(i.within)
		entries = append(entries, i.item)
	}
	n, reserved := t.number[l]
	text := fmt.Sprintf("%q", entries)
	if known, found := t.equal[text]; found && !reserved {
		t.number[l] = known
		return known
	}
	if !reserved {
		n = t.reserve(l)
		t.equal[text] = n
	}
	t.lists[n-1] = entries
	return n
}
