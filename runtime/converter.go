package runtime

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Converter converts the JSON of objects of one kind between two versions by their [Plan], without making objects of
// it. It may be used from several goroutines.
type Converter struct {
	ways []*way
}

// NewConverter returns the converter between two versions of a kind, which are API versions or the hub's storage
// version; nil if there is no plan for one of them, or both are one.
func NewConverter(kind schema.GroupKind, from, to string) *Converter {
	c := &Converter{}
	up, hub := newWay(kind, from, true)
	down, other := newWay(kind, to, false)
	switch {
	case from == to:
		return nil
	case up != nil && down != nil && hub == other:
		c.ways = []*way{up, down}
	case up != nil && hub == to:
		c.ways = []*way{up}
	case down != nil && other == from:
		c.ways = []*way{down}
	default:
		return nil
	}
	return c
}

// Planned returns the conversions of a kind's JSON by its plans, which add registers: from an API version to the hub, up,
// or from the hub to it. It is for proofs; see [Converter.Append].
func Planned(group, kind string, add func(*k8sruntime.Scheme) error) func(version string, up bool, object []byte) ([]byte, bool) {
	failed := add(k8sruntime.NewScheme())
	of := schema.GroupKind{Group: group, Kind: kind}
	var converters sync.Map // planned -> *Converter
	return func(version string, up bool, object []byte) ([]byte, bool) {
		key := planned{version, up}
		known, ok := converters.Load(key)
		if !ok {
			from, to := version, ""
			if p, ok := planOf(of, version); ok {
				_, to, _ = strings.Cut(p.HubVersion, "/")
			}
			if !up {
				from, to = to, from
			}
			known, _ = converters.LoadOrStore(key, NewConverter(of, from, to))
		}
		c := known.(*Converter)
		if failed != nil || c == nil {
			return nil, false
		}
		return c.Append(nil, object)
	}
}

type planned struct {
	version string
	up      bool
}

// Steps returns how many conversions an object goes through: two where neither version is the hub.
func (c *Converter) Steps() int { return len(c.ways) }

// Append converts an object, and appends the result to dst. It refuses with false what takes an object to convert:
// values of the wrong type or spelled in a rare way, unknown members, damaged or hidden values, and what is no JSON; then dst is
// as it was. What it does not refuse is what [Decode], the generated conversions and [Encode] would give, as JSON values.
// Metadata stays as it is spelled.
func (c *Converter) Append(dst, object []byte) ([]byte, bool) {
	if !utf8.Valid(object) {
		return dst, false
	}
	e := edits.Get().(*edit)
	defer edits.Put(e)
	mark := len(dst)
	if len(c.ways) == 2 {
		scratch := edits.Get().(*edit)
		defer edits.Put(scratch)
		hub, ok := c.ways[0].append(scratch, scratch.hub[:0], object)
		scratch.hub = hub
		if !ok {
			return dst, false
		}
		object = hub
	}
	out, ok := c.ways[len(c.ways)-1].append(e, dst, object)
	if !ok {
		return out[:mark], false
	}
	return out, true
}

var edits = sync.Pool{New: func() any { return new(edit) }}

// way is a plan in one direction.
type way struct {
	up bool
	// kind is the kind as JSON, apiVersion the one that the result has, and label that of the API version.
	kind, apiVersion string
	program          *program
	meta             *shape
	// spec and status are nil where nothing changes.
	spec, status *part
}

// part is the spec or the status.
type part struct {
	shape  *shape
	recast *recast
}

// newWay returns the way between an API version and the hub, whose storage version it returns.
func newWay(kind schema.GroupKind, version string, up bool) (*way, string) {
	p, ok := planOf(kind, version)
	if !ok {
		return nil, ""
	}
	_, hub, _ := strings.Cut(p.HubVersion, "/")
	w := &way{up: up, meta: shapeOf(reflect.TypeFor[metav1.ObjectMeta]())}
	w.kind = string(appendText(nil, kind.Kind))
	target := p.HubVersion
	if !up {
		target = p.API.OriginalGVK().GroupVersion().String()
	}
	w.apiVersion = string(appendText(nil, target))
	own, its := shapeOf(reflect.TypeOf(p.Storage).Elem()), shapeOf(reflect.TypeOf(p.Hub).Elem())
	w.program = newProgram(p.API, pointedTo(own, "spec"), pointedTo(own, "status"))
	steps, _ := parseSteps(p.Steps)
	m := recaster{steps: steps, up: up, held: map[int]*shape{}, made: map[recastKey]*recast{}}
	for step, blank := range p.Held {
		m.held[step] = shapeOf(reflect.TypeOf(blank).Elem())
	}
	from, to := own, its
	if !up {
		from, to = its, own
	}
	w.spec, w.status = m.part(from, to, "spec"), m.part(from, to, "status")
	m.root(w.spec, up)
	m.finish()
	return w, hub
}

