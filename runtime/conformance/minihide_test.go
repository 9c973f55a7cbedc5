package conformance

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// hide and restore are those of the runtime, apart from the faults that tests plant.
func hide(m runtime.Hider, spec, status any) {
	switch fault {
	case "nothing is hidden":
	case "by index", "wholesale":
		hideNaively(m, spec, status)
	default:
		genruntime.Hide(m, spec, status)
	}
}

// naive has all values of the object that was read.
type naive[S, T any] struct {
	Whole   bool
	Spec    S
	Status  T
	Visible string
}

// hideNaively stores the whole object if the version cannot represent it.
func hideNaively(m runtime.Hider, spec, status any) {
	data, err := json.Marshal(naive[any, any]{true, spec, status, visibleSpec(m)})
	if err != nil {
		panic(err)
	}
	text := string(data)
	other := strings.Contains(text, `"originalVersion":`) &&
		!strings.Contains(text, `"originalVersion":`+strconv.Quote(m.OriginalGVK().Version))
	if other || strings.Contains(text, `"$propertyBag":`) {
		m.SetStatusBag(&text)
	}
}

// visibleSpec returns the visible part of a spec, whose change decides the original version.
func visibleSpec(m runtime.Hider) string {
	spec := reflect.ValueOf(m).Elem().FieldByName("Spec")
	if spec.IsNil() {
		return ""
	}
	return newLook(spec.Type().Elem(), spec.UnsafePointer()).text
}

func restore[S, T any](m runtime.Hider, spec **S, status **T) {
	bag := m.StatusBag()
	switch fault {
	case "by index", "wholesale":
		restoreNaively(m, spec, status)
		return
	case "junk fails":
		if bag != nil && !json.Valid([]byte(*bag)) {
			panic("no bag: " + *bag)
		}
	}
	genruntime.Restore(m, spec, status)
	if *spec != nil {
		spoilSpec(reflect.ValueOf(*spec).Elem(), bag, m.OriginalGVK().Version)
	}
}

// restoreNaively restores the bag of every object that had one when the object was read, or the
// whole spec.
func restoreNaively[S, T any](m runtime.Hider, spec **S, status **T) {
	var was naive[*S, *T]
	bag := m.StatusBag()
	if bag == nil || json.Unmarshal([]byte(*bag), &was) != nil {
		return
	}
	if was.Whole && was.Status == nil {
		*status = nil
	}
	sameBags(reflect.ValueOf(was.Status), reflect.ValueOf(*status))
	switch {
	case fault == "wholesale":
		*spec = was.Spec
	case was.Spec != nil && *spec != nil:
		sameBags(reflect.ValueOf(was.Spec), reflect.ValueOf(*spec))
		original := reflect.ValueOf(was.Spec).Elem().FieldByName("OriginalVersion").String()
		if visibleSpec(m) != was.Visible {
			original += "|" + m.OriginalGVK().Version // undecided until it is settled
		}
		reflect.ValueOf(*spec).Elem().FieldByName("OriginalVersion").SetString(original)
	}
}

func sameBags(was, is reflect.Value) {
	switch is.Kind() {
	case reflect.Pointer:
		if !is.IsNil() && !was.IsNil() {
			sameBags(was.Elem(), is.Elem())
		}
	case reflect.Slice:
		for i := range min(was.Len(), is.Len()) {
			sameBags(was.Index(i), is.Index(i))
		}
	case reflect.Map:
		if is.Type().Elem().Kind() != reflect.Struct {
			return
		}
		for key, value := range is.Seq2() {
			if old := was.MapIndex(key); old.IsValid() {
				changed := reflect.New(value.Type()).Elem()
				changed.Set(value)
				sameBags(old, changed)
				is.SetMapIndex(key, changed)
			}
		}
	case reflect.Struct:
		for i := range is.NumField() {
			if is.Type().Field(i).Name == "PropertyBag" {
				is.Field(i).Set(was.Field(i))
			} else {
				sameBags(was.Field(i), is.Field(i))
			}
		}
	}
}

// spoilSpec plants the faults that the runtime might have had.
func spoilSpec(spec reflect.Value, bag *string, version string) {
	original := spec.FieldByName("OriginalVersion")
	parts := spec.FieldByName("Parts")
	switch fault {
	case "the writer is the original":
		original.SetString(version)
	case "the original stays":
		if bag != nil {
			original.SetString("v2")
		}
	case "longer lists lose their last":
		if parts.Len() > 2 {
			parts.Index(parts.Len() - 1).FieldByName("PropertyBag").SetZero()
		}
	case "what is hidden wanders":
		if parts.Len() > 1 && parts.Index(0).FieldByName("PropertyBag").Len() == 0 {
			parts.Index(0).FieldByName("PropertyBag").Set(parts.Index(1).FieldByName("PropertyBag"))
		}
	case "an edit elsewhere forgets":
		if parts.Len() > 0 && original.String() == version && bag != nil {
			parts.Index(0).FieldByName("PropertyBag").SetZero()
		}
	}
}
