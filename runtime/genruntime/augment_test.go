package genruntime_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// named has two names, whole has them in one.
type named struct {
	First       *string             `json:"first"`
	Last        *string             `json:"last"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag"`
}

type whole struct {
	Full        *string             `json:"full"`
	Tags        []string            `json:"tags"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag"`
}

var names = []string{"first", "first", "last", "last@v1"}

func (src *named) assignTo(dst *whole) error {
	full := *src.First + " " + *src.Last
	dst.Full = &full
	return nil
}

func (dst *named) assignFrom(src *whole) error {
	first, last, _ := strings.Cut(*src.Full, " ")
	dst.First, dst.Last = &first, &last
	return nil
}

func text(s string) *string { return &s }

func TestAugment(t *testing.T) {
	for _, c := range []struct {
		reason   string
		first    string
		restored *string
		want     string
	}{
		{"nothing was restored, so the step runs", "Ada", nil, "Ada Lovelace"},
		{"what was restored says what is at hand, so it stands", "Ada", text("Ada Lovelace"), "Ada Lovelace"},
		{"the source was edited since, so the step runs", "Augusta", text("Ada Lovelace"), "Augusta Lovelace"},
	} {
		far, near := &named{First: text(c.first), Last: text("Lovelace")}, &whole{Full: c.restored}
		if err := genruntime.AugmentTo("step", far, near, c.restored != nil, (*named).assignTo, (*named).assignFrom, names...); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if *near.Full != c.want {
			t.Errorf("%s: got %s, want %s", c.reason, *near.Full, c.want)
		}
	}
}

// TestOppositeOfStepMustMakeAll has opposites that do not convert the restored values back to
// the source, so that the step runs.
func TestOppositeOfStepMustMakeAll(t *testing.T) {
	first := func(dst *named, name string, always bool) error {
		if dst.First == nil || always {
			dst.First = text(name)
		}
		return nil
	}
	for reason, opposite := range map[string]func(*named, *whole) error{
		"it fails":                           func(*named, *whole) error { return errors.New("refused") },
		"it changes what is there":           func(dst *named, _ *whole) error { return first(dst, "Augusta", true) },
		"it makes something else of nothing": func(dst *named, _ *whole) error { return first(dst, "Augusta", false) },
		"it fails where nothing is": func(dst *named, _ *whole) error {
			if dst.First == nil {
				return errors.New("refused")
			}
			return nil
		},
	} {
		far, near := &named{First: text("Ada"), Last: text("Lovelace")}, &whole{Full: text("Ada King")}
		if err := genruntime.AugmentTo("step", far, near, true, (*named).assignTo, opposite, names...); err != nil || *near.Full != "Ada Lovelace" {
			t.Errorf("%s: the name is %s, %v", reason, *near.Full, err)
		}
	}
	far, near := &named{First: text("Ada"), Last: text("Lovelace")}, &whole{Full: text("Ada King")}
	half := func(dst *named, _ *whole) error { return first(dst, "Ada", true) }
	if err := genruntime.AugmentTo("step", far, near, true, (*named).assignTo, half, names...); err != nil || *near.Full != "Ada King" {
		t.Errorf("it makes a part of what is there: the name is %s, %v", *near.Full, err)
	}
}

func TestAugmentPreservesUneditedSpellings(t *testing.T) {
	far, near := &named{}, &whole{Full: text("Ada  Lovelace")}
	if err := genruntime.AugmentFrom("step", far, near, false, (*named).assignFrom, (*named).assignTo, names...); err != nil {
		t.Fatal(err)
	}
	again := &whole{Full: near.Full, PropertyBag: far.PropertyBag.Clone()}
	if err := genruntime.AugmentTo("step", far, again, true, (*named).assignTo, (*named).assignFrom, names...); err != nil {
		t.Fatal(err)
	}
	if *again.Full != "Ada  Lovelace" || again.PropertyBag != nil {
		t.Errorf("got %q and %v", *again.Full, again.PropertyBag)
	}
}