func pointedTo(root *shape, name string) reflect.Type { return root.member(name).shape.elem.of }

func (m *recaster) part(from, to *shape, name string) *part {
	f, t := from.member(name).shape.innermost(), to.member(name).shape.innermost()
	return &part{f, m.make(0, f, t)}
}

// root makes the original version of a spec no member like others.
func (m *recaster) root(spec *part, up bool) {
	i := spec.shape.index([]byte(originalVersion), 0)
	if i < 0 {
		return
	}
	spec.recast.members[i].fate = aside
	spec.recast.unshown = up
}

// append converts an object.
func (w *way) append(e *edit, dst, object []byte) ([]byte, bool) {
	e.reset(dst, object)
	e.down, e.bags = !w.up, !w.up && mayHaveBags(object)
	r := run{edit: e, way: w, base: len(dst)}
	ok := r.root() && r.finish()
	if r.hidden != nil && ok {
		ok = r.restored(dst, object)
	}
	out := e.out
	e.reset(nil, nil)
	return out, ok
}

// reset forgets all but memory.
func (e *edit) reset(dst, object []byte) {
	clear(e.stash[:cap(e.stash)])
	*e = edit{out: dst, stash: e.stash[:0], between: e.between, hub: e.hub, reader: reader{cursor: cursor{data: object}}}
}

// run is a way on the way: where parts of the object lie.
type run struct {
	*edit
	way    *way
	meta   []byte
	seen   uint8
	spec   placed
	status placed
	// source is the spec as it was read.
	source []byte
	// base is where the object begins in what is written.
	base int
	// hidden is what has to be restored.
	hidden *hidden
}

// placed is where a part lies in what is written: from start, which is behind the comma, to end.
type placed struct{ start, end int }

const (
	sawVersion uint8 = 1 << iota
	sawKind
	sawMeta
	sawSpec
	sawStatus
)

var rootMembers = map[string]uint8{"apiVersion": sawVersion, "kind": sawKind, "metadata": sawMeta, "spec": sawSpec, "status": sawStatus}

func (r *run) root() bool {
	if !r.take('{') || !r.enter() {
		return false
	}
	r.out = append(r.out, '{')
	for first := true; !r.take('}'); first = false {
		if !first && !r.take(',') {
			return false
		}
		name, ok := r.plainName()
		which := rootMembers[string(name)]
		if !ok || which == 0 || r.seen&which != 0 || !r.member(which) {
			return false
		}
		r.seen |= which
	}
	r.out = append(r.out, '}')
	const needed = sawVersion | sawKind | sawMeta
	return r.seen&needed == needed && r.peek() == 0 && r.at == len(r.data)
}

func (r *run) member(which uint8) bool {
	switch which {
	case sawVersion:
		r.name(`"apiVersion":`)
		r.out = append(r.out, r.way.apiVersion...)
		return r.peek() == '"' && r.skipText()
	case sawKind:
		r.name(`"kind":`)
		r.out = append(r.out, r.way.kind...)
		return string(r.raw()) == r.way.kind
	case sawMeta:
		return r.metadata()
	case sawSpec:
		return r.part(`"spec":`, r.way.spec, &r.spec)
	default:
		return r.part(`"status":`, r.way.status, &r.status)
	}
}

func (r *run) metadata() bool {
	r.peek()
	start := r.at
	r.lenient = true
	ok := r.peek() == '{' && r.conforms(r.way.meta)
	r.lenient = false
	r.meta = r.data[start:r.at]
	r.name(`"metadata":`)
	r.out = append(r.out, r.meta...)
	return ok
}

func (r *run) part(name string, p *part, at *placed) bool {
	r.peek()
	start := r.at
	r.begin()
	at.start = len(r.out)
	r.out = append(r.out, name...)
	r.inStatus = p == r.way.status && r.way.up
	ok := r.peek() == '{' && r.object(p.recast)
	r.inStatus = false
	at.end = len(r.out)
	if p == r.way.spec {
		r.source = r.data[start:r.at]
	}
	return ok
}

