package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

var writeStored = flag.Bool("write-stored", false, "write the fixtures of stored objects that are missing; what exists stays as it is")

const storedDir = "testdata/stored"

// fixture is a stored object, and its readings in all versions, which never change. A file is
// written once. Only the readings of new versions are added later.
type fixture struct {
	About string `json:"about"`
	// Sent is the object that a client of an API version has written; empty if there was none.
	Sent json.RawMessage `json:"sent,omitempty"`
	// Stored is the object in the hub's version of its time.
	Stored json.RawMessage `json:"stored"`
	// Reads maps the label of each API version to its reading.
	Reads map[string]*reading `json:"reads"`
}

type reading struct {
	Object json.RawMessage `json:"object"`
	// Back is the stored object after the version has written its reading. It is absent if that
	// equals the first stored object.
	Back json.RawMessage `json:"back,omitempty"`
}

// TestStored checks that a stored object reads the same for ever, through every version, to the
// bytes of status.propertyBag. It is also the same when it is written back.
func TestStored(t *testing.T) {
	a := newArchive(t)
	if *writeStored {
		a.writeMissing(t)
	}
	for _, c := range a.cases() {
		if _, err := os.Stat(a.file(c.name)); err != nil {
			t.Errorf("there is no fixture of %s: write it with -write-stored, look at it, and keep it", c.name)
		}
	}
	files, err := filepath.Glob(filepath.Join(storedDir, "*", "*.json"))
	if err != nil || len(files) < 50 {
		t.Fatalf("found %d fixtures, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(file, storedDir)), ".json")[1:], func(t *testing.T) {
			a.check(t, load(t, file))
		})
	}
}

// releasedDir has a folder of fixtures for each release, which the release has recorded.
const releasedDir = "testdata/released"

