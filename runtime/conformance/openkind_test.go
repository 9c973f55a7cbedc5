package conformance

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// A kind in two versions, as strata generates it, written by hand: the box of v1 is open, and v2,
// the hub, names one of its members, danger. Tests plant faults.

// Box has the name of the type in v2.
type Box struct {
	Known                *string                 `json:"known,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
}

type storedBox1 struct {
	Known                *string                 `json:"known,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

type storedBox2 struct {
	Known       *string             `json:"known,omitzero"`
	Danger      *bool               `json:"danger,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (b Box) MarshalJSON() ([]byte, error) {
	type fixed Box
	return genruntime.MarshalOpen(fixed(b), b.AdditionalProperties)
}

func (b *Box) UnmarshalJSON(data []byte) error {
	type fixed Box
	return genruntime.UnmarshalOpen(data, (*fixed)(b), &b.AdditionalProperties, "known")
}

func (b storedBox1) MarshalJSON() ([]byte, error) {
	type fixed storedBox1
	return genruntime.MarshalOpen(fixed(b), b.AdditionalProperties)
}

func (b *storedBox1) UnmarshalJSON(data []byte) error {
	type fixed storedBox1
	return genruntime.UnmarshalOpen(data, (*fixed)(b), &b.AdditionalProperties, "known", bag.Name)
}

func (b *storedBox2) UnmarshalJSON(data []byte) error {
	type fixed storedBox2
	if err := json.Unmarshal(data, (*fixed)(b)); err != nil {
		return err
	}
	if fault == "lost in storage JSON" {
		delete(b.PropertyBag, bag.AdditionalKey)
	}
	return nil
}

type (
	openSpec1 struct {
		Name *string `json:"name,omitzero"`
		Box  *Box    `json:"box,omitzero"`
	}
	openSpec2 struct {
		Name *string       `json:"name,omitzero"`
		Box  *fixtures.Box `json:"box,omitzero"`
	}
	storedOpenSpec1 struct {
		Name            *string             `json:"name,omitzero"`
		Box             *storedBox1         `json:"box,omitzero"`
		OriginalVersion string              `json:"originalVersion,omitzero"`
		PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	storedOpenSpec2 struct {
		Name            *string             `json:"name,omitzero"`
		Box             *storedBox2         `json:"box,omitzero"`
		OriginalVersion string              `json:"originalVersion,omitzero"`
		PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}

	open1 mini[openSpec1, miniStatus]
	open2 mini[openSpec2, miniStatus]

	storedOpen1 = unembedded[storedOpenSpec1, storedStatus]
	storedOpen2 = mini[storedOpenSpec2, storedStatus]
)

func openGVK(version string) *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: "crm.example.com", Version: version, Kind: "Open"}
}

func (*open1) OriginalGVK() *schema.GroupVersionKind { return openGVK("v1") }
func (*open2) OriginalGVK() *schema.GroupVersionKind { return openGVK("v2") }
func (o *open1) StatusBag() *string                  { return bagOf(o.Status) }
func (o *open2) StatusBag() *string                  { return bagOf(o.Status) }
func (o *open1) SetStatusBag(bag *string)            { setBag(&o.Status, bag) }
func (o *open2) SetStatusBag(bag *string)            { setBag(&o.Status, bag) }

var openExpressions = genruntime.Expressions{
	Versions: []genruntime.Expression{{Version: "v1", Lacks: 1}, {Version: "v2", Hub: true}},
	Lists:    genruntime.Lists{{{Name: "box", List: 2}}, {{Name: "danger"}}},
}

func init() {
	genruntime.RegisterDerived("v1", func(src *storedOpenSpec1, dst *storedOpenSpec2) error {
		if fault == "an additional member counts as missing" {
			return errors.New("nothing is known of what is shown")
		}
		return openSpec12(src, dst)
	}, openSpec21)
}

func (o *open1) ConvertToStorage(s *storedOpen1) error {
	s.ObjectMeta = o.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&s.Spec, o.Spec, func(src *openSpec1, dst *storedOpenSpec1) error {
		*dst = storedOpenSpec1{Name: src.Name, OriginalVersion: "v1"}
		if src.Box != nil {
			dst.Box = &storedBox1{Known: src.Box.Known, AdditionalProperties: src.Box.AdditionalProperties}
		}
		return nil
	}), genruntime.ObjectTo(&s.Status, o.Status, statusTo))
	genruntime.Restore(o, &s.Spec, &s.Status)
	return err
}

func (o *open1) ConvertFromStorage(s *storedOpen1) error {
	o.ObjectMeta = s.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&o.Spec, s.Spec, func(src *storedOpenSpec1, dst *openSpec1) error {
		*dst = openSpec1{Name: src.Name}
		if src.Box != nil {
			dst.Box = &Box{Known: src.Box.Known, AdditionalProperties: src.Box.AdditionalProperties}
		}
		return nil
	}), genruntime.ObjectTo(&o.Status, s.Status, statusFrom))
	genruntime.Hide(o, s.Spec, s.Status)
	return err
}

func (o *open2) ConvertToStorage(s *storedOpen2) error {
	s.ObjectMeta = o.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&s.Spec, o.Spec, func(src *openSpec2, dst *storedOpenSpec2) error {
		*dst = storedOpenSpec2{Name: src.Name, OriginalVersion: "v2"}
		if src.Box != nil {
			dst.Box = &storedBox2{Known: src.Box.Known, Danger: src.Box.Danger}
		}
		return nil
	}), genruntime.ObjectTo(&s.Status, o.Status, statusTo))
	genruntime.Restore(o, &s.Spec, &s.Status)
	genruntime.DecideOriginal(o, s.Spec, openExpressions)
	return err
}

func (o *open2) ConvertFromStorage(s *storedOpen2) error {
	o.ObjectMeta = s.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&o.Spec, s.Spec, func(src *storedOpenSpec2, dst *openSpec2) error {
		*dst = openSpec2{Name: src.Name}
		if src.Box != nil {
			dst.Box = &fixtures.Box{Known: src.Box.Known, Danger: src.Box.Danger}
		}
		return nil
	}), genruntime.ObjectTo(&o.Status, s.Status, statusFrom))
	genruntime.Hide(o, s.Spec, s.Status)
	return err
}

func openStep12(src *storedOpen1, dst *storedOpen2) error {
	dst.ObjectMeta = src.ObjectMeta
	err := genruntime.FirstError(genruntime.ObjectTo(&dst.Spec, src.Spec, openSpec12), genruntime.ObjectTo(&dst.Status, src.Status, statusStep))
	genruntime.DecideOriginal(src, dst.Spec, openExpressions)
	return err
}

func openSpec12(src *storedOpenSpec1, dst *storedOpenSpec2) error {
	*dst = storedOpenSpec2{Name: src.Name, OriginalVersion: src.OriginalVersion, PropertyBag: src.PropertyBag.Clone()}
	return genruntime.ObjectTo(&dst.Box, src.Box, box12)
}

func openStep21(src *storedOpen2, dst *storedOpen1) error {
	dst.ObjectMeta = src.ObjectMeta
	return genruntime.FirstError(genruntime.ObjectTo(&dst.Spec, src.Spec, openSpec21), genruntime.ObjectTo(&dst.Status, src.Status, statusStep))
}

func openSpec21(src *storedOpenSpec2, dst *storedOpenSpec1) error {
	*dst = storedOpenSpec1{Name: src.Name, OriginalVersion: src.OriginalVersion, PropertyBag: src.PropertyBag.Clone()}
	return genruntime.ObjectTo(&dst.Box, src.Box, box21)
}

// boxKnown are the members that v2 names.
func boxKnown() genruntime.Furthers {
	return genruntime.Furthers{{Name: "danger", Key: "danger", Kind: "b"}}
}

func box12(src *storedBox1, dst *storedBox2) error {
	src = spoiledBox(src)
	*dst = storedBox2{Known: src.Known, PropertyBag: genruntime.Lower(src, boxKnown())}
	genruntime.Recall(&dst.PropertyBag, "danger", &dst.Danger)
	genruntime.Raise(dst, boxKnown())
	if fault == "an unfitting value vanishes" && dst.Danger == nil {
		dropAdditional(dst, "danger")
	}
	return nil
}

func box21(src *storedBox2, dst *storedBox1) error {
	*dst = storedBox1{Known: src.Known, PropertyBag: genruntime.Lower(src, boxKnown())}
	genruntime.Stash(&dst.PropertyBag, "danger", src.Danger)
	genruntime.Raise(dst, boxKnown())
	if fault == "a removed member stays" && dst.PropertyBag == nil && src.Danger != nil && len(dst.AdditionalProperties) == 1 {
		genruntime.Stash(&dst.PropertyBag, bag.AdditionalKey, dst.AdditionalProperties)
	}
	return nil
}

// spoiledBox plants faults in an object that a client of v1 wrote.
func spoiledBox(src *storedBox1) *storedBox1 {
	out := *src
	out.AdditionalProperties, out.PropertyBag = maps.Clone(src.AdditionalProperties), src.PropertyBag.Clone()
	switch fault {
	case "the client's property bag is one":
		var forged runtime.PropertyBag
		if json.Unmarshal(out.AdditionalProperties[bag.Name], &forged) == nil && forged != nil {
			delete(out.AdditionalProperties, bag.Name)
			out.PropertyBag = forged
		}
	case "a member without a name is lost":
		delete(out.AdditionalProperties, "")
	}
	return &out
}

func dropAdditional(b *storedBox2, name string) {
	var members map[string]runtime.JSON
	if json.Unmarshal(b.PropertyBag[bag.AdditionalKey], &members) != nil || members[name] == nil {
		return
	}
	delete(members, name)
	text, _ := json.Marshal(members)
	b.PropertyBag[bag.AdditionalKey] = text
	if len(members) == 0 {
		b.PropertyBag = nil
	}
}

func (o *open1) ConvertTo(h miniHub) error {
	var s1 storedOpen1
	return genruntime.FirstError(o.ConvertToStorage(&s1), openStep12(&s1, h.(*storedOpen2)))
}

func (o *open1) ConvertFrom(h miniHub) error {
	var s1 storedOpen1
	return genruntime.FirstError(openStep21(h.(*storedOpen2), &s1), o.ConvertFromStorage(&s1))
}

func (o *open2) ConvertTo(h miniHub) error   { return o.ConvertToStorage(h.(*storedOpen2)) }
func (o *open2) ConvertFrom(h miniHub) error { return o.ConvertFromStorage(h.(*storedOpen2)) }

func openKind() Versions {
	return Kind("Example.Crm/opens", Root[*open1]("v1", openStep12, openStep21), Hub[*open2]("v2"))
}

func TestLawfulOpenKind(t *testing.T) { Prove(t, openKind()) }

// TestFaultsOfOpenObjectsAreFound plants one fault at a time in the conversions of open objects.
func TestFaultsOfOpenObjectsAreFound(t *testing.T) {
	t.Cleanup(func() { fault = "" })
	for _, test := range []struct{ fault, want string }{
		{"an additional member counts as missing", "v1: an object that was created through it is reported to lack .box.$propertyBag.$additionalProperties"},
		{"an unfitting value vanishes", "down(up(x)) is not x at Spec.Box.AdditionalProperties: "},
		{"a removed member stays", "unset Spec.Box.AdditionalProperties: what users see is not what was written"},
		{"the client's property bag is one", "down(up(x)) is not x at Spec.Box.AdditionalProperties: got absent, want {\"$propertyBag\""},
		{"a member without a name is lost", "down(up(x)) is not x at Spec.Box.AdditionalProperties: "},
		{"lost in storage JSON", "up(down(h)) is not h at Spec.Box.PropertyBag: "},
	} {
		t.Run(test.fault, func(t *testing.T) {
			fault = test.fault
			err := openKind().proveLaws()
			if err == nil {
				t.Fatal("the fault was not found")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("the laws say\n%v\nwant %q", err, test.want)
			}
		})
	}
}

// TestFurthersAreDrawn checks the additional members that generated tests draw, if another
// version names one of them.
func TestFurthersAreDrawn(t *testing.T) {
	c, err := openKind().compile()
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]func(members map[string]runtime.JSON) bool{
		"danger that fits": func(m map[string]runtime.JSON) bool { return string(m["danger"]) == "true" },
		"danger that does not fit": func(m map[string]runtime.JSON) bool {
			return m["danger"] != nil && m["danger"][0] != 't' && m["danger"][0] != 'f'
		},
		"the name of a bag": func(m map[string]runtime.JSON) bool { return m[bag.Name] != nil },
		"no name":           func(m map[string]runtime.JSON) bool { return m[""] != nil },
		"another name":      func(m map[string]runtime.JSON) bool { return len(m) > 0 && m["danger"] == nil },
	}
	for seed := range uint64(2000) {
		drawn := (*open1)(c.links[0].programs.api.draw(new(drawer), seed, defaultBudget))
		for state, holds := range states {
			if drawn.Spec != nil && drawn.Spec.Box != nil && holds(drawn.Spec.Box.AdditionalProperties) {
				delete(states, state)
			}
		}
	}
	for state := range states {
		t.Errorf("never drawn: %s", state)
	}
}
