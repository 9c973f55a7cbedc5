package convert

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	rand "math/rand/v2"
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// farBook and nearBook are the two sides of a plan with every sort of move.
type farBook struct {
	Author      *string               `json:"author,omitzero"`
	Binding     *farBinding           `json:"binding,omitzero"`
	Blurb       *string               `json:"blurb,omitzero"`
	Chapters    []farChapter          `json:"chapters,omitzero"`
	Cover       *farChapter           `json:"cover,omitzero"`
	Drafts      []farChapter          `json:"drafts,omitzero"`
	Dropped     *string               `json:"dropped,omitzero"`
	Editions    map[string]farChapter `json:"editions,omitzero"`
	Grid        [][]farChapter        `json:"grid,omitzero"`
	Notes       []string              `json:"notes,omitzero"`
	Pages       *int64                `json:"pages,omitzero"`
	Same        map[string]bool       `json:"same,omitzero"`
	Sequel      *farBook              `json:"sequel,omitzero"`
	PropertyBag runtime.PropertyBag   `json:"$propertyBag,omitzero"`
}

type nearBook struct {
	Binding     *nearBinding           `json:"binding,omitzero"`
	Chapters    []nearChapter          `json:"chapters,omitzero"`
	Editions    map[string]nearChapter `json:"editions,omitzero"`
	Index       *nearChapter           `json:"index,omitzero"`
	Matrix      [][]nearChapter        `json:"matrix,omitzero"`
	Notes       []string               `json:"notes,omitzero"`
	Pages       *int64                 `json:"pages,omitzero"`
	Price       *float64               `json:"price,omitzero"`
	Same        map[string]bool        `json:"same,omitzero"`
	Sequel      *nearBook              `json:"sequel,omitzero"`
	Writer      *string                `json:"writer,omitzero"`
	PropertyBag runtime.PropertyBag    `json:"$propertyBag,omitzero"`
}

