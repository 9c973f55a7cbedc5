package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// node is JSON whose members are in order and may be repeated.
type node struct {
	kind   byte // '{', '[', '"', or 0 for the text of another scalar
	text   string
	names  []string
	values []*node
}

func parsed(data []byte) *node {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := parseNext(d)
	if err != nil {
		return nil
	}
	return n
}

func parseNext(d *json.Decoder) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n := &node{kind: byte(t)}
		for d.More() {
			if t == '{' {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.names = append(n.names, name.(string))
			}
			v, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			n.values = append(n.values, v)
		}
		_, err := d.Token()
		return n, err
	case string:
		return &node{kind: '"', text: t}, nil
	case json.Number:
		return &node{text: t.String()}, nil
	case bool:
		return &node{text: strconv.FormatBool(t)}, nil
	default:
		return &node{text: "null"}, nil
	}
}

func (n *node) member(name string) *node {
	for i := range n.names {
		if n.names[i] == name {
			return n.values[i]
		}
	}
	return nil
}

func (n *node) set(name string, v *node) {
	for i := range n.names {
		if n.names[i] == name {
			n.values[i] = v
			return
		}
	}
	n.names, n.values = append(n.names, name), append(n.values, v)
}

func (n *node) remove(name string) {
	if i := slices.Index(n.names, name); i >= 0 {
		n.names, n.values = slices.Delete(n.names, i, i+1), slices.Delete(n.values, i, i+1)
	}
}

func (n *node) clone() *node {
	c := *n
	c.names = slices.Clone(n.names)
	c.values = nil
	for _, v := range n.values {
		c.values = append(c.values, v.clone())
	}
	return &c
}

// drawer draws objects.
type drawer struct {
	*rand.Rand
	// odd is the probability, in 1000ths, of rare features.
	odd int
	// byName are the types that members of a name have in any version.
	byName map[string][]reflect.Type
	names  []string
}

func (d *drawer) one(in int) bool { return d.IntN(in) == 0 }
func (d *drawer) isOdd() bool     { return d.IntN(1000) < d.odd }

func pick[T any](d *drawer, all ...T) T { return all[d.IntN(len(all))] }

// learn collects the names of members.
func (d *drawer) learn(t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
		return
	}
	seen[t] = true
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && name != "metadata" && name != "$propertyBag" {
			if !slices.Contains(d.byName[name], f.Type) {
				d.byName[name] = append(d.byName[name], f.Type)
			}
		}
		d.learn(f.Type, seen)
	}
	d.names = slices.Sorted(maps.Keys(d.byName))
}

func (d *drawer) value(t reflect.Type, depth int) *node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if d.isOdd() {
		return d.any(2)
	}
	switch {
	case t == reflect.TypeFor[runtime.JSON]():
		return d.any(3)
	case t == reflect.TypeFor[runtime.PropertyBag]():
		return d.bag(depth)
	case t == reflect.TypeFor[metav1.Time]():
		return &node{kind: '"', text: pick(d, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", "2026-12-31T23:59:59Z", "2026-02-30T00:00:00Z", "2026-01-02T03:04:05+01:00", "2024-02-29T00:00:00Z", "0001-01-01T00:00:00Z")}
	}
	switch t.Kind() {
	case reflect.String:
		return &node{kind: '"', text: d.text()}
	case reflect.Int64:
		return &node{text: pick(d, "0", "1", "-1", "7", "9007199254740993", "9223372036854775807", "-9223372036854775808", "12")}
	case reflect.Float64:
		return &node{text: pick(d, "0", "1", "1.5", "-0.0", "1.50e0", "1e2", "0.1", "1E-7", "123456789.25", "1e21", "-0")}
	case reflect.Bool:
		return &node{text: pick(d, "true", "false")}
	case reflect.Slice:
		n := &node{kind: '['}
		for range d.length(depth) {
			n.values = append(n.values, d.value(t.Elem(), depth-1))
		}
		return n
	case reflect.Map:
		n := &node{kind: '{'}
		for range d.length(depth) {
			n.names, n.values = append(n.names, d.name()), append(n.values, d.value(t.Elem(), depth-1))
		}
		if !d.isOdd() {
			n.once()
		}
		return n
	case reflect.Struct:
		return d.object(t, depth)
	}
	return d.any(2)
}

// once removes repeated members.
func (n *node) once() {
	for i := 0; i < len(n.names); i++ {
		if slices.Contains(n.names[:i], n.names[i]) {
			n.names, n.values = slices.Delete(n.names, i, i+1), slices.Delete(n.values, i, i+1)
			i--
		}
	}
}

func (d *drawer) length(depth int) int {
	if depth <= 0 {
		return 0
	}
	return pick(d, 0, 1, 1, 2, 3, 5)
}

func (d *drawer) object(t reflect.Type, depth int) *node {
	n := &node{kind: '{'}
	chance := pick(d, 1, 2, 2, 3)
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		always := !strings.Contains(rest, "omitempty") && !strings.Contains(rest, "omitzero")
		switch {
		case strings.Contains(rest, "inline"), name == "metadata", name == "apiVersion", name == "kind":
			continue
		case name == "-":
			if f.Type.Kind() == reflect.Map && d.one(2) {
				for range d.IntN(3) {
					n.names, n.values = append(n.names, d.name()), append(n.values, d.value(f.Type.Elem(), depth-1))
				}
			}
			continue
		case name == "$propertyBag" && !d.one(3), name == "propertyBag" && f.Type == reflect.TypeFor[*string]():
			continue
		case name == "originalVersion":
			if !d.one(4) {
				n.set(name, &node{kind: '"', text: pick(d, "v20190909", "v20150505", "v20110101", "v20130303", "v1", "v2", "", "v20190909|v20150505")})
			}
			continue
		case depth <= 0 && !always && !d.one(4), !always && !d.one(chance):
			continue
		}
		n.names, n.values = append(n.names, name), append(n.values, d.value(f.Type, depth-1))
	}
	if d.isOdd() {
		n.names, n.values = append(n.names, d.name()), append(n.values, d.any(2))
	}
	if !d.isOdd() {
		n.once()
	}
	return n
}