// finish settles the original version, and what the API version cannot show.
func (r *run) finish() bool {
	if r.way.up {
		return r.settle()
	}
	return r.hide()
}

// settle gives the hub's spec its original version, as Restore does.
func (r *run) settle() bool {
	original := r.way.program.kind.Version
	if r.shown != nil && r.hidden == nil {
		h, err := readHidden(string(unquoted(r.shown)))
		if err != nil || h.raw != nil {
			return false
		}
		wished := h.original == nil || r.seen&sawSpec == 0 || r.isWished(&h)
		if h.spec != nil || h.status != nil {
			r.hidden = &h
			return r.isModest() && (!wished || h.original == nil)
		}
		if !wished {
			original = *h.original
		}
		r.dropStatus(&h)
	}
	r.insertOriginal(original)
	return true
}

// isModest tells whether an object is so small, and its values so flat, that what it hides can be looked for again and
// again on the way down to it.
func (r *run) isModest() bool {
	const size, depth = 1 << 20, 128
	return len(r.data) <= size && r.deepest <= depth
}

func (r *run) insertOriginal(original string) {
	if r.seen&sawSpec != 0 && r.way.program.hasOriginal && original != "" {
		r.insertMember(r.spec.end-1, `"originalVersion":`, original)
	}
}

// dropStatus takes away a status that was made to carry the bag.
func (r *run) dropStatus(h *hidden) {
	if h.noStatus && r.seen&sawStatus != 0 && r.out[r.status.end-2] == '{' {
		r.removeStatus()
	}
}

// restored converts an object once more, with what is hidden at its place.
func (r *run) restored(dst, object []byte) bool {
	h, p := r.hidden, r.way.program
	in := jsonRestorer{out: r.between[:0], trusts: h.fingerprints == fingerprintVersion}
	c := cursor{data: object}
	in.out = append(in.out, '{')
	for first := c.take('{'); c.more('}'); first = false {
		if !first {
			in.out = append(in.out, ',')
		}
		start := c.at
		name := string(c.name())
		in.out = append(in.out, object[start:c.at]...)
		value, ok := c.raw(), true
		switch {
		case name == "spec":
			ok = in.value(p.spec, value, h.spec, nil)
		case name == "status":
			ok = in.value(p.status, withoutMember(value, "propertyBag"), h.status, nil)
		default:
			in.out = append(in.out, value...)
		}
		if !ok {
			return false
		}
	}
	in.out = append(in.out, '}')
	r.between = in.out
	return r.again(dst, h)
}

// again converts the JSON of a storage object, which lies between.
func (r *run) again(dst []byte, h *hidden) bool {
	e, original := r.edit, r.way.program.kind.Version
	e.reset(dst, e.between)
	e.bags = true
	next := run{edit: e, way: r.way, base: len(dst), hidden: h}
	if !next.root() || bytes.Contains(e.out[len(dst):], rawBytes) {
		return false
	}
	if h.original != nil {
		original = *h.original
	}
	next.dropStatus(h)
	next.insertOriginal(original)
	return true
}

var rawBytes = []byte(rawMark + `"`)

// withoutMember returns a JSON object without the members of a name, which is spelled without escapes.
func withoutMember(object []byte, name string) []byte {
	out := []byte{'{'}
	c := cursor{data: object}
	for c.take('{'); c.more('}'); {
		start := c.at
		is := string(c.name())
		c.raw()
		if is == name {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, object[start:c.at]...)
	}
	return append(out, '}')
}

// isWished is program.isWished for JSON.
func (r *run) isWished(h *hidden) bool {
	p := r.way.program
	if h.fingerprints == fingerprintVersion && printObjectAs(p.spec, r.source, p.replicas) != h.shown {
		return true
	}
	return slices.ContainsFunc(p.declaredIn(r.meta), func(by string) bool { return !slices.Contains(h.declared, by) })
}

// removeStatus takes away a status that was made to carry the bag.
func (r *run) removeStatus() {
	start, end := r.status.start, r.status.end
	if r.out[start-1] == ',' {
		start--
	} else if r.out[end] == ',' {
		end++
	}
	r.out = slices.Delete(r.out, start, end)
	if r.spec.start > start {
		r.spec.start, r.spec.end = r.spec.start-(end-start), r.spec.end-(end-start)
	}
}

