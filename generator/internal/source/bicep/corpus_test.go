package bicep

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// row has the counts of a resource version in the manifest.
type row struct {
	ID         string // type and version in lower case
	Properties int
	ReadOnly   int
	WriteOnly  int
}

// manifest returns the rows of the manifest, by file and resource version.
func manifest(t *testing.T, dir string) map[string]row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	if len(lines) != 2190 {
		t.Fatalf("the manifest lists %d resource versions, want 2190", len(lines))
	}
	rows := map[string]row{}
	for _, line := range lines {
		columns := strings.Split(line, "\t")
		count := func(i int) int {
			n, err := strconv.Atoi(columns[i])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		id := strings.ToLower(columns[1] + " " + columns[2])
		rows[columns[3]+" "+id] = row{id, count(4), count(5), count(6)}
	}
	return rows
}

// TestCorpus reads all files of the corpus. Nothing may be broken, the resources of each file must
// be those of the manifest, and the notation must represent them all.
func TestCorpus(t *testing.T) {
	dir := sourcetest.Corpus(t, "bicep")
	result := sourcetest.Read(Read).Result(t, dir, 0)
	sourcetest.Whole(t, result, 445)
	found := map[string]bool{}
	for _, r := range result.Resources {
		for _, v := range r.Versions {
			found[v.Sources[0].File+" "+strings.ToLower(r.Type+" "+v.Name)] = true
		}
	}
	want := slices.Sorted(maps.Keys(manifest(t, dir)))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("resource versions, -manifest +found:\n%s", diff)
	}
}

// TestCorpusDeterminism reads the corpus with one worker and with eight.
func TestCorpusDeterminism(t *testing.T) {
	sourcetest.Determinism(t, Read, sourcetest.Corpus(t, "bicep"))
}

// TestCorpusProperties walks the files independently of the front-end, and looks up every property
// of every object that a resource reaches in the result. It must be in the spec unless it is
// read-only, and in the status unless it is write-only or secret. Properties in neither are counted
// by reason.
func TestCorpusProperties(t *testing.T) {
	dir := sourcetest.Corpus(t, "bicep")
	omitted := map[string]int{}
	checked := 0
	for file, byName := range byFile(sourcetest.Read(Read).Result(t, dir, 0)) {
		types := decoded(t, filepath.Join(dir, filepath.FromSlash(file)))
		for name, v := range byName {
			w := &walker{t: t, types: types, name: name, omitted: omitted, seen: map[string]bool{}}
			w.body(v)
			checked += w.checked
		}
	}
	delete(omitted, walkedAlready)
	want := map[string]int{"it names the resource": 4 * 2190} // no resource has a secret that can only be read
	if diff := cmp.Diff(want, omitted); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	t.Logf("%d properties, left out %v", checked, omitted)
}

const walkedAlready = "one definition, walked already"

// walker follows a file's types beside a model.
type walker struct {
	t       *testing.T
	types   []map[string]any
	name    string
	omitted map[string]int
	seen    map[string]bool
	checked int
}

// byFile groups versions by their file and their name in it.
func byFile(r *source.Result) map[string]map[string]*model.Version {
	out := map[string]map[string]*model.Version{}
	for _, r := range r.Resources {
		for _, v := range r.Versions {
			file := v.Sources[0].File
			if out[file] == nil {
				out[file] = map[string]*model.Version{}
			}
			out[file][r.Type+"@"+v.Name] = v
		}
	}
	return out
}

func decoded(t *testing.T, file string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var types []map[string]any
	if err := json.Unmarshal(data, &types); err != nil {
		t.Fatal(err)
	}
	return types
}

func (w *walker) follow(ref any) (int, map[string]any) {
	text := ref.(map[string]any)["$ref"].(string)
	i, err := strconv.Atoi(strings.TrimPrefix(text, "#/"))
	if err != nil {
		w.t.Fatal(err)
	}
	return i, w.types[i]
}

func (w *walker) body(v *model.Version) {
	for _, n := range w.types {
		if name, ok := n["name"].(string); ok && n["$type"] == "ResourceType" && strings.EqualFold(name, w.name) {
			i, _ := w.follow(n["body"])
			w.object(i, v.Spec, v.Status, "", true)
		}
	}
}