// bag draws a property bag.
func (d *drawer) bag(depth int) *node {
	n := &node{kind: '{'}
	for range d.IntN(4) {
		key, v := d.key(depth)
		n.names, n.values = append(n.names, key), append(n.values, v)
	}
	if !d.isOdd() {
		n.once()
	}
	return n
}

func (d *drawer) key(depth int) (string, *node) {
	if d.one(4) {
		return pick(d, "k", "l", "", "k@v20150505", "é", "a/b", `a"b`), d.any(3)
	}
	name := pick(d, d.names...)
	v := d.value(pick(d, d.byName[name]...), min(depth-1, 2))
	switch d.IntN(8) {
	case 0:
		name += "@" + pick(d, "v20110101", "v20150505", "v20130303", "v20140404", "v20190909", "v1", "v2")
	case 1:
		v = d.any(3)
	}
	if d.isOdd() {
		name += "@v20150505!raw"
	}
	return name, v
}

func (d *drawer) text() string {
	return pick(d, "a", "b", "", "red", "<&>", "é\u2028", "a\"b\\c\n", "$propertyBag", "Owner", "Active", "\U0001F642", "x y", "null", strings.Repeat("z", d.IntN(40)), "\x00\x1f\x7f")
}

func (d *drawer) name() string {
	if d.isOdd() {
		return pick(d, "$propertyBag", "$$propertyBag", "bag", "in", "more", "__proto__", "@", "!raw", "originalVersion", "propertyBag")
	}
	return pick(d, "a", "b", "c", "x", "", "known", "color", "é", "a b", "bag", "in", "more", "a/b", `q"`, "Z", "@")
}

// any draws any JSON.
func (d *drawer) any(depth int) *node {
	switch d.IntN(9) {
	case 0:
		return &node{text: "null"}
	case 1:
		return &node{text: pick(d, "true", "false")}
	case 2:
		return &node{text: pick(d, "0", "1.0", "1e400", "-0", "12345678901234567890", "1E2", "3")}
	case 3, 4:
		return &node{kind: '"', text: d.text()}
	case 5, 6:
		n := &node{kind: '['}
		for range min(d.IntN(4), 2*depth) {
			n.values = append(n.values, d.any(depth-1))
		}
		return n
	default:
		n := &node{kind: '{'}
		for range min(d.IntN(4), 2*depth) {
			n.names, n.values = append(n.names, d.name()), append(n.values, d.any(depth-1))
		}
		if !d.isOdd() {
			n.once()
		}
		return n
	}
}