func TestVisibleValuesLeaveBag(t *testing.T) {
	bag := func() runtime.PropertyBag {
		return runtime.PropertyBag{"first": runtime.JSON(`"Augusta"`), "other": runtime.JSON("1")}
	}
	near := &whole{Full: text("Ada King"), PropertyBag: bag()}
	far := &named{First: text("Augusta"), PropertyBag: runtime.PropertyBag{"other": runtime.JSON("1")}}
	if err := genruntime.AugmentFrom("step", far, near, true, (*named).assignFrom, assignSafely, names...); err != nil || *far.First != "Ada" {
		t.Fatal(err, *far.First)
	}
	again := &whole{Full: near.Full, PropertyBag: far.PropertyBag.Clone()}
	genruntime.Stash(&again.PropertyBag, "first", far.First)
	genruntime.Stash(&again.PropertyBag, "last@v1", far.Last)
	if err := genruntime.AugmentTo("step", far, again, true, assignSafely, (*named).assignFrom, names...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bag(), again.PropertyBag); diff != "" {
		t.Errorf("the bag (-was +is):\n%s", diff)
	}
}

// assignSafely is assignTo for names that are not all there.
func assignSafely(src *named, dst *whole) error {
	if src.First == nil || src.Last == nil {
		dst.Full = nil
		return nil
	}
	return src.assignTo(dst)
}

func TestSourcesWithoutValuesEraseNothing(t *testing.T) {
	near := &whole{Full: text("Ada Lovelace")}
	if err := genruntime.AugmentTo("step", &named{}, near, true, assignSafely, (*named).assignFrom, names...); err != nil || near.Full == nil {
		t.Errorf("%v, and the name is %v", err, near.Full)
	}
}

func TestSourceThatWasEmptiedErases(t *testing.T) {
	near := &whole{Full: text("Ada Lovelace")}
	far := &named{}
	if err := genruntime.AugmentFrom("step", far, near, false, (*named).assignFrom, assignSafely, names...); err != nil {
		t.Fatal(err)
	}
	again := &whole{Full: near.Full, PropertyBag: far.PropertyBag.Clone()}
	far.First, far.Last = nil, nil
	if err := genruntime.AugmentTo("step", far, again, true, assignSafely, (*named).assignFrom, names...); err != nil || again.Full != nil {
		t.Errorf("%v, and the name is %v", err, again.Full)
	}
}

func TestRestoredValuesStayWithoutOpposite(t *testing.T) {
	far, near := &named{First: text("Augusta"), Last: text("King")}, &whole{Full: text("Ada Lovelace")}
	if err := genruntime.AugmentTo("step", far, near, true, (*named).assignTo, nil); err != nil {
		t.Fatal(err)
	}
	if *near.Full != "Ada Lovelace" {
		t.Errorf("got %q", *near.Full)
	}
}

func TestFailingStepLeavesGeneratedResult(t *testing.T) {
	refused := errors.New("refused")
	for reason, step := range map[string]func(*named, *whole) error{
		"an error": func(_ *named, dst *whole) error {
			dst.Tags[0], dst.Full = "changed", text("half")
			return refused
		},
		"a panic": func(_ *named, dst *whole) error {
			dst.Tags[0] = "changed"
			panic("nil names")
		},
	} {
		near := &whole{Tags: []string{"as it was"}}
		err := genruntime.AugmentTo("ConvertNamed", &named{}, near, false, step, nil)
		var failed *runtime.AugmentationError
		if !errors.As(err, &failed) || failed.Step != "AssignTo ConvertNamed" {
			t.Errorf("%s: the error is %v", reason, err)
		}
		if got := genruntime.IsRefusal(fmt.Errorf("convert: %w", err)); got != (reason == "an error") {
			t.Errorf("%s is a refusal: %t", reason, got)
		}
		if near.Full != nil || near.Tags[0] != "as it was" {
			t.Errorf("%s: the destination was changed: %+v", reason, near)
		}
	}
}

type object struct{ metav1.ObjectMeta }

func (*object) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: "crm.example.com", Version: "v1", Kind: "Person"}
}

type observed []runtime.Event

func (o *observed) Observe(e runtime.Event) { *o = append(*o, e) }

func TestAboutNamesObject(t *testing.T) {
	var seen observed
	runtime.SetObserver(&seen)
	defer runtime.SetObserver(nil)
	ada := &object{metav1.ObjectMeta{Namespace: "london", Name: "ada"}}
	failed := &runtime.AugmentationError{Step: "ConvertNamed", Err: errors.New("refused")}
	err := genruntime.About(ada, nil, failed)
	if err != failed || failed.Object != "london/ada" {
		t.Errorf("the error is %v", err)
	}
	if len(seen) != 1 || seen[0].What != runtime.AugmentationFailed || seen[0].Name != "ada" || seen[0].Step != "ConvertNamed" {
		t.Errorf("the observer saw %+v", seen)
	}
	if err := genruntime.About(ada, nil, nil); err != nil || len(seen) != 1 {
		t.Errorf("without an error: %v, %d events", err, len(seen))
	}
}

