package hidden

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// pod has containers, and these have ports with a default.
type pod struct {
	Containers  []container         `json:"containers,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type container struct {
	Name        *string             `json:"name,omitzero"`
	Ports       []port              `json:"ports,omitzero" default:"[{\"number\":80,\"protocol\":\"TCP\"}]"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type port struct {
	Number      *int64              `json:"number,omitzero"`
	Protocol    *string             `json:"protocol,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// containerWith returns a container with one port. Something is hidden in the port if hides is set.
func containerWith(name string, number int64, protocol string, hides bool) container {
	p := port{Number: &number, Protocol: &protocol}
	if hides {
		p.PropertyBag = runtime.PropertyBag{"k": runtime.JSON("1")}
	}
	return container{Name: &name, Ports: []port{p}}
}

// TestListsWithDefaults edits an element of a list that equals its default. The element finds its
// hidden values by the leaves of its list, whatever containers the object has behind it.
func TestListsWithDefaults(t *testing.T) {
	preset := func() container { return containerWith("preset", 80, "TCP", true) }
	other := containerWith("other", 90, "UDP", true)
	for _, rest := range [][]container{nil, {other}, {containerWith("same", 80, "TCP", true)}} {
		text := bagOf(t, &pod{Containers: append([]container{preset()}, rest...)})
		edited := pod{Containers: []container{containerWith("preset", 81, "TCP", false)}}
		for _, c := range rest {
			edited.Containers = append(edited.Containers, containerWith(*c.Name, *c.Ports[0].Number, *c.Ports[0].Protocol, false))
		}
		b, err := Read(text)
		if err != nil {
			t.Fatal(err)
		}
		r := NewGoRestorer(nil)
		r.Restore(&b, shape.Of(reflect.TypeFor[pod]()), nil, unsafe.Pointer(&edited), nil)
		r.Done()
		for _, c := range edited.Containers {
			if got := string(c.Ports[0].PropertyBag["k"]); got != "1" {
				t.Errorf("before %d others: the port of %s has %q, want 1\n%s", len(rest), *c.Name, got, text)
			}
		}
	}
}
