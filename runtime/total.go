package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// Decode reads a root, a pointer to an API or storage type, from JSON. Names must match exactly. A value of the wrong
// type is no error: it is taken out and kept for its own version only, under the key name@version!raw, where version is
// the label of the API version. In storage types it goes to the property bag of the nearest object that has one; a value
// that stands where an object should is kept in a blank object's own bag, with no name. In API types it goes to
// status.propertyBag, and from there, by [Restore], to the same place in the storage object. The [Observer] is told.
//
// A null is an absent value, and as an element of a list one of the wrong type. What is not JSON, or has metadata of
// the wrong type, is an error.
func Decode(data []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("decode into %T: not a pointer to a root", into)
	}
	_, atRoot := into.(Rooted)
	if !mayHaveNull(data, atRoot) && kjson.UnmarshalCaseSensitivePreserveInts(data, into) == nil {
		return nil
	}
	v.Elem().SetZero()
	s := shapeOf(v.Type().Elem())
	if s.kind != objectKind || !isValid(data) || treeOf(data).kind() != '{' {
		return decodeAs(data, into)
	}
	if atRoot {
		data, _ = gatherSpec(data)
	}
	d := newDecoder(data, into)
	d.part(s, "spec")
	d.part(s, "status")
	if data = d.root.json(); atRoot {
		data = spreadSpec(data)
	}
	if err := decodeAs(data, into); err != nil {
		return err
	}
	d.finish(into)
	return nil
}

// mayHaveNull tells whether a null may be somewhere in a spec, which may be at the root, or in a status. In metadata it
// does no harm.
func mayHaveNull(data []byte, atRoot bool) bool {
	if !bytes.Contains(data, []byte(null)) {
		return false
	}
	found := false
	isObject := eachMember(data, func(name []byte, value JSON) {
		if string(name) == "spec" || string(name) == "status" || atRoot && !beside[string(name)] {
			found = found || bytes.Contains(value, []byte(null))
		}
	})
	return found || !isObject
}

func decodeAs(data []byte, into any) error {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, into); err != nil {
		return fmt.Errorf("decode %T: %w", into, err)
	}
	return nil
}

// decoder takes values of the wrong type out of a root.
type decoder struct {
	fitter
	root *tree
	kind schema.GroupVersionKind
	raws []rawValue
	// api tells that the values are kept in status.propertyBag.
	api       bool
	hadStatus bool
}

// rawValue is a value of the wrong type.
type rawValue struct {
	at    path
	value JSON
}

func newDecoder(data []byte, into any) *decoder {
	d := &decoder{root: treeOf(slices.Clone(data)).look()}
	status := d.root.member("status")
	d.hadStatus = status != nil && !status.isNull()
	if root, ok := into.(Hider); ok {
		d.api, d.kind = true, *root.OriginalGVK()
		d.fitter = fitter{keep: d.keepAPI, blank: d.blankAPI, owns: (*shape).isOwn}
	} else {
		d.kind = kindOfTree(d.root)
		d.fitter = fitter{keep: d.keepStorage, blank: d.blankStorage, owns: func(s *shape) bool { return s.hasBag }}
	}
	return d
}

// kindOfTree reads the type of a storage object. Its version is the API version that the storage belongs to.
func kindOfTree(t *tree) schema.GroupVersionKind {
	text := func(name string) string {
		value := t.member(name)
		if value == nil || value.kind() != '"' {
			return ""
		}
		return string(unquoted(value.raw))
	}
	kind := schema.FromAPIVersionAndKind(text("apiVersion"), text("kind"))
	kind.Version = strings.TrimSuffix(kind.Version, storageSuffix)
	return kind
}

// part makes the spec or the status fit.
func (d *decoder) part(s *shape, name string) {
	f, t := s.member(name), d.root.member(name)
	if f == nil || t == nil || t.isNull() {
		return
	}
	d.within(member(name), func() bool {
		if !d.fits(f.shape, t) && f.shape.object() != nil && d.owns(f.shape.object()) {
			d.root.set(name, d.blank(t))
		}
		return true
	})
}

func (d *decoder) take(at path, value JSON) {
	d.raws = append(d.raws, rawValue{slices.Clone(at), value})
}

func (d *decoder) keepStorage(owner *tree, name string, value *tree) {
	d.take(d.placeOf(name), nil)
	owner.intoBag(rawKey(name, d.kind.Version), value)
}

func (d *decoder) blankStorage(value *tree) *tree {
	d.take(d.at, nil)
	blank := newObject()
	blank.intoBag(rawKey("", d.kind.Version), value)
	return blank
}

func (d *decoder) keepAPI(_ *tree, name string, value *tree) { d.take(d.placeOf(name), value.json()) }

func (d *decoder) blankAPI(value *tree) *tree {
	d.take(d.at, value.json())
	return newObject()
}

// placeOf returns the place of a member that is being read, or of the bag of an object that is.
func (d *decoder) placeOf(name string) path {
	if len(d.at) > 0 && d.at[len(d.at)-1] == member(name) {
		return d.at
	}
	return append(slices.Clone(d.at), member(name))
}

// finish puts raw values into the status bag, and tells the observer.
func (d *decoder) finish(into any) {
	if root, ok := into.(Hider); ok {
		d.dropBag(root)
		d.intoStatus(root)
	}
	event := Event{What: RawKept, Kind: d.kind, Err: errWrongType}
	if object, ok := into.(metav1.Object); ok {
		event.Namespace, event.Name = object.GetNamespace(), object.GetName()
	}
	for _, raw := range d.raws {
		event.Path = raw.at.String()
		observe(event)
	}
}

var errWrongType = errors.New("the value is of the wrong type")

const statusBag = "status.propertyBag"

// dropBag forgets a bag that is no text.
func (d *decoder) dropBag(root Hider) {
	for i, raw := range d.raws {
		if raw.at.String() == statusBag {
			d.raws = slices.Delete(d.raws, i, i+1)
			observe(Event{What: BagDropped, Kind: d.kind, Namespace: root.GetNamespace(), Name: root.GetName(), Path: statusBag, Err: errWrongType})
			return
		}
	}
}

func (d *decoder) intoStatus(root Hider) {
	if len(d.raws) == 0 {
		return
	}
	section := []byte{'['}
	for i, raw := range d.raws {
		if i > 0 {
			section = append(section, ',')
		}
		section = append(raw.at.append(append(section, '[')), ',')
		section = append(append(section, raw.value...), ']')
	}
	bag := d.statusBag(root)
	bag.insert("raw", treeOf(append(section, ']')))
	text := string(bag.json())
	root.SetStatusBag(&text)
}

// statusBag returns the bag that a root has, if it can be read, or a new one.
func (d *decoder) statusBag(root Hider) *tree {
	if bag := root.StatusBag(); bag != nil {
		if _, err := readHidden(*bag); err == nil {
			return treeOf(JSON(*bag)).look()
		}
	}
	bag := fmt.Sprintf(`{"fingerprints":%d,"format":%d}`, fingerprintVersion, bagFormat)
	if !d.hadStatus {
		bag = fmt.Sprintf(`{"fingerprints":%d,"format":%d,"noStatus":true}`, fingerprintVersion, bagFormat)
	}
	return treeOf(JSON(bag)).look()
}
