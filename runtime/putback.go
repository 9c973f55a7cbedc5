package runtime

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Encode writes a root as JSON. Values that [Decode] took out, in this version, are at their places again, and out of the
// bags; but a live value stays where there is one. The root does not change.
func Encode(root any) ([]byte, error) { return Append(nil, root) }

// Append is [Encode] behind what dst holds, as the append of the language. On an error it returns dst.
func Append(dst []byte, root any) ([]byte, error) {
	out, err := appendJSON(dst, root)
	if err != nil {
		return dst, fmt.Errorf("encode %T: %w", root, err)
	}
	data := out[len(dst):]
	var fixed []byte
	if api, ok := root.(Hider); ok {
		fixed = encodeAPI(data, api)
	} else {
		fixed = encodeStorage(data, root)
	}
	if len(fixed) == len(data) && len(data) > 0 && &fixed[0] == &data[0] {
		return out, nil
	}
	return append(dst, fixed...), nil
}

func encodeStorage(data []byte, root any) []byte {
	t, of := treeOf(data), pointee(root, 1)
	if of == nil || !bytes.Contains(data, []byte(rawMark)) {
		return data
	}
	v, s := versioned(kindOfTree(t).Version), shapeOf(of)
	for _, name := range []string{"spec", "status"} {
		if f, part := s.member(name), t.member(name); f != nil && part != nil {
			v.putBack(f.shape, part)
		}
	}
	return t.json()
}

// versioned is the label of the version whose raw values are put back.
type versioned string

func (v versioned) putBack(s *shape, t *tree) {
	switch s.kind {
	case pointerKind:
		v.putBack(s.elem, t)
	case objectKind:
		if t.kind() == '{' {
			v.intoObject(s, t.look())
		}
	case listKind, dictKind:
		for _, part := range t.look().parts {
			v.putBack(s.elem, part)
		}
	}
}

func (v versioned) intoObject(s *shape, t *tree) {
	if bag := t.member(bagName); s.hasBag && bag != nil {
		v.fromBag(bag.look(), t)
		if t.open != '{' {
			return
		}
		if bag.isEmpty() {
			t.remove(bagName)
		}
	}
	for i, name := range t.names {
		if shape := s.memberShape(name); shape != nil {
			v.putBack(shape, t.parts[i])
		}
	}
}

func (v versioned) fromBag(bag, t *tree) {
	for i := len(bag.names) - 1; i >= 0; i-- {
		name, ok := rawName(bag.names[i], string(v))
		if !ok {
			continue
		}
		value := bag.parts[i]
		bag.drop(i)
		switch {
		case name == "" && len(t.names) == 1:
			*t = *value
			return
		case name != "" && (name == bagName || t.member(name) == nil):
			t.set(name, value)
		}
	}
}

// encodeAPI puts back what the status bag holds for this version.
func encodeAPI(data []byte, root Hider) []byte {
	text := root.StatusBag()
	if text == nil || !strings.Contains(*text, rawMark) && !strings.Contains(*text, `"raw":`) {
		return data
	}
	if _, err := readHidden(*text); err != nil {
		return data
	}
	whole := data
	_, atRoot := root.(Rooted)
	if atRoot {
		whole, _ = gatherSpec(data)
	}
	bag, t := treeOf(JSON(*text)).look(), treeOf(whole).look()
	taken := &taker{version: root.OriginalGVK().Version}
	taken.section(bag)
	for _, name := range []string{"spec", "status"} {
		if part := bag.member(name); part != nil && taken.value(part, path{member(name)}) {
			bag.remove(name)
		}
	}
	if len(taken.raws) == 0 {
		return data
	}
	if _, noted := root.GetAnnotations()[BagAnnotation]; noted {
		noteBag(t, bag)
	} else {
		setBag(t, bag)
	}
	for _, raw := range taken.raws {
		t.put(shapeOf(pointee(root, 1)), raw.at, treeOf(raw.value))
	}
	if atRoot {
		return spreadSpec(t.json())
	}
	return t.json()
}

// noteBag makes bag the one in the annotations of a root, or takes it away if nothing is in it.
func noteBag(root, bag *tree) {
	metadata := root.member("metadata")
	if metadata == nil {
		return
	}
	notes := metadata.look().member("annotations")
	if notes == nil {
		return
	}
	if slices.ContainsFunc(bag.names, isContent) {
		notes.look().set(BagAnnotation, treeOf(appendText(nil, string(bag.json()))))
		return
	}
	if notes.look().remove(BagAnnotation); notes.isEmpty() {
		metadata.remove("annotations")
	}
}

