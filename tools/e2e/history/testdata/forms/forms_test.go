package proofs

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/convert"
)

// alike demands that objects are stored in the same bytes whichever of two sources the code was
// made of, but for what the list of differences names. What it names must differ somewhere.
func alike(t *testing.T, reference, other generation, list string) {
	known := differences(t, list)
	used := map[string]bool{}
	for _, v := range reference.versions {
		drawn := 0
		v.draw(t, func(api any) {
			drawn++
			object := tree(text(api))
			uncover(object)
			for _, path := range apart(t, reference, other, v.label, text(object)) {
				row := known.of(v.label, path)
				if row == "" && !used[path] {
					row = path
					t.Errorf("%s: %s is stored otherwise:\n%.3000s\nstored as\n%.3000s\nand as\n%.3000s", v.label, path, text(object),
						stored(t, reference, v.label, text(object)), stored(t, other, v.label, text(object)))
				}
				used[row] = true
			}
		})
		if drawn == 0 {
			t.Errorf("no object was drawn of %s", v.label)
		}
	}
	for row := range known {
		if !used[row] {
			t.Errorf("nothing differs at %s any more", row)
		}
	}
}

// stored is what an object of an API version is stored as, as an API server spells it: members
// sorted.
func stored(t *testing.T, g generation, label string, object []byte) []byte {
	t.Helper()
	api := receiver(g.version(label).to)
	if err := convert.Decode(object, api); err != nil {
		t.Fatalf("%s: read %s: %v", g.name, label, err)
	}
	body, err := g.store(label, api)
	if err != nil {
		t.Fatalf("%s: %v", g.name, err)
	}
	return text(tree(body))
}

// apart lists where an object is stored otherwise by one of two.
func apart(t *testing.T, reference, other generation, label string, object []byte) []string {
	t.Helper()
	a, b := stored(t, reference, label, object), stored(t, other, label, object)
	if bytes.Equal(a, b) {
		return nil
	}
	found := map[string]bool{}
	paths("", tree(a), tree(b), found)
	if len(found) == 0 {
		t.Errorf("%s: %s and %s differ nowhere, and are not the same bytes", label, a, b)
	}
	return slices.Sorted(maps.Keys(found))
}

// paths finds where two values differ. Elements of lists have no numbers.
func paths(path string, a, b any, found map[string]bool) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			for name := range union(a, b) {
				members(path+"."+name, name, a, b, found)
			}
			return
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				paths(path+"[]", a[i], b[i], found)
			}
			return
		}
	}
	if !bytes.Equal(text(a), text(b)) {
		found[strings.TrimPrefix(path, ".")] = true
	}
}

// members finds where a member of two objects differs. No property bag is an empty one; nothing is
// no null.
func members(path, name string, a, b map[string]any, found map[string]bool) {
	x, inA := a[name]
	y, inB := b[name]
	switch {
	case inA && inB:
		paths(path, x, y, found)
	case name == "$propertyBag":
		paths(path, orEmpty(x), orEmpty(y), found)
	default:
		found[strings.TrimPrefix(path, ".")] = true
	}
}

func orEmpty(bag any) any {
	if bag == nil {
		return map[string]any{}
	}
	return bag
}

func union(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// rows are the differences that are known: a path, and why. In a path, an asterisk stands for a
// version.
type rows map[string]string

// differences reads a list: on every line a path, two colons and a reason; a number sign begins a
// remark.
func differences(t *testing.T, file string) rows {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := rows{}
	for lines := bufio.NewScanner(bytes.NewReader(body)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		path, reason, ok := strings.Cut(line, "::")
		if !ok || strings.TrimSpace(reason) == "" {
			t.Fatalf("%s: no reason in %q", file, line)
		}
		all[strings.TrimSpace(path)] = strings.TrimSpace(reason)
	}
	return all
}

// of is the row that a path is of; empty for none.
func (r rows) of(label, path string) string {
	for _, candidate := range []string{path, strings.ReplaceAll(path, label, "*")} {
		if _, ok := r[candidate]; ok {
			return candidate
		}
	}
	return ""
}