// mutate changes a value as clients may edit or forge it.
func (d *drawer) mutate(root *node) {
	var all []*node
	var collect func(n *node)
	collect = func(n *node) {
		all = append(all, n)
		for _, v := range n.values {
			collect(v)
		}
	}
	collect(root)
	n := pick(d, all...)
	switch n.kind {
	case '{', '[':
		if len(n.values) == 0 {
			if n.kind == '[' {
				n.values = append(n.values, d.any(2))
			} else {
				n.set(d.name(), d.any(2))
			}
			return
		}
		i, j := d.IntN(len(n.values)), d.IntN(len(n.values))
		isObject := n.kind == '{'
		switch d.IntN(9) {
		case 0, 1:
			n.values = slices.Delete(n.values, i, i+1)
			if isObject {
				n.names = slices.Delete(n.names, i, i+1)
			}
		case 2, 3:
			n.values[i], n.values[j] = n.values[j], n.values[i]
			if isObject && d.one(2) {
				n.names[i], n.names[j] = n.names[j], n.names[i]
			}
		case 4, 5:
			n.values = append(n.values, n.values[i].clone())
			if isObject {
				if d.one(4) {
					n.names = append(n.names, n.names[i])
				} else {
					n.names = append(n.names, d.name())
				}
			}
		case 6:
			if isObject {
				n.names[i] = pick(d, append([]string{d.name()}, n.names...)...)
			} else {
				n.values = slices.Insert(n.values, i, n.values[j].clone())
			}
		case 7:
			n.values[i] = d.any(2)
		case 8:
			if isObject {
				d.Shuffle(len(n.values), func(a, b int) {
					n.values[a], n.values[b] = n.values[b], n.values[a]
					n.names[a], n.names[b] = n.names[b], n.names[a]
				})
			} else {
				d.Shuffle(len(n.values), func(a, b int) { n.values[a], n.values[b] = n.values[b], n.values[a] })
			}
		}
	case '"':
		n.text = pick(d, d.text(), d.text(), n.text+"x", "AAAAAAAAAAA")
	default:
		*n = *pick(d, &node{text: "0"}, &node{text: "1"}, &node{text: "2"}, &node{text: "true"}, d.any(1))
	}
}

// style is how JSON is spelled.
type style struct {
	*drawer
	spaces, escapes, nameEscapes, shuffles bool
}

func (s style) space(out []byte) []byte {
	if s.spaces && s.one(6) {
		return append(out, pick(s.drawer, " ", "\n", "\t", "\r\n ")...)
	}
	return out
}

func (s style) string(out []byte, text string, escapes bool) []byte {
	quoted, _ := json.Marshal(text)
	if s.one(2) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(text)
		quoted = bytes.TrimSpace(b.Bytes())
	}
	if !escapes || !s.one(4) {
		return append(out, quoted...)
	}
	out = append(out, '"')
	for _, r := range text {
		switch {
		case r < 0x10000 && s.one(3):
			out = fmt.Appendf(out, `\u%04x`, r)
		case r == '/':
			out = append(out, `\/`...)
		default:
			q, _ := json.Marshal(string(r))
			out = append(out, q[1:len(q)-1]...)
		}
	}
	return append(out, '"')
}

func (s style) print(out []byte, n *node) []byte {
	out = s.space(out)
	switch n.kind {
	case '{', '[':
		order := s.Perm(len(n.values))
		if !s.shuffles || n.kind == '[' {
			slices.Sort(order)
		}
		out = append(out, n.kind)
		for i, j := range order {
			if i > 0 {
				out = append(s.space(out), ',')
			}
			if n.kind == '{' {
				out = s.string(s.space(out), n.names[j], s.nameEscapes)
				out = append(s.space(out), ':')
			}
			out = s.print(out, n.values[j])
		}
		out = append(s.space(out), n.kind+2)
	case '"':
		out = s.string(out, n.text, s.escapes)
	default:
		out = append(out, n.text...)
	}
	return s.space(out)
}

func (d *drawer) style() style {
	return style{drawer: d, spaces: d.one(3), escapes: d.one(3), nameEscapes: d.one(12), shuffles: d.one(3)}
}

// root completes an object.
func (d *drawer) root(group, version, kind string, n *node) {
	meta := `{"name":"p"}`
	switch d.IntN(6) {
	case 0:
		meta = `{"name":"p","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"` + group + `/` + version + `\"}","a":"b"},"labels":{"x":"y"}}`
	case 1:
		meta = `{"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"` + group + `/` + version + `","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:location":{}}}}],"name":"p","generation":3}`
	}
	n.remove("apiVersion")
	n.remove("kind")
	n.remove("metadata")
	at := d.IntN(len(n.names) + 1)
	n.names = slices.Insert(n.names, at, "apiVersion", "kind", "metadata")
	n.values = slices.Insert(n.values, at, &node{kind: '"', text: group + "/" + version}, &node{kind: '"', text: kind}, parsed([]byte(meta)))
}

