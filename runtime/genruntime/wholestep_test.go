package genruntime_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// oldBook and newBook are resources. The old one has authors as text, the new one as two names.
type oldBook struct {
	ObjectMeta metav1.ObjectMeta
	Spec       *oldBookSpec
	Status     *oldBookSpec
}

type newBook struct {
	ObjectMeta metav1.ObjectMeta
	Spec       *newBookSpec
	Status     *newBookSpec
}

type oldBookSpec struct {
	Pages           *int64              `json:"pages,omitzero"`
	Authors         []oldAuthor         `json:"authors,omitzero"`
	OriginalVersion string              `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type oldAuthor struct {
	Name        *string             `json:"name,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type newBookSpec struct {
	Pages           *int64              `json:"pages,omitzero"`
	Authors         []newAuthor         `json:"authors,omitzero"`
	OriginalVersion string              `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type newAuthor struct {
	First       *string             `json:"first,omitzero"`
	Last        *string             `json:"last,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// bookTo and bookFrom are what the generator writes for the two.
func bookTo(src *oldBookSpec, dst *newBookSpec) error {
	dst.Pages, dst.OriginalVersion, dst.PropertyBag = src.Pages, src.OriginalVersion, src.PropertyBag.Clone()
	return genruntime.ListTo(&dst.Authors, src.Authors, func(src *oldAuthor, dst *newAuthor) error {
		dst.PropertyBag = src.PropertyBag.Clone()
		genruntime.Recall(&dst.PropertyBag, "first", &dst.First)
		genruntime.Recall(&dst.PropertyBag, "last", &dst.Last)
		if src.Name != nil {
			genruntime.Stash(&dst.PropertyBag, "name", src.Name)
		}
		return nil
	})
}

func bookFrom(src *newBookSpec, dst *oldBookSpec) error {
	dst.Pages, dst.OriginalVersion, dst.PropertyBag = src.Pages, src.OriginalVersion, src.PropertyBag.Clone()
	return genruntime.ListTo(&dst.Authors, src.Authors, func(src *newAuthor, dst *oldAuthor) error {
		dst.PropertyBag = src.PropertyBag.Clone()
		genruntime.Recall(&dst.PropertyBag, "name", &dst.Name)
		if src.First != nil {
			genruntime.Stash(&dst.PropertyBag, "first", src.First)
		}
		if src.Last != nil {
			genruntime.Stash(&dst.PropertyBag, "last", src.Last)
		}
		return nil
	})
}

func (src *oldBook) AssignToBook(dst *newBook) error {
	if src.Spec == nil {
		return nil
	}
	for i, a := range src.Spec.Authors {
		to := &dst.Spec.Authors[i]
		if to.First, to.Last = nil, nil; a.Name != nil {
			first, last, found := strings.Cut(strings.TrimSpace(*a.Name), " ")
			if !found {
				return errors.New("no last name")
			}
			to.First, to.Last = text(first), text(strings.TrimSpace(last))
		}
	}
	return nil
}

func (dst *oldBook) AssignFromBook(src *newBook) error {
	if src.Spec == nil {
		return nil
	}
	for i, a := range src.Spec.Authors {
		if a.First != nil && a.Last != nil {
			dst.Spec.Authors[i].Name = text(*a.First + " " + *a.Last)
		}
	}
	return nil
}

type bookStep = func(*oldBookSpec, *newBookSpec) error

var (
	assignBook   = genruntime.AssignSpecTo[oldBookSpec, newBookSpec]((*oldBook).AssignToBook)
	assignedBook = genruntime.AssignSpecFrom[oldBookSpec, newBookSpec]((*oldBook).AssignFromBook)
)

func bookUp(t *testing.T, src *oldBookSpec, to, from bookStep) (dst *newBookSpec, err error) {
	t.Helper()
	before := dump(t, src)
	dst = new(newBookSpec)
	err = genruntime.CompleteTo("v2.Book", src, dst, bookTo, to, from)
	if after := dump(t, src); after != before {
		t.Errorf("the source was %s, and is %s", before, after)
	}
	return dst, err
}

func bookDown(t *testing.T, src *newBookSpec, to, from bookStep) (dst *oldBookSpec, err error) {
	t.Helper()
	before := dump(t, src)
	dst = new(oldBookSpec)
	err = genruntime.CompleteFrom("v2.Book", dst, src, bookFrom, bookTo, from, to)
	if after := dump(t, src); after != before {
		t.Errorf("the source was %s, and is %s", before, after)
	}
	return dst, err
}

func dump(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parse[T any](t *testing.T, data string) *T {
	t.Helper()
	out := new(T)
	if err := json.Unmarshal([]byte(data), out); err != nil {
		t.Fatal(err)
	}
	return out
}

func count(n int64) *int64 { return &n }

// TestWholeSteps reads new objects as old ones, edits them, and writes them.
func TestWholeSteps(t *testing.T) {
	for _, c := range []struct {
		reason, stored string
		edit           func(*oldBookSpec)
		want           string
	}{
		{
			"an object that no client edited comes back exactly",
			`{"authors":[{"first":"Ada","last":" King"},{"$propertyBag":{"name":"Ann Lee","x":1}}],"$propertyBag":{"y":2}}`,
			func(*oldBookSpec) {},
			`{"authors":[{"first":"Ada","last":" King"},{"$propertyBag":{"name":"Ann Lee","x":1}}],"$propertyBag":{"y":2}}`,
		},
		{
			"another original version is no edit", `{"authors":[{"first":"Ada","last":" King"}],"originalVersion":"v2"}`,
			func(b *oldBookSpec) { b.OriginalVersion = "v1" },
			`{"authors":[{"first":"Ada","last":" King"}],"originalVersion":"v1"}`,
		},
		{
			"an edit of something else does not change what the step derived before",
			`{"pages":1,"authors":[{"first":"Ada","last":" King"}]}`,
			func(b *oldBookSpec) { b.Pages = count(2) },
			`{"pages":2,"authors":[{"first":"Ada","last":" King","$propertyBag":{"name":"Ada  King"}}]}`,
		},
		{
			"an edit of the source makes the step run", `{"authors":[{"first":"Ada","last":" King"}]}`,
			func(b *oldBookSpec) { b.Authors[0].Name = text("Eve King") },
			`{"authors":[{"first":"Eve","last":"King","$propertyBag":{"name":"Eve King"}}]}`,
		},
		{
			"so does its removal", `{"authors":[{"first":"Ada","last":"King"}]}`,
			func(b *oldBookSpec) { b.Authors[0].Name = nil },
			`{"authors":[{}]}`,
		},
		{
			"and a new element", `{"authors":[{"first":"Ada","last":"King"}]}`,
			func(b *oldBookSpec) { b.Authors = append(b.Authors, oldAuthor{Name: text("Ann Lee")}) },
			`{"authors":[{"first":"Ada","last":"King","$propertyBag":{"name":"Ada King"}},{"first":"Ann","last":"Lee","$propertyBag":{"name":"Ann Lee"}}]}`,
		},
	} {
		old, err := bookDown(t, parse[newBookSpec](t, c.stored), assignBook, assignedBook)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		c.edit(old)
		next, err := bookUp(t, old, assignBook, assignedBook)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if got := dump(t, next); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.reason, got, c.want)
		}
	}
}

