package typed

import (
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

// containers counts the objects and lists of JSON of a type that become Go values: all but those in
// texts, and those whose types store JSON as it is. It also counts the entries of maps of such.
func containers(object []byte, t reflect.Type) (count, entries int64) {
	c := containerCounter{data: object}
	c.value(t)
	return c.count, c.entries
}

// containerCounter counts in JSON, which it reads once. It takes any bytes.
type containerCounter struct {
	data           []byte
	at             int
	count, entries int64
}

// value counts in the current value, and steps over it. The type is nil if it is not known.
func (c *containerCounter) value(t reflect.Type) {
	t = valueType(t)
	first := c.peek()
	if isText(t) && (first == '{' || first == '[') {
		c.skip()
		return
	}
	switch first {
	case '{':
		c.count++
		c.object(t)
	case '[':
		c.count++
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			t = t.Elem()
		} else {
			t = nil
		}
		for c.at++; c.more(']'); {
			c.value(t)
		}
	default:
		c.scalar()
	}
}

func (c *containerCounter) object(t reflect.Type) {
	var fields map[string]reflect.Type
	if t != nil && t.Kind() == reflect.Struct {
		fields = fieldsOf(t)
	}
	for c.at++; c.more('}'); {
		if c.data[c.at] != '"' {
			c.value(nil) // in text that is not JSON
			continue
		}
		name := c.scalar()
		c.more(0) // steps over the colon
		if t != nil && t.Kind() == reflect.Map {
			if isText(valueType(t.Elem())) {
				c.entries++
			}
			c.value(t.Elem())
		} else {
			c.value(fields[string(name[1:max(1, len(name)-1)])])
		}
	}
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
