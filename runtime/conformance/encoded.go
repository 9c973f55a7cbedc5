package conformance

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unsafe"
)

// samples are JSON values that a type with its own decoder may read: amounts, times, addresses,
// names, and free values.
var samples = []string{
	`"1h2m3s"`, `"90s"`, `"2019-09-09T09:09:09Z"`, `"2001-02-03T04:05:06.000007Z"`, `"100Mi"`, `"250m"`, `"2"`, `"80%"`, `"http"`,
	`7`, `1.5`, `true`, `{"a":{"b":[1,"x"]}}`, `["x",{"y":1}]`, `"10.0.0.1"`, `"10.0.0.0/8"`, `"5c0a3f0e-0f5b-4b57-8f0d-5d0f3c4a9b11"`,
}

// newEncoded returns a node with the samples that a type reads, and writes and reads again
// without a change.
func newEncoded(of reflect.Type) node {
	n := &encoded{of: of}
	for _, sample := range samples {
		value := reflect.New(of)
		if json.Unmarshal([]byte(sample), value.Interface()) != nil {
			continue
		}
		text, err := json.Marshal(value.Interface())
		again := reflect.New(of)
		if err != nil || string(text) == "null" || json.Unmarshal(text, again.Interface()) != nil {
			continue
		}
		if rewritten, err := json.Marshal(again.Interface()); err == nil && bytes.Equal(rewritten, text) && !value.Elem().IsZero() {
			n.samples = append(n.samples, text)
		}
	}
	return n
}

// draw leaves the zero value if the type reads no sample.
func (n *encoded) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if len(n.samples) == 0 || !must && !d.present() {
		return false
	}
	d.budget--
	sample := n.samples[d.below(len(n.samples))]
	return json.Unmarshal(sample, reflect.NewAt(n.of, p).Interface()) == nil
}

// first sets a value to the first sample, and reports whether there is one.
func (n *encoded) first(v reflect.Value) bool {
	return len(n.samples) > 0 && json.Unmarshal(n.samples[0], v.Addr().Interface()) == nil
}

func (n *encoded) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, errX := json.Marshal(reflect.NewAt(n.of, a).Interface())
	y, errY := json.Marshal(reflect.NewAt(n.of, b).Interface())
	return errX == nil && errY == nil && bytes.Equal(x, y) || c.soft && isNothingAt(n.of, a, b) || c.differ(n.of, a, b)
}

func (n *encoded) within(p unsafe.Pointer, _ func(unsafe.Pointer)) bool {
	return !reflect.NewAt(n.of, p).Elem().IsZero()
}