type farChapter struct {
	Color       *string             `json:"color,omitzero"`
	Length      *float64            `json:"length,omitzero"`
	Parts       []farChapter        `json:"parts,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type nearChapter struct {
	Hue         *string             `json:"hue,omitzero"`
	Maker       *string             `json:"maker,omitzero"`
	Parts       []nearChapter       `json:"parts,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// In bindings and papers nothing changes but a name.
type (
	farBinding struct {
		Glue  *string    `json:"glue,omitzero"`
		Paper []farPaper `json:"paper,omitzero"`
	}
	nearBinding struct {
		Glue  *string     `json:"glue,omitzero"`
		Paper []nearPaper `json:"paper,omitzero"`
	}
	farPaper struct {
		Brand *string `json:"brand,omitzero"`
	}
	nearPaper struct {
		Maker *string `json:"maker,omitzero"`
	}
)

// bookSteps are a step between books, one between chapters, the same twice more for other types in
// bags, and those between bindings and papers. The last is the step between sequels.
var bookSteps = []Step{
	bookStep, chapterStep(1), chapterStep(2),
	{{Name: "glue"}, {Name: "paper", Step: 4}},
	{{Far: "brand", Near: "maker"}},
	bookStep,
}

var bookStep = Step{
	{Far: "author", Near: "writer", Up: []Key{{Name: "author@v1"}}},
	{Far: "blurb", Down: []Key{{Name: "blurb"}, {Name: "blurb@v1", Written: true}}},
	{Name: "chapters", Step: 1},
	{Far: "cover", Down: []Key{{Name: "cover", Steps: []int{1}}}},
	{Far: "drafts", Down: []Key{{Name: "drafts", Steps: []int{1}}}},
	{Far: "dropped"},
	{Name: "editions", Step: 1},
	{Far: "grid", Near: "matrix", Step: 1},
	{Name: "pages", Up: []Key{{Name: "pages@v8"}}, Down: []Key{{Name: "pages@v9"}}},
	{Near: "price", Up: []Key{{Name: "price", Written: true}, {Name: "price@v2"}}},
	{Near: "index", Up: []Key{{Name: "index", Steps: []int{2}}}},
	{Name: "sequel", Step: 5},
	{Name: "binding", Step: 3},
}

// chapterStep is a step between chapters, with the step between those in them.
func chapterStep(parts int) Step {
	return Step{{Far: "color", Near: "hue"}, {Far: "length"}, {Name: "parts", Step: parts}, {Near: "maker"}}
}

// bookStored are the types of values in bags, by the step between them and the type of the version
// or the hub.
var bookStored = map[int]*shape.Shape{1: shape.Of(reflect.TypeFor[nearChapter]()), 2: shape.Of(reflect.TypeFor[farChapter]())}

// planModel converts objects as the documentation of [Plan] describes, without regard to time and
// memory. It does not know which objects a plan refuses.
type planModel struct {
	steps  []Step
	up     bool
	stored map[int]*shape.Shape
}

// sides returns the names of a member in the source and in the result. Taken are the keys from
// which it is read, and stowed those under which it is stored.
func (m planModel) sides(move Move) (from, to string, taken, stowed []Key) {
	far, near := cmp.Or(move.Far, move.Name), cmp.Or(move.Near, move.Name)
	up, down := move.Up, move.Down
	switch {
	case far == "" && up == nil:
		up = []Key{{Name: near}}
	case near == "" && down == nil:
		down = []Key{{Name: far}}
	}
	if m.up {
		return far, near, up, down
	}
	return near, far, down, up
}

func (m planModel) object(step int, of *shape.Shape, src map[string]any) map[string]any {
	out, b := map[string]any{}, map[string]any{}
	if has, ok := src[bag.Name].(map[string]any); ok {
		maps.Copy(b, has)
	}
	stays := maps.Clone(src)
	delete(stays, bag.Name)
	put := map[string]any{}
	for _, move := range m.steps[step] {
		from, to, taken, _ := m.sides(move)
		value, live := src[from]
		delete(stays, from)
		switch {
		case to != "" && live:
			out[to] = m.value(move.Step, of.Member(from).Shape, value)
		case to != "":
			m.take(out, to, taken, b)
		}
	}
	for _, move := range m.steps[step] {
		from, to, _, keys := m.sides(move)
		if value, live := src[from]; live && to == "" {
			key := chosenKey(keys, b)
			put[key.Name] = m.value(stepOf(key), of.Member(from).Shape, value)
		}
	}
	maps.Copy(out, stays)
	maps.Copy(b, put)
	if len(b) > 0 {
		out[bag.Name] = b
	}
	return out
}

// take moves the value of the first key that the bag has.
func (m planModel) take(out map[string]any, to string, keys []Key, bag map[string]any) {
	for _, key := range keys {
		if value, found := bag[key.Name]; found {
			delete(bag, key.Name)
			out[to] = m.fromBag(stepOf(key), value)
			return
		}
	}
}

// fromBag converts the objects in a value from a bag.
func (m planModel) fromBag(step int, value any) any {
	if step == 0 {
		return value
	}
	switch value := value.(type) {
	case []any:
		out := []any{}
		for _, element := range value {
			out = append(out, m.fromBag(step, element))
		}
		return out
	case map[string]any:
		return m.object(step, m.stored[step], value)
	}
	return value
}

// chosenKey is the key that is written, or, if the bag has it, the first.
func chosenKey(keys []Key, bag map[string]any) Key {
	for _, key := range keys {
		if _, taken := bag[key.Name]; key.Written && !taken {
			return key
		}
	}
	return keys[0]
}

// stepOf returns the step of the value under a key; 0 for none.
func stepOf(key Key) int {
	if len(key.Steps) == 0 {
		return 0
	}
	return key.Steps[0]
}

// value converts the objects in a value of a shape, in whatever lists and maps they are.
func (m planModel) value(step int, of *shape.Shape, value any) any {
	for of.Kind == shape.Pointer {
		of = of.Elem
	}
	if step == 0 {
		return value
	}
	switch {
	case of.Kind == shape.Object:
		return m.object(step, of, value.(map[string]any))
	case of.Kind == shape.List:
		out := []any{}
		for _, element := range value.([]any) {
			out = append(out, m.value(step, of.Elem, element))
		}
		return out
	default:
		out := map[string]any{}
		for key, entry := range value.(map[string]any) {
			out[key] = m.value(step, of.Elem, entry)
		}
		return out
	}
}

// bookDrawer draws objects of books, and property bags with entries that a plan reads and with
// others.
type bookDrawer struct {
	*rand.Rand
	planModel
	to map[int]*shape.Shape
}

func (d bookDrawer) object(step int, of *shape.Shape, depth int) map[string]any {
	out, b := map[string]any{}, map[string]any{}
	for i := range of.Fields {
		if f := &of.Fields[i]; d.IntN(2) == 0 && (depth > 0 || innermost(f.Shape).Kind != shape.Object) {
			out[f.Name] = d.value(d.innerStep(step, f.Name), f.Shape, depth-1)
		}
	}
	for _, move := range d.steps[step] {
		_, to, taken, stowed := d.sides(move)
		for _, key := range taken {
			if d.IntN(3) == 0 {
				b[key.Name] = d.inBag(stepOf(key), d.to[step].Member(to).Shape)
			}
		}
		for _, key := range stowed {
			if d.IntN(4) == 0 {
				b[key.Name] = []any{json.Number("1.50"), "kept"}
			}
		}
	}
	if d.IntN(4) == 0 {
		b["other"] = map[string]any{"z": nil, "a": "b"}
	}
	if len(b) > 0 && of.HasBag {
		out[bag.Name] = b
	}
	return out
}

// inBag draws a value in a bag for a member of a shape, with the objects that the step results
// in.
func (d bookDrawer) inBag(step int, of *shape.Shape) any {
	switch {
	case step == 0:
		return d.value(step, of, 0)
	case of.Kind == shape.List:
		return []any{d.inBag(step, of.Elem), d.inBag(step, of.Elem)}
	default:
		return d.object(step, d.stored[step], 1)
	}
}

// innerStep is the step of the objects in a member.
func (d bookDrawer) innerStep(step int, name string) int {
	for _, move := range d.steps[step] {
		if from, _, _, stowed := d.sides(move); from == name && len(stowed) > 0 {
			return stepOf(stowed[0])
		} else if from == name {
			return move.Step
		}
	}
	return 0
}

func (d bookDrawer) value(step int, of *shape.Shape, depth int) any {
	for of.Kind == shape.Pointer {
		of = of.Elem
	}
	switch of.Kind {
	case shape.Text:
		return []string{"", "plain", "é\n\"<"}[d.IntN(3)]
	case shape.Integer:
		return json.Number([]string{"0", "-12", "9007199254740993"}[d.IntN(3)])
	case shape.Number:
		return json.Number([]string{"0", "1.5", "1e21"}[d.IntN(3)])
	case shape.Bool:
		return d.IntN(2) == 0
	case shape.Object:
		return d.object(step, of, depth)
	case shape.List:
		out := []any{}
		for range d.IntN(3) {
			out = append(out, d.value(step, of.Elem, depth))
		}
		return out
	default:
		out := map[string]any{}
		for i := range d.IntN(3) {
			out[fmt.Sprintf("key %d", i)] = d.value(step, of.Elem, depth)
		}
		return out
	}
}

// TestPlansAndTheirDocumentation compares the conversion of JSON by a plan with a model of the
// documentation, on objects that a plan does not refuse.
func TestPlansAndTheirDocumentation(t *testing.T) {
	far, near, farPart, nearPart := shape.Of(reflect.TypeFor[farBook]()), shape.Of(reflect.TypeFor[nearBook]()), shape.Of(reflect.TypeFor[farChapter]()), shape.Of(reflect.TypeFor[nearChapter]())
	for _, up := range []bool{true, false} {
		from, to, inner := far, near, map[int]*shape.Shape{0: near, 1: nearPart, 2: nearPart, 5: near}
		if !up {
			from, to, inner = near, far, map[int]*shape.Shape{0: far, 1: farPart, 2: farPart, 5: far}
		}
		model := planModel{steps: bookSteps, up: up, stored: bookStored}
		maker := recaster{steps: bookSteps, up: up, stored: bookStored, made: map[recastKey]*recast{}}
		plan := maker.make(0, from, to)
		maker.finish()
		d := bookDrawer{rand.New(rand.NewPCG(1, 2)), model, inner}
		for range 300 {
			src := d.object(0, from, 2)
			text := []byte(fixtures.Spell(src, d.IntN(2) == 0))
			want := model.object(0, from, src)
			for _, down := range []bool{false, true} {
				e := edit{exact: down, reader: reader{Cursor: jsontext.Cursor{Data: text}, limit: jsontext.MaxDepth, repeats: new(repeats), takesBags: bag.MayHaveBags(text)}}
				if !e.object(plan) || e.At != len(text) {
					t.Fatalf("up %t: refused at %d: %s", up, e.At, text)
				}
				got, err := jsontext.Parse(e.out)
				if err != nil || !reflect.DeepEqual(fixtures.Normalize(got), fixtures.Normalize(cloned(want))) {
					t.Fatalf("up %t: %s is\n%s, want\n%s (%v)", up, text, e.out, fixtures.Spell(want, false), err)
				}
			}
		}
	}
}

// cloned is a copy of a JSON value.
func cloned(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range value {
			out[name] = cloned(member)
		}
		return out
	case []any:
		out := []any{}
		for _, element := range value {
			out = append(out, cloned(element))
		}
		return out
	}
	return value
}

