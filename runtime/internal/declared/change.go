package declared

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// Property is a property that a declared change sets.
type Property interface {
	// JSON returns the JSON of the value; nil if it is absent.
	JSON() runtime.JSON
	// Set sets the value; nil removes it. It returns an error, and leaves the value absent, if its
	// type cannot represent the JSON.
	Set(value runtime.JSON) error
}

// Keys are the names under which bags store what a change converts. ID identifies the change.
// Far is the key of the far value in the bag on the near side, and Near that of the near value in
// the bag on the far side.
type Keys struct{ ID, Far, Near string }

// To converts far to near, for a property with a declared change. The engine has restored near from
// the bag of near's object b, and stored far there. To converts far to near, and from is the
// inverse.
//
// A restored value stays if from converts it to far. Otherwise To converts far, and takes from the
// restored value only the parts that far does not determine. An absent far makes near absent. To
// removes far from the bag if from restores it from near. It is no error if one side cannot
// represent a value: the property is then absent there.
func To(m Keys, b *runtime.PropertyBag, far runtime.JSON, near Property, to, from operation.Operation) error {
	all := Take[Record](b, bag.RecordPrefix+m.ID)
	made, err := converted(far, near, to, from)
	switch {
	case all != nil && all.Values == Sum(far):
		bag.Set(b, m.Far, jsontext.Present(all.Before[m.Far]))
	case far != nil && jsontext.IsSame(applied(from, made, nil), far):
		bag.Set(b, m.Far, nil)
	}
	return err
}

// From is [To] in the other direction. B is the bag of far's object. If a later write without an
// edit would store another value on the near side, From records the earlier one in the bag.
func From(m Keys, b *runtime.PropertyBag, far Property, near runtime.JSON, to, from operation.Operation) error {
	before := far.JSON()
	made, err := converted(near, far, from, to)
	if near != nil && jsontext.IsSame(applied(to, made, nil), near) {
		bag.Set(b, m.Near, nil)
	}
	if before == nil {
		before = jsontext.Present((*b)[m.Far]) // it was not restored, and a write would replace it
	}
	left := made
	if made != nil && jsontext.IsSame(applied(from, near, nil), made) {
		left = nil
	}
	if before != nil && !isSameOrAbsent(left, before) {
		stash(b, bag.RecordPrefix+m.ID, &Record{Values: Sum(made), Before: map[string]runtime.JSON{m.Far: before}})
	}
	return err
}

// converted sets dst to the result of operation to for a value, and returns the JSON of dst. A
// restored dst stays if operation from converts it to value.
func converted(value runtime.JSON, dst Property, to, from operation.Operation) (runtime.JSON, error) {
	restored := dst.JSON()
	if restored != nil && isSameOrAbsent(applied(from, restored, value), value) {
		return restored, nil
	}
	made := applied(to, value, restored)
	if err := dst.Set(made); err != nil {
		return nil, err
	}
	return made, nil
}

func stash[T any](b *runtime.PropertyBag, key string, record *T) {
	bag.Set(b, key, codec.Entry(record))
}
