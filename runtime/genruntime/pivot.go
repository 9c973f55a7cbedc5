package genruntime

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/stratakube/strata/runtime"
)

// SpecToVia converts src to dst through hub, a blank spec of src's hub to which src converts
// directly. If src has the hub's own type, SpecToVia calls dst.ConvertSpecFrom. Generated
// ConvertSpecTo methods end with a call of SpecToVia. For types of different kinds it fails with
// [runtime.ErrNotConvertible], and does not recurse.
func SpecToVia(src, hub, dst runtime.ConvertibleSpec) error { return specs.toVia(src, hub, dst) }

// SpecFromVia converts src to dst through hub, a blank spec of dst's hub from which dst converts
// directly. It is the counterpart of [SpecToVia] for ConvertSpecFrom.
func SpecFromVia(dst, hub, src runtime.ConvertibleSpec) error { return specs.fromVia(dst, hub, src) }

// StatusToVia is [SpecToVia] for a status.
func StatusToVia(src, hub, dst runtime.ConvertibleStatus) error { return statuses.toVia(src, hub, dst) }

// StatusFromVia is [SpecFromVia] for a status.
func StatusFromVia(dst, hub, src runtime.ConvertibleStatus) error {
	return statuses.fromVia(dst, hub, src)
}

// pivots converts values of one interface type to each other, each at most once through its own
// hub.
type pivots[C comparable] struct {
	to, from func(receiver, other C) error
	// asked has the pairs for which a side has called the conversion of the other. If both sides
	// call each other, neither can convert.
	asked sync.Map // pair[C] -> struct{}
}

type pair[C comparable] struct{ src, dst C }

var (
	specs    = &pivots[runtime.ConvertibleSpec]{to: runtime.ConvertibleSpec.ConvertSpecTo, from: runtime.ConvertibleSpec.ConvertSpecFrom}
	statuses = &pivots[runtime.ConvertibleStatus]{to: runtime.ConvertibleStatus.ConvertStatusTo, from: runtime.ConvertibleStatus.ConvertStatusFrom}
)

func (p *pivots[C]) toVia(src, hub, dst C) error {
	switch {
	case !arePointers(src, hub, dst):
		return notConvertible(src, dst)
	case isSameType(src, dst):
		return assign(src, dst)
	case isSameType(dst, hub):
		return notConvertible(src, dst)
	case isSameType(src, hub):
		return p.ask(src, dst, p.from, dst, src)
	default:
		return p.through(src, hub, dst)
	}
}

func (p *pivots[C]) fromVia(dst, hub, src C) error {
	switch {
	case !arePointers(dst, hub, src):
		return notConvertible(src, dst)
	case isSameType(src, dst):
		return assign(src, dst)
	case isSameType(src, hub):
		return notConvertible(src, dst)
	case isSameType(dst, hub):
		return p.ask(src, dst, p.to, src, dst)
	default:
		return p.through(src, hub, dst)
	}
}

func (p *pivots[C]) through(src, hub, dst C) error {
	if err := p.to(src, hub); err != nil {
		return err
	}
	return p.from(dst, hub)
}

// ask calls the conversion of the other side, unless that side has already called this one.
func (p *pivots[C]) ask(src, dst C, convert func(receiver, other C) error, receiver, other C) error {
	key := pair[C]{src, dst}
	if _, again := p.asked.LoadOrStore(key, struct{}{}); again {
		return notConvertible(src, dst)
	}
	defer p.asked.Delete(key)
	return convert(receiver, other)
}

// assign copies the value of src to dst. Both are pointers of one type.
func assign(src, dst any) error {
	reflect.ValueOf(dst).Elem().Set(reflect.ValueOf(src).Elem())
	return nil
}

func arePointers(values ...any) bool {
	for _, value := range values {
		if v := reflect.ValueOf(value); v.Kind() != reflect.Pointer || v.IsNil() {
			return false
		}
	}
	return true
}

func isSameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

func notConvertible(src, dst any) error {
	return fmt.Errorf("convert %T to %T: %w", src, dst, runtime.ErrNotConvertible)
}
