package typed

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

// counts are numbers of objects and lists, by where they are: see containerSizes. hiding are those
// with values that a type may not represent. entries are those of maps whose values store
// JSON as it is. bytes is the size of structs whose counterparts in all types are known.
type counts struct{ root, metadata, single, repeated, hiding, entries, bytes int64 }

// containers counts the objects and lists of JSON of a type that become Go values: all but those in
// texts, and those whose types store JSON as it is.
func containers(object []byte, t reflect.Type, of expected) counts {
	c := containerCounter{data: object, expected: of}
	if c.peek() == '{' {
		c.root++
		c.object(valueType(t), inRoot)
	} else {
		c.value(t, inBody)
	}
	return c.counts
}

// containerCounter counts in JSON, which it reads once. It takes any bytes.
type containerCounter struct {
	data []byte
	at   int
	expected
	counts
}

// region is where an object or a list is.
type region int

const (
	inRoot region = iota
	inMetadata
	inBody
	inElement
)

// add counts one object or list of a region.
func (c *containerCounter) add(r region) {
	switch r {
	case inMetadata:
		c.metadata++
	case inElement:
		c.repeated++
	default:
		c.single++
	}
}

// value counts in the current value, and steps over it. The type is nil if it is not known. It
// reports whether the type represents the value for certain, without what is in it.
func (c *containerCounter) value(t reflect.Type, r region) (fits bool) {
	t = valueType(t)
	first := c.peek()
	if isText(t) && (first == '{' || first == '[') {
		c.skip()
		return true
	}
	switch first {
	case '{':
		if size, known := c.sizes[t]; known && r != inMetadata {
			c.bytes += size
		} else {
			c.add(r)
		}
		c.object(t, r)
		return t != nil && (t.Kind() == reflect.Struct || t.Kind() == reflect.Map)
	case '[':
		c.add(r)
		isList := t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array)
		if isList {
			t = t.Elem()
		} else {
			t = nil
		}
		fit := true
		for c.at++; c.more(']'); {
			fit = c.value(t, r.elements(t)) && fit
		}
		if !fit && r != inMetadata {
			c.hiding++
		}
		return isList
	}
	return fitsScalar(c.scalar(), t)
}

// fitsScalar reports whether a type represents a scalar for certain.
func fitsScalar(text []byte, t reflect.Type) bool {
	if t == nil || len(text) == 0 {
		return false
	}
	if isText(t) {
		return true
	}
	switch kind := t.Kind(); {
	case readsItself(t):
		return false
	case text[0] == '"':
		return kind == reflect.String && !bytes.Contains(text, []byte(`\u`))
	case text[0] == 't' || text[0] == 'f':
		return kind == reflect.Bool
	case len(text) <= maxDigits && len(bytes.Trim(text, "0123456789")) == 0:
		return kind >= reflect.Int && kind <= reflect.Float64 && t.Size() >= 4
	}
	return false
}

// maxDigits is the length of a number that every type of 32 bits represents.
const maxDigits = 9

var unmarshaler, textUnmarshaler = reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()

// readsItself reports whether a type has a method that decodes it.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshaler) || p.Implements(textUnmarshaler)
}

// elements returns the region of the elements of a list or map. Elements whose type is not known
// count as if they occurred once, which costs most.
func (r region) elements(t reflect.Type) region {
	switch {
	case r == inMetadata:
		return r
	case t == nil:
		return inBody
	}
	return inElement
}

func (c *containerCounter) object(t reflect.Type, r region) {
	var fields map[string]reflect.Type
	if t != nil && t.Kind() == reflect.Struct {
		fields = fieldsOf(t)
	}
	fit := true
	for c.at++; c.more('}'); {
		if c.data[c.at] != '"' {
			fit = c.value(nil, r.member(nil, nil)) && fit // in text that is not JSON
			continue
		}
		text := c.scalar()
		c.more(0) // steps over the colon
		if t != nil && t.Kind() == reflect.Map {
			if isText(valueType(t.Elem())) {
				c.entries++
			}
			fit = c.value(t.Elem(), r.elements(t.Elem())) && fit
			continue
		}
		name := text[1:max(1, len(text)-1)]
		of := fields[string(name)]
		fit = c.value(of, r.member(name, of)) && !c.hidden[t][string(name)] && fit
	}
	if !fit && t != nil && r != inMetadata {
		c.hiding++
	}
}

// member returns the region of a member of an object. A member whose type is not known counts as if
// it occurred once, which costs most.
func (r region) member(name []byte, of reflect.Type) region {
	switch {
	case r == inRoot && string(name) == "metadata" && of == metadataType:
		return inMetadata
	case r == inRoot, r == inElement && of == nil:
		return inBody
	}
	return r
}

// more steps over spaces, commas and colons. It reports whether another value follows, and steps
// over the closing bracket.
func (c *containerCounter) more(closing byte) bool {
	for c.at < len(c.data) {
		switch b := c.data[c.at]; {
		case b == closing:
			c.at++
			return false
		case b != ' ' && b != '\t' && b != '\n' && b != '\r' && b != ',' && b != ':':
			return true
		}
		c.at++
	}
	return false
}

// peek steps over spaces, and returns the first byte of the value; zero at the end.
func (c *containerCounter) peek() byte {
	if !c.more(0) {
		return 0
	}
	return c.data[c.at]
}

// scalar steps over a text, a number, a word or a bracket that closes nothing, and returns it.
func (c *containerCounter) scalar() []byte {
	start := c.at
	if c.at < len(c.data) && c.data[c.at] == '"' {
		for c.at++; c.at < len(c.data) && c.data[c.at] != '"'; c.at++ {
			if c.data[c.at] == '\\' {
				c.at++
			}
		}
		c.at = min(c.at+1, len(c.data))
		return c.data[start:c.at]
	}
	for c.at < len(c.data) && !strings.ContainsRune(",:{}[]\" \t\n\r", rune(c.data[c.at])) {
		c.at++
	}
	if c.at == start {
		c.at = min(start+1, len(c.data))
	}
	return c.data[start:c.at]
}

// skip steps over an object or a list.
func (c *containerCounter) skip() {
	for depth := 0; c.at < len(c.data); {
		switch c.data[c.at] {
		case '"':
			c.scalar()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if c.at++; depth == 0 {
			return
		}
	}
}

// valueType is the type behind pointers.
func valueType(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

var texts = map[reflect.Type]bool{reflect.TypeFor[metav1.FieldsV1](): true, reflect.TypeFor[k8sruntime.RawExtension](): true}

// isText reports whether a type stores JSON as it is.
func isText(t reflect.Type) bool {
	return t != nil && (texts[t] || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8)
}

var knownFields sync.Map // of reflect.Type: map[string]reflect.Type

// fieldsOf returns the types of the members of a struct by their names.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := knownFields.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	fields := map[string]reflect.Type{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if inner := valueType(field.Type); name == "" && field.Anonymous && inner.Kind() == reflect.Struct && inner != t {
			for name, of := range fieldsOf(inner) {
				fields[name] = of
			}
		}
		if name != "" && name != "-" {
			fields[name] = field.Type
		}
	}
	knownFields.Store(t, fields)
	return fields
}