// differ returns where two values differ; empty for nowhere. Numbers are equal as float64.
func differ(path string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return path
		}
		for name, v := range x {
			w, ok := y[name]
			if !ok {
				return path + "." + name + " is only in the first"
			}
			if at := differ(path+"."+name, v, w); at != "" {
				return at
			}
		}
		for name := range y {
			if _, ok := x[name]; !ok {
				return path + "." + name + " is only in the second"
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return path
		}
		for i := range x {
			if at := differ(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); at != "" {
				return at
			}
		}
		return ""
	case json.Number:
		y, ok := b.(json.Number)
		f, errX := x.Float64()
		g, errY := y.Float64()
		if !ok || x != y && (errX != nil || errY != nil || f != g) {
			return path
		}
		if strings.Contains(path, "ratio") { // a number, which Go spells in its own way
			return ""
		}
		isWhole := func(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") && n != "-0" }
		if ok && x != y && isWhole(x) && isWhole(y) {
			return path + " (whole numbers)"
		}
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return path
	}
	return ""
}

// readable is a value of JSON for comparison.
func readable(data []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err
}

// withoutEmptyMetadata removes from metadata what Go types leave out.
func withoutEmptyMetadata(v any) {
	root, ok := v.(map[string]any)
	if !ok {
		return
	}
	if meta, ok := root["metadata"].(map[string]any); ok {
		for name, v := range meta {
			if v == nil || reflect.DeepEqual(v, map[string]any{}) || reflect.DeepEqual(v, []any{}) {
				delete(meta, name)
			}
		}
	}
}

// TestEnginesAgreeOnRandomGadgets converts objects that are drawn, edited and forged, by a plan and
// by Go types. Where the plan does not refuse an object, both give the same values.
func TestEnginesAgreeOnRandomGadgets(t *testing.T) {
	const rounds, seed = 1000, 1
	up, down := gadgetWays(t)
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 7)), byName: map[string][]reflect.Type{}}
	seen := map[reflect.Type]bool{}
	d.learn(reflect.TypeFor[fixtures.StoredGadget](), seen)
	reasons := map[string]int{}
	compare := func(c *Converter, object []byte, types func([]byte) ([]byte, error)) []byte {
		want, err := types(bytes.Clone(object))
		if err != nil {
			reasons["error of types"]++
			return nil
		}
		given := bytes.Clone(object)
		got, why := c.Append(t.Context(), []byte("before"), given)
		if !bytes.Equal(given, object) {
			t.Fatal("it changes its source")
		}
		reasons[why.String()]++
		if why != Converted {
			return want
		}
		x, err := readable(got[len("before"):])
		if err != nil {
			t.Fatalf("%v: %s of %s", err, got, object)
		}
		y, _ := readable(want)
		withoutEmptyMetadata(x)
		withoutEmptyMetadata(y)
		if at := differ("", x, y); at != "" {
			t.Fatalf("differs at %s:\n%s\nis by the plan\n%s\nby types\n%s", at, object, got[len("before"):], want)
		}
		return want
	}
	c := comparer{d}
	for range rounds {
		d.odd = pick(d, 0, 0, 2, 10, 30)
		var object []byte
		if d.one(3) {
			n := d.value(reflect.TypeFor[fixtures.Gadget](), 6)
			if n.kind != '{' {
				continue
			}
			d.root(fixtures.Group, fixtures.GadgetVersion, "Gadget", n)
			if s := n.member("status"); s != nil && s.kind == '{' && d.one(2) {
				s.set("propertyBag", &node{kind: '"', text: string(d.style().print(nil, c.forged()))})
			}
			object = d.style().print(nil, n)
		} else {
			n := d.value(reflect.TypeFor[fixtures.StoredGadget](), 6)
			if n.kind != '{' {
				continue
			}
			d.root(fixtures.Group, gadgetHub, "Gadget", n)
			stored := d.style().print(nil, n)
			out := compare(down, stored, gadgetDown)
			if out == nil {
				continue
			}
			n = parsed(out)
			for range pick(d, 0, 0, 0, 1, 1, 2, 5) {
				n = c.edited(n)
			}
			d.root(fixtures.Group, fixtures.GadgetVersion, "Gadget", n)
			object = d.style().print(nil, n)
		}
		if out := compare(up, object, gadgetUp); out != nil {
			compare(down, out, gadgetDown)
		}
	}
	t.Log(reasons)
	if reasons[Converted.String()] < rounds/2 || len(reasons) < 10 {
		t.Errorf("%d conversions, refused for %d reasons", reasons[Converted.String()], len(reasons)-1)
	}
}