// insertMember puts a member in front of the bracket that ends an object.
func (r *run) insertMember(at int, name, text string) {
	var member []byte
	if r.out[at-1] != '{' {
		member = append(member, ',')
	}
	r.insert(at, appendText(append(member, name...), text))
}

// hide writes status.propertyBag as Hide does.
func (r *run) hide() bool {
	p := r.way.program
	hides := mayHaveBags(r.out[r.base:])
	original := ""
	if r.aside != nil {
		original = string(unquoted(r.aside))
	}
	foreign := r.seen&sawSpec != 0 && p.hasOriginal && original != p.kind.Version
	if !foreign && !hides {
		return true
	}
	if hides && !r.isModest() || bytes.Contains(r.out[r.base:], rawBytes) {
		return false
	}
	w := jsonWriter{writers.Get().(*writer)}
	defer w.done()
	w.out = append(w.out[:0], '{')
	if foreign {
		w.declared(p.declaredIn(r.meta))
	}
	w.member(`"fingerprints":`).integer(fingerprintVersion)
	w.member(`"format":`).integer(bagFormat)
	if r.seen&sawStatus == 0 {
		w.member(`"noStatus":true`)
	}
	spec, status := r.text(r.spec, `"spec":`), r.text(r.status, `"status":`)
	if foreign {
		w.member(`"originalVersion":`).text(original)
		w.member(`"shown":`).prints(printObjectAs(p.spec, spec, p.replicas))
	}
	if hides {
		wrote := w.part(`"spec":`, p.spec, spec)
		if wrote = w.part(`"status":`, p.status, status) || wrote; wrote {
			r.strip(spec, status)
		} else if !foreign {
			return false
		}
	}
	r.setBag(string(append(w.out, '}')))
	return true
}

// text is a part as it was written; nil for none.
func (r *run) text(at placed, name string) []byte {
	if at.end == 0 {
		return nil
	}
	return r.out[at.start+len(name) : at.end]
}

// setBag writes status.propertyBag.
func (r *run) setBag(bag string) {
	if r.seen&sawStatus == 0 {
		r.insert(len(r.out)-1, []byte(`,"status":{}`))
		r.status.end = len(r.out) - 1
	}
	r.insertMember(r.status.end-1, `"propertyBag":`, bag)
}

// strip takes the property bags away.
func (r *run) strip(spec, status []byte) {
	p := r.way.program
	r.between = append(r.between[:0], r.out[r.base:]...)
	was := r.between
	first, second := r.spec, r.status
	shapes, texts := [2]*shape{p.spec, p.status}, [2][]byte{spec, status}
	if second.start < first.start {
		first, second = second, first
		shapes[0], shapes[1] = shapes[1], shapes[0]
		texts[0], texts[1] = texts[1], texts[0]
	}
	out, at := r.out[:r.base], r.base
	for i, part := range [2]placed{first, second} {
		if part.end == 0 {
			continue
		}
		start := part.end - len(texts[i])
		out = append(out, was[at-r.base:start-r.base]...)
		begin := len(out)
		out = withoutBags(out, shapes[i], was[start-r.base:part.end-r.base])
		at = part.end
		if shapes[i] == p.spec {
			r.spec = placed{begin - len(`"spec":`), len(out)}
		} else {
			r.status = placed{begin - len(`"status":`), len(out)}
		}
	}
	r.out = append(out, was[at-r.base:]...)
}

// declaredIn is declared for metadata as JSON.
func (p *program) declaredIn(meta []byte) []string {
	var by []string
	if text := memberOf(memberOf(meta, "annotations"), lastApplied); len(text) > 0 && p.isApplied(string(unquoted(text))) {
		by = append(by, "last-applied")
	}
	fields := cursor{data: memberOf(meta, "managedFields")}
	for ok := fields.take('['); ok && fields.more(']'); {
		entry := fields.raw()
		text := func(name string) string { return string(unquoted(memberOf(entry, name))) }
		if text("operation") == string(metav1.ManagedFieldsOperationApply) && text("apiVersion") == p.apiVersion && hasSpec(memberOf(entry, "fieldsV1")) {
			by = append(by, "apply:"+text("manager"))
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

// hasSpec tells whether fields of managedFields own some of the spec.
func hasSpec(fields []byte) bool {
	const spec = "f:spec"
	return bytes.Contains(fields, []byte(spec)) && memberOf(fields, spec) != nil
}
