package additional

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Lower returns a copy of the property bag of src, with the additional members of src stored in
// it.
func Lower[S any](src *S, known Furthers, foreign []string) runtime.PropertyBag {
	s, p := shape.Of(reflect.TypeFor[S]()), unsafe.Pointer(src)
	l := lowering{bag: s.BagAt(p).Clone(), known: known}
	if l.bag == nil {
		l.bag = runtime.PropertyBag{}
	}
	others := entriesOf[runtime.JSON](l.bag, bag.NamedKey) // stored when some of the members were objects of a type
	maps.Copy(others, entriesOf[runtime.JSON](l.bag, bag.AdditionalKey))
	setEntries(l.bag, bag.NamedKey, map[string]runtime.JSON{})
	l.rest, l.others = map[string]runtime.JSON{}, others
	own := map[string]runtime.JSON{}
	if s.Additional != nil {
		own = l.additional(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset), foreign)
	} else {
		l.dropCovers()
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		f := s.Member(bag.StoredName(name))
		_, visible := own[name]
		l.store(name, others[name], false, visible || f != nil && !f.Shape.IsAbsent(unsafe.Add(p, f.Offset)))
	}
	setEntries(l.bag, bag.AdditionalKey, l.rest)
	if len(l.bag) == 0 {
		return nil
	}
	return l.bag
}

// lowering is a bag in which Lower stores additional members.
type lowering struct {
	bag   runtime.PropertyBag
	known Furthers
	// rest has the members without a key.
	rest map[string]runtime.JSON
	// others has the members that the bag had.
	others map[string]runtime.JSON
}

// additional stores the additional members at p in the bag, and returns them.
func (l *lowering) additional(s *shape.Shape, p unsafe.Pointer, foreign []string) map[string]runtime.JSON {
	own, covers, strangers := map[string]runtime.JSON{}, entriesOf[cover](l.bag, bag.CoveredKey), entriesOf[runtime.JSON](l.bag, bag.ForeignKey)
	setEntries(l.bag, bag.CoveredKey, map[string]cover{})
	for entries := s.MapAt(p).MapRange(); entries.Next(); {
		name := entries.Key().String()
		own[name] = entryText(s, p, name)
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		c, covers := covers[name]
		switch {
		case slices.Contains(foreign, name):
			strangers[name] = own[name]
		case covers && jsontext.IsSame(jsontext.OrNull(c.Visible), own[name]) && c.isMade(c.Visible):
			l.uncover(name, c)
		default: // changed parts of the visible value lose their cover
			l.forget(name)
			l.store(name, own[name], true, false)
			l.keepParts(name, own[name], c)
		}
	}
	setEntries(l.bag, bag.ForeignKey, strangers)
	return own
}

// dropCovers removes the covers from the bag of an object without additional members. No
// conversion made them, and the bags of the next open version would not have them.
func (l *lowering) dropCovers() { setEntries(l.bag, bag.CoveredKey, map[string]cover{}) }

// forget removes the hidden values of a member that a client wrote.
func (l *lowering) forget(name string) {
	for _, f := range l.known.named(name) {
		delete(l.bag, f.Key)
	}
	delete(l.others, name)
}

// keepParts adds to a written member the values that its cover hides, if the member has the same
// key as before.
func (l *lowering) keepParts(name string, value runtime.JSON, c cover) {
	if f := l.known.of(name, value); f != nil && f.Key != "" && f.Key == c.Key {
		l.bag[f.Key] = f.inBag(value, c.Stored[f.Key])
	}
}

// uncover moves the stored values of a cover back into the bag. It does not replace an entry.
func (l *lowering) uncover(name string, c cover) {
	for key, value := range c.Stored {
		switch _, taken := l.bag[key]; {
		case key == bag.NamedKey: // stored after the others
		case key == bag.AdditionalKey:
			l.rest[name] = value
		case !taken:
			l.bag[key] = jsontext.Present(value)
		}
	}
	if value, waited := c.Stored[bag.NamedKey]; waited {
		l.store(name, value, false, false)
	}
}

// store stores a member under its key. It stores it among the rest if the member has no key, or
// isKeyless is set. Only a live member replaces an existing value.
func (l *lowering) store(name string, value runtime.JSON, live, isKeyless bool) {
	if f := l.known.of(name, value); f != nil && f.Key != "" && !isKeyless {
		if _, taken := l.bag[f.Key]; !taken || live {
			l.bag[f.Key] = f.inBag(value, nil)
			return
		}
	}
	if _, taken := l.rest[name]; !taken || live {
		l.rest[name] = value
	}
}
