package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// View is an object in one API version.
type View struct {
	Version string `json:"version"`
	// Text is the manifest; empty if there are problems, or if the conversion has steps that were
	// written by hand.
	Text     string   `json:"text,omitempty"`
	Hidden   []Stored `json:"hidden,omitempty"`
	Problems []string `json:"problems,omitempty"`
	ByHand   bool     `json:"byHand,omitempty"`
}

// Stored is a value that a version cannot represent. Path is the path of the object whose property
// bag has the value under Key. Value is JSON.
type Stored struct {
	Path  string `json:"path"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Change is a value of an object before and after an edit, as JSON; empty if there is none. Key is
// the key of a value in the property bag of the object at Path.
type Change struct {
	Path   string `json:"path"`
	Key    string `json:"key,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Views converts an object to every version of its kind. Text has one object, as YAML or JSON.
func (p *Plans) Views(ctx context.Context, text string) (kind string, views []View, err error) {
	of, err := objectOf(text)
	if err != nil {
		return "", nil, err
	}
	planned, known := p.kind(of.Group, of.Kind)
	if !known {
		return "", nil, fmt.Errorf("there are no plans for the kind %s of %s", of.Kind, of.Group)
	}
	source, known := versionOf(planned, of.Version)
	if !known {
		return "", nil, fmt.Errorf("%s has no version %s: its versions are %s", of.Kind, of.Version, namesOf(planned))
	}
	for _, v := range planned.Versions {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		view := View{Version: v.Name, ByHand: v.Name != source.Name && !(v.HasPlan && source.HasPlan)}
		if !view.ByHand {
			p.show(ctx, text, &view)
		}
		views = append(views, view)
	}
	return of.Kind, views, nil
}

// show converts an object to the version of a view.
func (p *Plans) show(ctx context.Context, text string, view *View) {
	object, converted, err := p.one(ctx, text, view.Version)
	if err == nil {
		view.Hidden, err = hiddenIn(object)
	}
	if err != nil {
		view.Problems = []string{err.Error()}
		return
	}
	view.Text = converted
}

// one converts a text with one object. It returns the object, and the text with it.
func (p *Plans) one(ctx context.Context, text, to string) (*tree, string, error) {
	r := p.Convert(ctx, File{Name: "object", Text: text}, Options{To: to, Keep: true})
	var errs []error
	for _, m := range r.Messages {
		if m.Severity == diag.Error {
			errs = append(errs, errors.New(m.Text))
		}
	}
	if errs != nil {
		return nil, "", errors.Join(errs...)
	}
	if len(r.Objects) != 1 {
		return nil, "", errOneObject
	}
	object, err := parsed(r.Objects[0].After)
	return object, r.After, err
}

var errOneObject = errors.New("the text is not one object with an apiVersion and a kind")

// objectOf returns what kind of object a text has.
func objectOf(text string) (Target, error) {
	all, err := syntax.Parse("object", []byte(text), syntax.Default)
	if err != nil {
		return Target{}, err
	}
	if len(all) != 1 || all[0].Kind() != syntax.Object {
		return Target{}, errOneObject
	}
	group, version, has := strings.Cut(all[0].Member("apiVersion").Text(), "/")
	kind := all[0].Member("kind").Text()
	if !has || kind == "" {
		return Target{}, errOneObject
	}
	return Target{group, version, kind}, nil
}

// Changes converts two texts of an object to a version, and lists what differs. It does not decide
// the original version of an edited object, because plans do not have what this needs.
func (p *Plans) Changes(ctx context.Context, before, after, to string) ([]Change, error) {
	was, err := p.inVersion(ctx, before, to)
	if err != nil {
		return nil, err
	}
	is, err := p.inVersion(ctx, after, to)
	if err != nil {
		return nil, err
	}
	out := stored(was.hidden, is.hidden)
	for _, d := range differences(nil, was.object, is.object) {
		out = append(out, Change{Path: dotted(d.path), Before: jsonOf(d.before), After: jsonOf(d.after)})
	}
	return out, nil
}

// separated is an object without its bag, and what the bag had.
type separated struct {
	object *tree
	hidden []Stored
}

func (p *Plans) inVersion(ctx context.Context, text, to string) (separated, error) {
	all, err := syntax.Parse("object", []byte(text), syntax.Default)
	if err != nil {
		return separated{}, err
	}
	if len(all) != 1 {
		return separated{}, errOneObject
	}
	given := treeOf(all[0])
	for _, bag := range bagsOf(given) {
		withoutOriginal(bag)
	}
	object, _, err := p.one(ctx, given.JSON(), to)
	if err != nil {
		return separated{}, err
	}
	hidden, err := hiddenIn(object)
	object.member("status").drop(model.PropertyBag)
	object.at("metadata", "annotations").drop(runtime.BagAnnotation)
	return separated{object, hidden}, err
}

// bagsOf returns the texts in which an object can have hidden values.
func bagsOf(object *tree) []*tree {
	var out []*tree
	for _, bag := range []*tree{object.at("status", model.PropertyBag), object.at("metadata", "annotations", runtime.BagAnnotation)} {
		if bag != nil && bag.kind == syntax.String {
			out = append(out, bag)
		}
	}
	return out
}

// textIn returns the text of a string.
func textIn(t *tree) string {
	var out string
	_ = json.Unmarshal([]byte(t.json), &out) // treeOf and parsed make JSON of strings
	return out
}

// withoutOriginal removes the original version from a bag. A bag that is no object stays, and the
// conversion refuses it.
func withoutOriginal(bag *tree) {
	content, err := parsed(textIn(bag))
	if err != nil || content == nil || content.kind != syntax.Object {
		return
	}
	content.remove(model.OriginalVersion)
	bag.json = syntax.Quote(content.JSON())
}

// hiddenIn lists the values in the bag of an object.
func hiddenIn(object *tree) ([]Stored, error) {
	var out []Stored
	for _, bag := range bagsOf(object) {
		hidden, err := convert.ReadHidden(textIn(bag))
		if err != nil {
			return nil, err
		}
		for _, v := range hidden.Values {
			out = append(out, Stored{v.Path, v.Key, string(v.Value)})
		}
	}
	return out, nil
}

// stored lists what differs between the values of two bags.
func stored(before, after []Stored) []Change {
	var out []Change
	same := func(a Stored) func(Stored) bool {
		return func(b Stored) bool { return a.Path == b.Path && a.Key == b.Key }
	}
	for _, v := range before {
		i, value := slices.IndexFunc(after, same(v)), ""
		if i >= 0 {
			value = after[i].Value
		}
		if value != v.Value {
			out = append(out, Change{v.Path, v.Key, v.Value, value})
		}
	}
	for _, v := range after {
		if !slices.ContainsFunc(before, same(v)) {
			out = append(out, Change{v.Path, v.Key, "", v.Value})
		}
	}
	return out
}

func jsonOf(t *tree) string {
	if t == nil {
		return ""
	}
	return t.JSON()
}