// setBag makes bag the status bag of a root, or takes bag and status away if nothing is in them.
func setBag(root, bag *tree) {
	status := root.member("status")
	if status == nil {
		return
	}
	blank := bag.member("noStatus") != nil
	if slices.ContainsFunc(bag.names, isContent) {
		status.set("propertyBag", treeOf(appendText(nil, string(bag.json()))))
		return
	}
	if status.remove("propertyBag"); blank && status.isEmpty() {
		root.remove("status")
	}
}

// isContent tells whether a member of a bag says something by itself.
func isContent(name string) bool {
	return name != "fingerprints" && name != "format" && name != "noStatus"
}

// taker takes the raw values of a version out of a bag.
type taker struct {
	version string
	raws    []rawValue
}

func (k *taker) section(bag *tree) {
	section := bag.member("raw")
	if section == nil || section.kind() != '[' {
		return
	}
	for _, one := range section.look().parts {
		if one.kind() != '[' || len(one.look().parts) != 2 {
			continue
		}
		if at, ok := readPath(one.parts[0]); ok {
			k.raws = append(k.raws, rawValue{at, one.parts[1].json()})
		}
	}
	bag.remove("raw")
}

func readPath(t *tree) (at path, ok bool) {
	if t.kind() != '[' {
		return nil, false
	}
	for _, part := range t.look().parts {
		switch c := (&cursor{data: part.json()}); part.kind() {
		case '"':
			name, _ := c.text()
			at = append(at, member(name))
		default:
			i := int(c.integer())
			if i < 0 {
				return nil, false
			}
			at = append(at, step{index: i})
		}
	}
	return at, len(at) > 0
}

// value takes raw values out of what is hidden in a value, and tells whether nothing is left.
func (k *taker) value(t *tree, at path) bool {
	if t.kind() != '{' {
		return false
	}
	for _, name := range slices.Clone(t.look().names) {
		part := t.member(name)
		empty := false
		switch {
		case name == "bag" && part.kind() == '{':
			empty = k.bag(part.look(), at)
		case name == "in" && part.kind() == '[':
			if k.elements(part.look(), at) {
				return true
			}
		case (name == "in" || name == "more") && part.kind() == '{':
			empty = k.members(part.look(), at)
		}
		if empty {
			t.remove(name)
		}
	}
	return t.isEmpty()
}

func (k *taker) bag(t *tree, at path) bool {
	for i := len(t.names) - 1; i >= 0; i-- {
		name, ok := rawName(t.names[i], k.version)
		if !ok {
			continue
		}
		place := slices.Clone(at)
		if name != "" {
			place = append(place, member(name))
		}
		k.raws = append(k.raws, rawValue{place, t.parts[i].json()})
		t.drop(i)
	}
	return t.isEmpty()
}

func (k *taker) members(t *tree, at path) bool {
	for i := len(t.names) - 1; i >= 0; i-- {
		if k.value(t.parts[i], append(at, member(t.names[i]))) {
			t.drop(i)
		}
	}
	return t.isEmpty()
}

// elements is members for [[index, ..., hidden]].
func (k *taker) elements(t *tree, at path) bool {
	for i := len(t.parts) - 1; i >= 0; i-- {
		one := t.parts[i].look()
		if len(one.parts) < 2 {
			continue
		}
		index := (&cursor{data: one.parts[0].json()}).integer()
		if k.value(one.parts[len(one.parts)-1], append(at, step{index: int(index)})) {
			t.drop(i)
		}
	}
	return t.isEmpty()
}

// put makes value what stands at a path, if there is nothing, or a blank object, or what a type that people wrote shows of
// nothing. S is the shape of what t is, nil for none.
func (t *tree) put(s *shape, at path, value *tree) {
	if len(at) == 0 {
		if t.kind() == '{' && t.isEmpty() || s.shows(t) {
			*t = *value
		}
		return
	}
	for s != nil && s.kind == pointerKind {
		s = s.elem
	}
	if t.look(); at[0].index >= 0 {
		if t.open == '[' && at[0].index < len(t.parts) {
			t.parts[at[0].index].put(s.held(), at[1:], value)
		}
		return
	}
	var inner *shape
	if s != nil && s.kind == objectKind {
		inner = s.memberShape(at[0].name)
	} else {
		inner = s.held()
	}
	switch part := t.member(at[0].name); {
	case part != nil:
		part.put(inner, at[1:], value)
	case t.open == '{' && len(at) == 1:
		t.set(at[0].name, value)
	}
}

// held is the shape of elements and values; nil where there is none.
func (s *shape) held() *shape {
	if s == nil {
		return nil
	}
	return s.elem
}

// shows tells whether a value is what a type shows that cannot be absent, and is zero.
func (s *shape) shows(t *tree) bool {
	if s == nil || s.kind == pointerKind {
		return false
	}
	zero, err := marshal(reflect.Zero(s.of).Interface())
	return err == nil && string(zero) == string(t.json())
}