// TestAugmentWhereAnotherPropertyWasRestored covers a near object whose tags came from a bag, and
// whose full name nobody has set.
func TestAugmentWhereAnotherPropertyWasRestored(t *testing.T) {
	far, near := &named{First: text("Ada"), Last: text("King")}, &whole{Tags: []string{"restored"}}
	from := func(dst *named, src *whole) error {
		if src.Full == nil {
			return nil
		}
		return dst.assignFrom(src)
	}
	if err := genruntime.AugmentTo("step", far, near, true, (*named).assignTo, from, names...); err != nil {
		t.Fatal(err)
	}
	if near.Full == nil {
		t.Error("the step has not run: the full name is absent")
	}
}

// sheet and board contain lists that both versions have. A step of the whole object derives the
// widths of the one from the labels of the other.
type sheet struct {
	Count       *int64              `json:"count"`
	Labels      []inscription       `json:"labels"`
	Note        *string             `json:"note"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag"`
}

type board struct {
	Labels      []inscription       `json:"labels"`
	Total       *string             `json:"total"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag"`
}

type inscription struct {
	Text *string `json:"text"`
}

// TestStepRunsIfItDerivesAnotherValue edits an object that AugmentFrom has made. Near's total was
// restored from a bag, in a spelling of its own.
func TestStepRunsIfItDerivesAnotherValue(t *testing.T) {
	total := func(src *sheet) string {
		var all []string
		for _, l := range src.Labels {
			if l.Text != nil {
				all = append(all, *l.Text)
			}
		}
		return strings.Join(all, " ")
	}
	to := func(src *sheet, dst *board) error {
		if dst.Total = nil; total(src) == "fail" {
			return errors.New("refused")
		} else if all := total(src); all != "" {
			dst.Total = &all
		}
		return nil
	}
	// It leaves dst alone: whatever near has, far corresponds to it.
	from := func(*sheet, *board) error { return nil }
	labels := func(texts ...string) (out []inscription) {
		for _, s := range texts {
			out = append(out, inscription{&s})
		}
		return out
	}
	for _, c := range []struct {
		reason      string
		read, edits []inscription
		note        *string
		restored    *string
		want        *string
	}{
		{"nobody edited", labels("a", "b"), labels("a", "b"), nil, text("a  b"), text("a  b")},
		{"an edit from which nothing is derived", labels("a", "b"), labels("a", "b"), text("edited"), text("a  b"), text("a  b")},
		{"an edit within a list that both versions have", labels("a", "b"), labels("a", "c"), nil, text("a  b"), text("a c")},
		{"an element after one from which nothing is derived", []inscription{{}}, append([]inscription{{}}, labels("a")...), nil, nil, text("a")},
		{"an element from which nothing is derived", labels("a"), append(labels("a"), inscription{}), nil, text("A"), text("A")},
		{"a removed source", labels("a"), nil, nil, text("A"), nil},
		{"a value that the step refuses now", labels("a"), labels("fail"), nil, text("A"), text("A")},
		{"a value that the step refused before", labels("fail"), labels("a"), nil, text("A"), text("a")},
		{"a value that the step still refuses", labels("fail"), labels("fail"), nil, text("A"), text("A")},
	} {
		far, near := &sheet{Labels: c.read}, &board{Labels: c.read, Total: c.restored}
		if err := genruntime.AugmentFrom("step", far, near, true, from, to, "note", "note"); err != nil {
			t.Fatal(err)
		}
		written := &board{Labels: c.edits, Total: c.restored, PropertyBag: far.PropertyBag.Clone()}
		err := genruntime.AugmentTo("step", &sheet{Labels: c.edits, Note: c.note}, written, true, to, from, "note", "note")
		if refused := c.reason == "a value that the step refuses now"; (err != nil) != refused {
			t.Errorf("%s: the error is %v", c.reason, err)
		}
		if diff := cmp.Diff(c.want, written.Total); diff != "" || written.PropertyBag != nil {
			t.Errorf("%s: the bag is %v, the total (-want +got)\n%s", c.reason, written.PropertyBag, diff)
		}
	}
}