// TestWholeStepsInOneDirection has only one of the two methods.
func TestWholeStepsInOneDirection(t *testing.T) {
	const stored = `{"authors":[{"first":"Ada","last":" King"}]}`
	old, err := bookDown(t, parse[newBookSpec](t, stored), assignBook, nil)
	if err != nil || old.Authors[0].Name != nil {
		t.Errorf("without AssignFrom: %s, %v", dump(t, old), err)
	}
	if next, _ := bookUp(t, old, assignBook, nil); dump(t, next) != stored {
		t.Errorf("not edited, without AssignFrom: %s", dump(t, next))
	}
	old.Authors[0].Name = text("Eve King")
	if next, _ := bookUp(t, old, assignBook, nil); *next.Authors[0].First != "Eve" {
		t.Errorf("edited, without AssignFrom: %s", dump(t, next))
	}
	if old, err = bookDown(t, parse[newBookSpec](t, stored), nil, assignedBook); err != nil || *old.Authors[0].Name != "Ada  King" {
		t.Errorf("without AssignTo: %s, %v", dump(t, old), err)
	}
	if next, _ := bookUp(t, old, nil, assignedBook); dump(t, next) != stored {
		t.Errorf("not edited, without AssignTo: %s", dump(t, next))
	}
}

// TestWholeStepsOfObjectsThatTheyNeverSaw writes objects that were read before the steps existed,
// or that clients create.
func TestWholeStepsOfObjectsThatTheyNeverSaw(t *testing.T) {
	for _, c := range []struct{ reason, written, want string }{
		{
			"a new object", `{"authors":[{"name":"Ada King"}]}`,
			`{"authors":[{"first":"Ada","last":"King","$propertyBag":{"name":"Ada King"}}]}`,
		},
		{
			"a new object with entries of other versions in its bag", `{"authors":[{"name":"Ada King","$propertyBag":{"x":1}}]}`,
			`{"authors":[{"first":"Ada","last":"King","$propertyBag":{"name":"Ada King","x":1}}]}`,
		},
		{
			"one element restored, another new", `{"authors":[{"$propertyBag":{"first":"Ann","last":" Lee"}},{"name":"Ada King"}]}`,
			`{"authors":[{"first":"Ann","last":" Lee"},{"first":"Ada","last":"King","$propertyBag":{"name":"Ada King"}}]}`,
		},
		{
			"restored, and the source is absent", `{"authors":[{"$propertyBag":{"first":"Ann","last":" Lee"}}]}`,
			`{"authors":[{"first":"Ann","last":" Lee"}]}`,
		},
		{
			"restored, and the source agrees", `{"authors":[{"name":"Ann  Lee","$propertyBag":{"first":"Ann","last":" Lee"}}]}`,
			`{"authors":[{"first":"Ann","last":" Lee","$propertyBag":{"name":"Ann  Lee"}}]}`,
		},
		{
			"restored, and the source was edited", `{"authors":[{"name":"Eve Lee","$propertyBag":{"first":"Ann","last":" Lee"}}]}`,
			`{"authors":[{"first":"Eve","last":"Lee","$propertyBag":{"name":"Eve Lee"}}]}`,
		},
	} {
		next, err := bookUp(t, parse[oldBookSpec](t, c.written), assignBook, assignedBook)
		if got := dump(t, next); got != c.want || err != nil {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.reason, err, got, c.want)
		}
	}
}

