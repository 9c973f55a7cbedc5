package conformance

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"unsafe"
)

// trial holds the state of the test of one spoke.
type trial struct {
	spoke Spoke
	drawer
	encoder
	limit    int // largest number of values of an object
	api, hub *program
}

// isDrawn reports whether a thorough case tests a drawn hub object, and not a converted one.
// Every other one does.
func isDrawn(seed uint64) bool { return seed%20 == 0 }

// check tests a spoke and returns the first failure.
func (s Spoke) check(o options) error {
	p, err := s.compile(o.budget)
	if err != nil {
		return err
	}
	for i := range o.cases {
		seed := o.seed + uint64(i)
		if err := p.prove(seed); err != nil {
			return fmt.Errorf("case %d: %w\nto repeat it: STRATA_SEED=%#x STRATA_CASES=1\nx is %s", i, err, seed, p.show(seed))
		}
	}
	return p.api.checkCoverage(o.cases)
}

func (s Spoke) compile(budget int) (*trial, error) {
	p := &trial{spoke: s, limit: budget, encoder: newEncoder()}
	var err error
	if p.api, err = compileFor(s.apiSide.of, s.viaJSON); err != nil {
		return nil, err
	}
	p.api.keepSpec(s.apiSide.of)
	s.retyped.mark(p.api.root, map[*object]bool{})
	for _, path := range s.ignored {
		if err := p.api.ignore(path); err != nil {
			return nil, err
		}
	}
	if s.up != nil {
		p.hub, err = compile(s.hubSide.of)
	}
	return p, err
}

// draw returns the object of a case.
func (p *trial) draw(seed uint64) (unsafe.Pointer, error) {
	x := p.api.draw(&p.drawer, seed, p.limit)
	if !p.spoke.viaJSON {
		return x, nil
	}
	return p.through(p.api, x, p.spoke.decode)
}

func (p *trial) show(seed uint64) string {
	return describeUpTo(p.api.of, p.api.draw(&p.drawer, seed, p.limit), 8000)
}

// prove tests one case. A panic is a failure.
func (p *trial) prove(seed uint64) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	x, err := p.draw(seed)
	if err != nil {
		return err
	}
	if p.spoke.up != nil {
		if err := p.proveConversions(seed, x); err != nil {
			return err
		}
	}
	if !isThorough(seed) {
		return nil
	}
	return p.proveType(p.spoke.apiSide, p.api, x)
}

// proveConversions tests the conversions of x. A thorough case also tests the hub's type, with a
// drawn object or the converted x in turn.
func (p *trial) proveConversions(seed uint64, x unsafe.Pointer) error {
	h, err := p.proveSpokeLaw(x)
	if err != nil || !isThorough(seed) {
		return err
	}
	if err := p.proveSources(seed, x, h); err != nil {
		return err
	}
	if isDrawn(seed) {
		h = p.hub.draw(&p.drawer, seed, p.limit)
	}
	return p.proveType(p.spoke.hubSide, p.hub, h)
}

// proveSpokeLaw checks that down(up(x)) is x, and returns up(x).
func (p *trial) proveSpokeLaw(x unsafe.Pointer) (h unsafe.Pointer, err error) {
	h, back := p.hub.slab.take(1), p.api.slab.take(1)
	if err := p.spoke.up(x, h); err != nil {
		return nil, fmt.Errorf("up(x): %w", err)
	}
	if err := p.spoke.down(back, h); err != nil {
		return nil, fmt.Errorf("down(up(x)): %w", err)
	}
	if diff := p.api.compare(comparison{converted: true}, back, x); diff != nil {
		return nil, fmt.Errorf("down(up(x)) is not x at %v", diff)
	}
	return h, nil
}

// proveSources checks that up did not change x, and that down did not change up(x). It draws and
// converts x again for the comparison.
func (p *trial) proveSources(seed uint64, x, h unsafe.Pointer) error {
	x2, err := p.draw(seed)
	if err != nil {
		return err
	}
	h2 := p.hub.slab.take(1)
	if diff := p.api.compare(comparison{}, x, x2); diff != nil {
		return fmt.Errorf("up or down changed x at %v", diff)
	}
	if err := p.spoke.up(x2, h2); err != nil {
		return fmt.Errorf("up(x), again: %w", err)
	}
	if diff := p.hub.compare(comparison{}, h, h2); diff != nil {
		return fmt.Errorf("down changed up(x), or up is not deterministic, at %v", diff)
	}
	return nil
}

// proveType checks that an object's JSON preserves it, and that its deep copy is equal and shares
// no memory with it.
func (p *trial) proveType(s side, program *program, x unsafe.Pointer) error {
	data, err := p.encode(reflect.NewAt(s.of, x).Interface())
	if err != nil {
		return fmt.Errorf("write %v: %w", s.of, err)
	}
	read := program.slab.take(1)
	if err := p.spoke.decode(data, reflect.NewAt(s.of, read).Interface()); err != nil {
		return fmt.Errorf("read %v from %s: %w", s.of, shorten(string(data), 1000), err)
	}
	if diff := program.compare(comparison{}, read, x); diff != nil {
		return fmt.Errorf("the JSON of %v is not read as it was written at %v", s.of, diff)
	}
	if s.copy == nil {
		return nil
	}
	copied := program.slab.take(1)
	s.copy(x, copied)
	if diff := program.compare(comparison{apart: true}, copied, x); diff != nil {
		return fmt.Errorf("the deep copy of %v is wrong at %v", s.of, diff)
	}
	return nil
}
