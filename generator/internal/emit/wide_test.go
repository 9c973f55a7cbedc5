package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/chain"
)

// elements are one type of every kind that a list, a map or a field may hold.
var elements = []struct{ name, typ string }{
	{"text", "string"},
	{"whole", "int"},
	{"decimal", "number"},
	{"flag", "bool"},
	{"mood", `enum string("glad", "sad")`},
	{"size", "enum int(1, 2)"},
	{"ratio", "enum number(0.5, 1.5)"},
	{"only", "enum bool(true)"},
	{"free", "any"},
	{"thing", "&Thing"},
	{"open", "&Open"},
}

// nestings are all ways to nest lists and maps up to a depth.
func nestings(depth int) []string {
	all := []string{""}
	for from := 0; depth > 0; depth-- {
		level := all[from:]
		from = len(all)
		for _, w := range level {
			all = append(all, w+"list ", w+"map ")
		}
	}
	return all
}

// everyField lists a property of every kind of element in every wrap.
func everyField(suffix string) string {
	var b strings.Builder
	for _, e := range elements {
		for _, w := range nestings(3) {
			fmt.Fprintf(&b, "      .%s%s%s %s%s\n", e.name, strings.ReplaceAll(w, " ", ""), suffix, w, e.typ)
		}
	}
	return b.String()
}

// everyOpen defines an open object for every kind of further members.
func everyOpen() (properties, defs string) {
	for i, e := range elements {
		for j, w := range nestings(1) {
			name := fmt.Sprintf("Further%d%d", i, j)
			properties += fmt.Sprintf("      .further%d%d &%s\n", i, j, name)
			defs += fmt.Sprintf("    def %s object\n      .known string\n      * %s%s\n", name, w, e.typ)
		}
	}
	return properties, defs
}

// wideFields has every kind of field. Half of them go away on the way to the
// hub, others arrive, and the objects in them change.
func wideFields(t testing.TB) sample {
	t.Helper()
	properties, defs := everyOpen()
	var b strings.Builder
	b.WriteString("resource Microsoft.Wide/fields\n  kind Field fields\n")
	for version, suffix := range []string{"Early", "Middle", "Late"} {
		fmt.Fprintf(&b, "  version 202%d-01-01\n    spec &FieldSpec\n    def FieldSpec object\n", version)
		b.WriteString(everyField("Stays") + everyField(suffix) + properties)
		fmt.Fprintf(&b, "    def Thing object\n      .name string\n      .only%s int\n", suffix)
		b.WriteString("    def Open object\n      .name string\n      * string\n" + defs)
	}
	return sample{"widefields", decide(t, parse(t, b.String()), chain.Options{Suffix: "example.com"})}
}

// long is a name of so many letters.
func long(first string, length int) string {
	return first + strings.Repeat("abcdefghij", 10)[:length-len(first)]
}

// longestKind is the limit that Kubernetes sets.
const longestKind = 63

// wideNames has resources, types and properties with names of every length, so
// that every function of one line is found on both sides of gofmt's limit.
func wideNames(t testing.TB) sample {
	t.Helper()
	var b strings.Builder
	for length := 1; length <= 90; length++ {
		kind := fmt.Sprintf("K%d", length)
		if length > len(kind) && length <= longestKind {
			kind = long(kind, length)
		}
		fmt.Fprintf(&b, "resource Microsoft.Wide/%ss\n  kind %s %ss\n", strings.ToLower(kind), kind, strings.ToLower(kind))
		for version := range 3 {
			writeNames(&b, version, length, kind)
		}
	}
	return sample{"widenames", decide(t, parse(t, b.String()), chain.Options{Suffix: "example.com"})}
}

func writeNames(b *strings.Builder, version, length int, kind string) {
	typ, property := long("T"+kind[:1], length+1), long("p", length)
	fmt.Fprintf(b, "  version 202%d-01-01\n    spec &%sSpec\n    def %sSpec object\n", version, kind, kind)
	for i, w := range nestings(3) {
		fmt.Fprintf(b, "      .%s%d %s&%s\n      .n%s%d %sint\n", property, i, w, typ, property, i, w)
	}
	fmt.Fprintf(b, "      .%sx list list enum string(\"a\")\n", property)
	fmt.Fprintf(b, "    def %s object\n      .only%d string\n      .%s map map any\n", typ, version, property)
}
