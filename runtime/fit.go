package runtime

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"
)

// fitter makes JSON fit a type by moving what does not.
type fitter struct {
	// keep takes a member that is of the wrong type, and is to be removed from its object. Where keep is nil, nothing
	// of a wrong type fits.
	keep func(owner *tree, name string, value *tree)
	// blank returns what stands for a value of the wrong type where an object is wanted.
	blank func(value *tree) *tree
	// owns tells whether objects of a shape have a bag, of their own or at the same place in another type.
	owns func(s *shape) bool
	// gathers tells that unknown members go to the property bag of their object.
	gathers bool
	at      path
}

// isOwn tells whether a type of an API version has a storage type with a bag: all that are not lent.
func (s *shape) isOwn() bool {
	return s.of != reflect.TypeFor[Owner]() && !strings.HasPrefix(s.of.PkgPath(), "k8s.io/")
}

// fits makes a value fit a shape, and tells whether it does.
func (f *fitter) fits(s *shape, t *tree) bool {
	switch s.kind {
	case freeKind:
		return true
	case pointerKind:
		return f.fits(s.elem, t)
	case objectKind:
		return t.kind() == '{' && f.object(s, t.look())
	case listKind:
		return t.kind() == '[' && f.list(s, t.look())
	case dictKind:
		return t.kind() == '{' && f.dict(s, t.look())
	default:
		return isScalarOf(s, t)
	}
}

func isScalarOf(s *shape, t *tree) bool {
	switch s.kind {
	case textKind:
		return t.kind() == '"'
	case truthKind:
		return t.kind() == 't' || t.kind() == 'f'
	case integerKind:
		_, err := strconv.ParseInt(string(t.raw), 10, 64)
		return err == nil
	case numberKind:
		_, err := strconv.ParseFloat(string(t.raw), 64)
		return err == nil && t.kind() != '"'
	default:
		return kjson.UnmarshalCaseSensitivePreserveInts(t.json(), reflect.New(s.of).Interface()) == nil
	}
}

func (f *fitter) within(s step, fits func() bool) bool {
	f.at = append(f.at, s)
	defer func() { f.at = f.at[:len(f.at)-1] }()
	return fits()
}

func (f *fitter) list(s *shape, t *tree) bool {
	for i, element := range t.parts {
		ok := f.within(step{index: i}, func() bool { return f.element(s.elem, t, i, element) })
		if !ok {
			return false
		}
	}
	return true
}

func (f *fitter) dict(s *shape, t *tree) bool {
	for i := 0; i < len(t.parts); i++ {
		if t.parts[i].isNull() && s.elem.kind != freeKind {
			t.drop(i)
			i--
			continue
		}
		ok := f.within(member(t.names[i]), func() bool { return f.element(s.elem, t, i, t.parts[i]) })
		if !ok {
			return false
		}
	}
	return true
}

// element makes an element of a list, or a value of a map, fit. Where an object is wanted, a blank one takes its place.
func (f *fitter) element(s *shape, of *tree, i int, t *tree) bool {
	if (!t.isNull() || s.kind == freeKind) && f.fits(s, t) {
		return true
	}
	if object := s.object(); f.blank == nil || object == nil || !f.owns(object) {
		return false
	}
	of.parts[i] = f.blank(t)
	return true
}

func (f *fitter) object(s *shape, t *tree) bool {
	if s.hasBag && !f.bag(t) || f.gathers && hasTwice(t.names) {
		return false
	}
	for _, name := range slices.Clone(t.names) {
		part := t.member(name)
		if part == nil || part.isNull() || name == bagName && s.hasBag {
			continue
		}
		if !f.within(member(name), func() bool { return f.member(s, t, name, part) }) {
			return false
		}
	}
	return true
}

func hasTwice(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) < len(names)
}

// bag makes the property bag of an object one, if it is something else.
func (f *fitter) bag(t *tree) bool {
	bag := t.member(bagName)
	if bag == nil || bag.isNull() || bag.kind() == '{' {
		return true
	}
	if f.keep == nil {
		return false
	}
	t.remove(bagName)
	f.keep(t, bagName, bag)
	return true
}

func (f *fitter) member(s *shape, t *tree, name string, part *tree) bool {
	shape := s.memberShape(name)
	switch {
	case shape == nil && !f.gathers:
		return true
	case shape == nil:
		return s.hasBag && gather(t, name, part)
	case f.fits(shape, part):
		return true
	case f.keep == nil || !f.owns(s):
		return false
	}
	t.remove(name)
	f.keep(t, name, part)
	return true
}

// memberShape is the shape of a member, named by the type or additional; nil for one that the type does not have.
func (s *shape) memberShape(name string) *shape {
	switch f := s.member(name); {
	case f != nil:
		return f.shape
	case s.more != nil:
		return s.more.shape.elem
	}
	for _, embedded := range s.embedded {
		if shape := embedded.memberShape(name); shape != nil {
			return shape
		}
	}
	return nil
}

// gather moves a member to the property bag of its object, if the bag has no such entry.
func gather(t *tree, name string, part *tree) bool {
	if bag := t.member(bagName); bag != nil && bag.member(name) != nil {
		return false
	}
	t.remove(name)
	t.intoBag(name, part)
	return true
}

// intoBag puts an entry into the property bag of an object, which is made if it must be.
func (t *tree) intoBag(key string, value *tree) {
	bag := t.member(bagName)
	if bag == nil || bag.isNull() {
		bag = newObject()
		t.set(bagName, bag)
	}
	bag.look().set(key, value)
}