// planRefusals are objects that plans refuse, since they do not describe the conversion.
var planRefusals = []struct {
	reason string
	step   Step
	object string
	up     bool
	want   Refusal
}{
	{"what came out of the bag by two steps", Step{{Near: "index", Up: []Key{{Name: "index", Steps: []int{1, 2}}}}}, `{"$propertyBag":{"index":{}}}`, true, SeveralSteps},
	{"which is not there", Step{{Near: "index", Up: []Key{{Name: "index", Steps: []int{1, 2}}}}}, `{"$propertyBag":{"other":{}}}`, true, Converted},
	{"what goes to the bag by two steps", Step{{Far: "cover", Down: []Key{{Name: "cover", Steps: []int{1, 2}}}}}, `{"cover":{}}`, true, SeveralSteps},
	{"which is not there either", Step{{Far: "cover", Down: []Key{{Name: "cover", Steps: []int{1, 2}}}}}, `{}`, true, Converted},
	{"a type in the bag that is not at hand", Step{{Far: "cover", Down: []Key{{Name: "cover", Steps: []int{3}}}}}, `{"cover":{}}`, true, SeveralSteps},
	{"two members under one key", Step{{Near: "price", Up: []Key{{Name: "k"}}}, {Near: "writer", Up: []Key{{Name: "k"}}}}, `{"$propertyBag":{"k":1}}`, true, UnclearBag},
	{"two members that could be under one key", Step{{Near: "price", Up: []Key{{Name: "k"}, {Name: "l"}}}, {Near: "writer", Up: []Key{{Name: "m"}, {Name: "l"}}}}, `{"$propertyBag":{"k":1}}`, true, UnclearBag},
	{"which are not there", Step{{Near: "price", Up: []Key{{Name: "k"}}}, {Near: "writer", Up: []Key{{Name: "k"}}}}, `{"$propertyBag":{"l":1}}`, true, Converted},
	{"two members that go to one key", Step{{Far: "author", Down: []Key{{Name: "k"}}}, {Far: "blurb", Down: []Key{{Name: "k"}}}}, `{"author":"a","blurb":"b"}`, true, UnclearBag},
	{"one of them alone", Step{{Far: "author", Down: []Key{{Name: "k"}}}, {Far: "blurb", Down: []Key{{Name: "k"}}}}, `{"author":"a"}`, true, Converted},
	{"two that could go to one key", Step{{Far: "author", Down: []Key{{Name: "k"}, {Name: "l", Written: true}}}, {Far: "blurb", Down: []Key{{Name: "m"}, {Name: "l", Written: true}}}}, `{"author":"a","blurb":"b","$propertyBag":{"k":1,"m":2}}`, true, UnclearBag},
	{"a null in the bag", Step{{Near: "price"}}, `{"$propertyBag":{"price":null}}`, true, UnclearBag},
	{"another null", Step{{Near: "price"}}, `{"$propertyBag":{"other":null}}`, true, Converted},
	{"a value of the wrong type in the bag", Step{{Near: "price"}}, `{"$propertyBag":{"price":"x"}}`, true, WrongType},
	{"beside a live one", Step{{Name: "pages", Up: []Key{{Name: "old"}}, Down: []Key{{Name: "new"}}}}, `{"pages":1,"$propertyBag":{"old":"x"}}`, true, Converted},
	{"additional members", Step{{Far: "*", Down: []Key{{Name: "more"}}}}, `{}`, true, OpenObject},
	{"additional members, the other way", Step{{Near: "*", Up: []Key{{Name: "more"}}}}, `{}`, true, OpenObject},
	{"a member that the type lacks", Step{{Far: "none", Near: "other"}}, `{}`, true, NoPlan},
	{"a member called like a bag", Step{{Far: "author", Near: "$$propertyBag"}}, `{}`, true, ReservedName},
	{"and the other way", Step{{Far: "$$propertyBag", Near: "writer"}}, `{}`, false, ReservedName},
}

// TestRefusalsOfPlans checks the reasons.
func TestRefusalsOfPlans(t *testing.T) {
	for _, test := range planRefusals {
		from, to := shape.Of(reflect.TypeFor[farBook]()), shape.Of(reflect.TypeFor[nearBook]())
		if !test.up {
			from, to = to, from
		}
		m := recaster{steps: append([]Step{test.step}, bookSteps[1:]...), up: test.up, stored: bookStored, made: map[recastKey]*recast{}}
		r := m.make(0, from, to)
		m.finish()
		e := edit{reader: reader{Cursor: jsontext.Cursor{Data: []byte(test.object)}, limit: jsontext.MaxDepth, repeats: new(repeats), takesBags: true, bags: true}}
		if converts := e.object(r); e.refusal != test.want || converts != (test.want == Converted) {
			t.Errorf("%s: %s, want %s", test.reason, e.refusal, test.want)
		}
	}
}