// TestWholeStepsThatFail has steps that refuse a value, that panic, and that change what no step
// may change. All leave the generated result. Only the first may be tolerated.
func TestWholeStepsThatFail(t *testing.T) {
	const written = `{"authors":[{"name":"Ada King"}]}`
	for _, c := range []struct {
		reason  string
		step    func(*oldBook, *newBook) error
		want    string
		refuses bool
	}{
		{"it returns an error", func(*oldBook, *newBook) error { return errors.New("no") }, "for an object with a spec alone: no", true},
		{
			"it expects a status", func(_ *oldBook, dst *newBook) error { dst.Status.Pages = count(1); return nil },
			"for an object with a spec alone: panic: runtime error: invalid memory address or nil pointer dereference", false,
		},
		{
			"it sets a status", func(_ *oldBook, dst *newBook) error { dst.Status = &newBookSpec{}; return nil },
			"the step sets the status of an object that has a spec alone; derive the status only if the source has one", false,
		},
		{
			"it sets the name", func(_ *oldBook, dst *newBook) error { dst.ObjectMeta.Name = "x"; return nil },
			"the step sets the object's metadata or type, which no conversion may change", false,
		},
		{"it removes the spec", func(_ *oldBook, dst *newBook) error { dst.Spec = nil; return nil }, "the step removes the spec", false},
	} {
		step := func(src *oldBook, dst *newBook) error {
			dst.Spec.Pages = count(7)
			return c.step(src, dst)
		}
		next, err := bookUp(t, parse[oldBookSpec](t, written), genruntime.AssignSpecTo[oldBookSpec, newBookSpec](step), nil)
		if failed := new(runtime.AugmentationError); !errors.As(err, &failed) || failed.Err.Error() != c.want || failed.Step != "AssignTo v2.Book" {
			t.Errorf("%s: %v", c.reason, err)
		}
		if genruntime.IsRefusal(err) != c.refuses {
			t.Errorf("%s: a refusal: %t", c.reason, !c.refuses)
		}
		if got, want := dump(t, next), `{"authors":[{"$propertyBag":{"name":"Ada King"}}]}`; got != want {
			t.Errorf("%s: %s", c.reason, cmp.Diff(want, got))
		}
	}
}

// TestWholeStepsMayReplaceTheirPart has a step that assigns a new spec instead of changing it.
func TestWholeStepsMayReplaceTheirPart(t *testing.T) {
	step := genruntime.AssignStatusTo[oldBookSpec, newBookSpec](func(_ *oldBook, dst *newBook) error {
		dst.Status = &newBookSpec{Pages: count(7), PropertyBag: dst.Status.PropertyBag}
		return nil
	})
	next, err := bookUp(t, &oldBookSpec{}, step, nil)
	if got := dump(t, next); got != `{"pages":7}` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestForgedRecordsOfWholeSteps has records that do not fit the object. They change nothing.
func TestForgedRecordsOfWholeSteps(t *testing.T) {
	for _, record := range []string{`1`, `{}`, `{"values":3}`, `{"values":"x","restore":{"in":{"pages":{"to":"7"},"authors":{"in":{"9":{},"-1":{},"a":{}}}}}}`} {
		src := parse[oldBookSpec](t, `{"authors":[{"name":"Ada King"}],"$propertyBag":{"$shown@v2.Book":`+record+`}}`)
		next, err := bookUp(t, src, assignBook, assignedBook)
		if err != nil || next.Pages != nil || next.Authors[0].First == nil || *next.Authors[0].First != "Ada" {
			t.Errorf("%s: %s, %v", record, dump(t, next), err)
		}
	}
}