// TestReleased checks that objects that earlier releases stored read as they did then, in the
// versions that existed then.
func TestReleased(t *testing.T) {
	a := newArchive(t)
	files, err := filepath.Glob(filepath.Join(releasedDir, "*", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	releases, err := filepath.Glob(filepath.Join(releasedDir, "*"))
	if err != nil || len(files) < 50*len(releases) {
		t.Fatalf("%d releases have %d fixtures: %v", len(releases), len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.ToSlash(strings.TrimPrefix(file, releasedDir))[1:], func(t *testing.T) {
			a.checkKnown(t, load(t, file))
		})
	}
}

// archive has the types of fixtures.
type archive struct {
	scheme *k8sruntime.Scheme
	apis   map[string][]schema.GroupVersionKind // API versions by kind, sorted
	hubs   map[string]schema.GroupVersionKind   // by kind
}

func newArchive(t *testing.T) *archive {
	a := &archive{k8sruntime.NewScheme(), map[string][]schema.GroupVersionKind{}, map[string]schema.GroupVersionKind{}}
	if err := api.AddToScheme(a.scheme); err != nil {
		t.Fatal(err)
	}
	for gvk, of := range a.scheme.AllKnownTypes() {
		switch reflect.New(of).Interface().(type) {
		case runtime.Hider:
			a.apis[gvk.Kind] = append(a.apis[gvk.Kind], gvk)
		case conversion.Hub:
			a.hubs[gvk.Kind] = gvk
		}
	}
	for _, versions := range a.apis {
		slices.SortFunc(versions, func(x, y schema.GroupVersionKind) int { return strings.Compare(x.Version, y.Version) })
	}
	return a
}

func (a *archive) file(name string) string {
	return filepath.Join(storedDir, filepath.FromSlash(name)+".json")
}

// check checks a fixture that has readings of all present versions.
func (a *archive) check(t *testing.T, f *fixture) {
	for _, v := range a.apis[kindOf(t, f.Stored).Kind] {
		if f.Reads[v.Version] == nil {
			t.Errorf("nothing is known of %s: write it with -write-stored, and look at it", v.Version)
		}
	}
	a.checkKnown(t, f)
}

// checkKnown checks the readings that a fixture has.
func (a *archive) checkKnown(t *testing.T, f *fixture) {
	kind := kindOf(t, f.Stored)
	if f.Sent != nil {
		same(t, "what was sent is stored as", a.store(t, f.Sent, kind), f.Stored)
	}
	for label := range f.Reads {
		if !slices.ContainsFunc(a.apis[kind.Kind], func(v schema.GroupVersionKind) bool { return v.Version == label }) {
			t.Errorf("no type reads %s", label)
		}
	}
	for _, v := range a.apis[kind.Kind] {
		r := f.Reads[v.Version]
		if r == nil {
			continue
		}
		same(t, v.Version+" reads", a.read(t, f.Stored, v), r.Object)
		back := r.Back
		if back == nil {
			back = f.Stored
		}
		same(t, v.Version+" writes back", a.store(t, r.Object, kind), back)
	}
}

// read returns a stored object as an API version reads it.
func (a *archive) read(t *testing.T, stored []byte, as schema.GroupVersionKind) json.RawMessage {
	t.Helper()
	hub, dst := a.hubOf(t, a.decode(t, stored)), a.make(t, as)
	if err := dst.(conversion.Convertible).ConvertFrom(hub); err != nil {
		t.Fatal(err)
	}
	return encoded(t, dst)
}

// store returns the stored form of an object that an API version has written, in a present or
// former version of the hub.
func (a *archive) store(t *testing.T, sent []byte, as schema.GroupVersionKind) json.RawMessage {
	t.Helper()
	hub, dst := a.hubOf(t, a.decode(t, sent)), a.make(t, as)
	former, ok := dst.(conversion.Convertible)
	if !ok {
		return encoded(t, hub)
	}
	if err := former.ConvertFrom(hub); err != nil {
		t.Fatal(err)
	}
	return encoded(t, former)
}

// hubOf converts an object to the present hub, unless it has that version.
func (a *archive) hubOf(t *testing.T, object k8sruntime.Object) conversion.Hub {
	t.Helper()
	if hub, ok := object.(conversion.Hub); ok {
		return hub
	}
	hub := a.make(t, a.hubs[object.GetObjectKind().GroupVersionKind().Kind]).(conversion.Hub)
	if err := object.(conversion.Convertible).ConvertTo(hub); err != nil {
		t.Fatal(err)
	}
	return hub
}

func (a *archive) decode(t *testing.T, data []byte) k8sruntime.Object {
	t.Helper()
	object := a.make(t, kindOf(t, data))
	if err := convert.Decode(data, object); err != nil {
		t.Fatal(err)
	}
	return object
}

func (a *archive) make(t *testing.T, kind schema.GroupVersionKind) k8sruntime.Object {
	t.Helper()
	object, err := a.scheme.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

func encoded(t *testing.T, object any) json.RawMessage {
	t.Helper()
	data, err := convert.Encode(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func kindOf(t *testing.T, data []byte) schema.GroupVersionKind {
	t.Helper()
	var meta metav1.TypeMeta
	if err := json.Unmarshal(data, &meta); err != nil {
		t.Fatal(err)
	}
	return meta.GroupVersionKind()
}

// same compares JSON values. Equal numbers have the same spelling.
func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !reflect.DeepEqual(valueOf(t, got), valueOf(t, want)) {
		t.Errorf("%s\n\t%s\nwant\n\t%s", what, got, compact(t, want))
	}
}

func valueOf(t *testing.T, data []byte) (value any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func compact(t *testing.T, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, data); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// load reads a fixture; an empty one if the file does not exist.
func load(t *testing.T, file string) *fixture {
	t.Helper()
	f := &fixture{}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return f
	}
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return f
}

// writeMissing writes missing fixtures, and adds missing readings to the others.
func (a *archive) writeMissing(t *testing.T) {
	for _, c := range a.cases() {
		file := a.file(c.name)
		if f := load(t, file); a.complete(t, f, c) {
			f.write(t, file)
		}
	}
}

// complete adds missing readings, and reports whether there were any.
func (a *archive) complete(t *testing.T, f *fixture, c storedCase) (added bool) {
	if f.Stored == nil {
		f.About, f.Reads, added = c.about, map[string]*reading{}, true
		f.Sent, f.Stored = c.begin(t, a)
	}
	kind := kindOf(t, f.Stored)
	for _, v := range a.apis[kind.Kind] {
		if f.Reads[v.Version] != nil {
			continue
		}
		r := &reading{Object: a.read(t, f.Stored, v)}
		if back := a.store(t, r.Object, kind); !reflect.DeepEqual(valueOf(t, back), valueOf(t, f.Stored)) {
			r.Back = back
		}
		f.Reads[v.Version], added = r, true
	}
	return added
}

// write writes one line for each object.
func (f *fixture) write(t *testing.T, file string) {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	put := func(before string, value any) {
		out.WriteString(before)
		if err := e.Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	put(`{"about": `, f.About)
	if f.Sent != nil {
		put(`,"sent": `, f.Sent)
	}
	put(`,"stored": `, f.Stored)
	separator := `,"reads": {`
	for _, v := range slices.Sorted(maps.Keys(f.Reads)) {
		put(separator+strconv.Quote(v)+": ", f.Reads[v])
		separator = ","
	}
	out.WriteString("}}\n")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, out.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}
