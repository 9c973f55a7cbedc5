package gofile

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// Lists returns a literal of lists, without their type.
func Lists(lists plan.Lists) string {
	var all []string
	for _, entries := range lists {
		all = append(all, ListEntries(entries))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// ListEntries returns a literal of one list, without its type.
func ListEntries(entries []plan.ListEntry) string {
	var all []string
	for _, e := range entries {
		all = append(all, listEntry(e))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func listEntry(e plan.ListEntry) string {
	var fields []string
	text := func(name, value string) {
		if value != "" {
			fields = append(fields, name+": "+strconv.Quote(value))
		}
	}
	truth := func(name string, value bool) {
		if value {
			fields = append(fields, name+": true")
		}
	}
	number := func(name string, value int) {
		if value != 0 {
			fields = append(fields, name+": "+strconv.Itoa(value))
		}
	}
	text("Name", e.Name)
	text("Key", e.Key)
	truth("Rest", e.Rest)
	text("Kind", e.Kind)
	number("Maps", e.Maps)
	number("List", e.List)
	return "{" + strings.Join(fields, ", ") + "}"
}