// object compares an object with those of the two views; nil for a view without it.
func (w *walker) object(i int, spec, status model.Type, path string, isBody bool) {
	key := fmt.Sprint(i, spec != nil, status != nil)
	if w.seen[key] {
		w.omitted[walkedAlready]++
		return
	}
	w.seen[key] = true
	n := w.types[i]
	if n["$type"] == "DiscriminatedObjectType" {
		w.properties(n["baseProperties"], spec, status, path, isBody)
		for name, at := range n["elements"].(map[string]any) {
			_, element := w.follow(at)
			tells := n["discriminator"].(string)
			w.properties(element["properties"], branch(spec, tells, name), branch(status, tells, name), path+"<"+name+">", isBody)
		}
		return
	}
	w.properties(n["properties"], spec, status, path, isBody)
}

func (w *walker) properties(all any, spec, status model.Type, path string, isBody bool) {
	for name, p := range all.(map[string]any) {
		if isBody && ofEvery[name] {
			w.omitted["it names the resource"]++
			continue
		}
		w.checked++
		w.property(name, p.(map[string]any), spec, status, path+"."+name)
	}
}

func (w *walker) property(name string, p map[string]any, spec, status model.Type, path string) {
	flags := int(p["flags"].(float64))
	i, n := w.follow(p["type"])
	secret := w.isSecret(n)
	inSpec, inStatus := member(spec, name), member(status, name)
	wantSpec := spec != nil && flags&isReadOnly == 0
	wantStatus := status != nil && flags&isWriteOnly == 0 && !secret
	if (inSpec != nil) != wantSpec || (inStatus != nil) != wantStatus {
		w.t.Errorf("%s %s: in the spec %t, in the status %t, of flags %d", w.name, path, inSpec != nil, inStatus != nil, flags)
	}
	if secret && inSpec != nil && !inSpec.Secret {
		w.t.Errorf("%s %s is not marked as secret", w.name, path)
	}
	if inSpec == nil && inStatus == nil {
		if status != nil && secret {
			w.omitted["secret, and can only be read"]++
		}
		return
	}
	for n["$type"] == "ArrayType" || n["$type"] == "ObjectType" && len(n["properties"].(map[string]any)) == 0 && n["additionalProperties"] != nil {
		next := n["itemType"]
		if next == nil {
			next = n["additionalProperties"]
		}
		i, n = w.follow(next)
	}
	if n["$type"] == "ObjectType" || n["$type"] == "DiscriminatedObjectType" {
		w.object(i, typeOf(inSpec), typeOf(inStatus), path, false)
	}
}

func (w *walker) isSecret(n map[string]any) bool {
	if n["sensitive"] == true {
		return true
	}
	if n["$type"] == "ArrayType" {
		_, elem := w.follow(n["itemType"])
		return w.isSecret(elem)
	}
	return false
}

func typeOf(p *model.Property) model.Type {
	if p == nil {
		return nil
	}
	return p.Type
}

// member finds a property in a raw type, at any depth of its unions and conjunctions.
func member(t model.Type, name string) *model.Property {
	switch t := t.(type) {
	case *model.Ref:
		return member(t.Def.Type, name)
	case *model.List:
		return member(t.Elem, name)
	case *model.Map:
		return member(t.Elem, name)
	case *model.Object:
		return t.Property(name)
	case *model.AllOf:
		return anyMember(t.Parts, name)
	case *model.OneOf:
		return anyMember(t.Branches, name)
	}
	return nil
}

// branch returns the branch of a union for which a property has a value.
func branch(t model.Type, tells, value string) model.Type {
	switch t := t.(type) {
	case *model.Ref:
		return branch(t.Def.Type, tells, value)
	case *model.List:
		return branch(t.Elem, tells, value)
	case *model.Map:
		return branch(t.Elem, tells, value)
	case *model.AllOf:
		for _, p := range t.Parts {
			if b := branch(p, tells, value); b != nil {
				return b
			}
		}
	case *model.OneOf:
		for _, b := range t.Branches {
			if p := member(b, tells); p != nil && slices.Equal(p.Type.(*model.Enum).Values, []string{strconv.Quote(value)}) {
				return b
			}
		}
	}
	return nil
}

func anyMember(all []model.Type, name string) *model.Property {
	for _, t := range all {
		if p := member(t, name); p != nil {
			return p
		}
	}
	return nil
}

func BenchmarkCorpus(b *testing.B) {
	dir := sourcetest.Corpus(b, "bicep")
	b.ReportAllocs()
	for b.Loop() {
		sourcetest.Read(Read).Result(b, dir, 0)
	}
}