// comparer draws what clients change of an object, and what they forge.
type comparer struct{ d *drawer }

// edited edits an object, or its hidden values.
func (c *comparer) edited(n *node) *node {
	d := c.d
	status := n.member("status")
	spec := n.member("spec")
	switch {
	case d.one(2) && spec != nil:
		d.mutate(spec)
	case status != nil && status.kind == '{' && status.member("propertyBag") != nil && status.member("propertyBag").kind == '"':
		text := status.member("propertyBag")
		bag := parsed([]byte(text.text))
		if bag == nil || bag.kind != '{' {
			return n
		}
		switch d.IntN(6) {
		case 0:
			bag.set("originalVersion", &node{kind: '"', text: pick(d, "v20190909", "v1", "v2", "v20150505", "", "v20110101", "v20190909|v20150505")})
		case 1:
			bag.set("shown", &node{kind: '"', text: "AAAAAAAAAAA"})
		case 2:
			bag.set("noStatus", &node{text: pick(d, "true", "false")})
		case 3:
			bag.set("fingerprints", &node{text: pick(d, "1", "2")})
		default:
			d.mutate(bag)
		}
		s := d.style()
		s.nameEscapes = d.one(3)
		text.text = string(s.print(nil, bag))
	case status != nil && status.kind == '{':
		if d.one(2) {
			d.mutate(status)
			break
		}
		status.set("propertyBag", &node{kind: '"', text: string(d.style().print(nil, c.forged()))})
	case spec != nil:
		d.mutate(spec)
	}
	if d.one(20) {
		n.remove(pick(d, "status", "spec"))
	}
	return n
}

// forged returns a bag that hides values at paths of the hub's type.
func (c *comparer) forged() *node {
	d := c.d
	b := parsed([]byte(`{"fingerprints":1,"format":1}`))
	if t, ok := field(reflect.TypeFor[fixtures.StoredGadget](), "spec"); ok && d.one(2) {
		b.set("spec", d.hiding(t, 4))
	}
	if t, ok := field(reflect.TypeFor[fixtures.StoredGadget](), "status"); ok && d.one(3) {
		b.set("status", d.hiding(t, 4))
	}
	if d.one(4) {
		b.set("originalVersion", &node{kind: '"', text: pick(d, "v20190909", "v1", "v2", "v20150505", "")})
	}
	if d.one(4) {
		b.set("noStatus", &node{text: "true"})
	}
	return b
}

func field(t reflect.Type, named string) (reflect.Type, bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == named {
			return f.Type, true
		}
	}
	return nil, false
}

// hiding draws the hidden values of a value of a type.
func (d *drawer) hiding(t reflect.Type, depth int) *node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	n := &node{kind: '{'}
	switch t.Kind() {
	case reflect.Struct:
		if d.one(2) {
			n.set("bag", d.bag(2))
		}
		in, more := &node{kind: '{'}, &node{kind: '{'}
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "-" && f.Type.Kind() == reflect.Map:
				for range d.IntN(3) {
					more.set(d.name(), d.hiding(f.Type.Elem(), depth-1))
				}
			case depth > 0 && d.one(2):
				in.set(name, d.hiding(f.Type, depth-1))
			}
		}
		if len(in.names) > 0 {
			n.set("in", in)
		}
		if len(more.names) > 0 {
			n.set("more", more)
		}
	case reflect.Map:
		in := &node{kind: '{'}
		for range d.IntN(4) {
			in.set(d.name(), d.hiding(t.Elem(), depth-1))
		}
		n.set("in", in)
	case reflect.Slice:
		in := &node{kind: '['}
		for i := range d.IntN(4) {
			in.values = append(in.values, &node{kind: '[', values: []*node{{text: strconv.Itoa(i)}, d.hiding(t.Elem(), depth-1)}})
		}
		n.set("all", &node{kind: '"', text: pick(d, "AAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")})
		n.set("in", in)
	}
	if d.one(3) { // the order of Hide
		n.sort()
	}
	return n
}

func (n *node) sort() {
	if n.kind == '{' {
		order := make([]int, len(n.names))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(n.names[a], n.names[b]) })
		names, values := slices.Clone(n.names), slices.Clone(n.values)
		for i, j := range order {
			n.names[i], n.values[i] = names[j], values[j]
		}
	}
	for _, v := range n.values {
		v.sort()
	}
}
