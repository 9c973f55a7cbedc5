package conformance

import (
	"fmt"
	"runtime/debug"
	"unsafe"
)

// scale determines the size of the objects of a case, and the number of operations on them.
type scale struct {
	budget int // number of values of the first object
	writes int // largest number of writes before the laws are tested
	others int // number of other versions for which the laws are tested
}

var usualScale = scale{budget: 64, writes: 3, others: 3}

// prove tests all laws in one case. A panic is a failure.
func (c *chain) prove(seed uint64, s scale) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	l, round := c.first(seed)
	target := l.targets[round%uint64(len(l.targets))]
	c.beginAt(seed, s.budget, target.route)
	x := l.programs.api.slab.take(1)
	l.programs.api.root.draw(&c.drawer, x, true)
	c.target = nil
	if x, err = c.viaJSON(l, x); err != nil {
		return err
	}
	h, err := c.proveSpokeLaw(l, x)
	if err != nil {
		return err
	}
	if err := c.proveExpressed(l, h); err != nil {
		return err
	}
	if err := c.provePairs(l, x, h, round, s); err != nil {
		return err
	}
	aged, err := c.age(h, s.writes)
	if err != nil {
		return err
	}
	if err := c.proveLaws(l, target, aged, round, s); err != nil {
		return err
	}
	return c.proveCreator(l, target, h)
}

// first returns the first version of a case, and the number of earlier cases of that version.
// Both depend on the seed alone, so that a repeated case tests the same.
func (c *chain) first(seed uint64) (l *link, round uint64) {
	written := c.written()
	n := uint64(len(written))
	return written[seed%n], seed / n
}

// provePairs checks that other versions read and write x without loss.
func (c *chain) provePairs(l *link, x, h unsafe.Pointer, round uint64, s scale) error {
	for _, other := range c.others(l, round, s.others) {
		_, again, err := c.proveHubLaw(other, h, false)
		if err != nil {
			return fmt.Errorf("x is of %s: %w\nh is %s", l.label, err, describeUpTo(c.hub.store, h, 2000))
		}
		if err := c.provePairLaw(l, other, x, again); err != nil {
			return err
		}
	}
	return nil
}

// age writes a hub object through some versions, with some edits in each.
func (c *chain) age(h unsafe.Pointer, most int) (unsafe.Pointer, error) {
	written := c.written()
	for range c.below(most + 1) {
		l := written[c.below(len(written))]
		y, err := l.down(c, h)
		if err != nil {
			return nil, err
		}
		y = l.programs.api.copy(y)
		for range 1 + c.below(3) {
			c.edit(y, l.targets[c.below(len(l.targets))])
		}
		if y, err = c.viaJSON(l, y); err != nil {
			return nil, err
		}
		if h, err = l.up(c, y); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// proveLaws tests the laws for a hub object that several versions may have written.
func (c *chain) proveLaws(l *link, target *position, h unsafe.Pointer, round uint64, s scale) error {
	kept := c.hub.programs.store.copy(h)
	for _, other := range c.others(l, round+1, s.others) {
		if err := c.proveReading(other, h, c.next()&7 == 0); err != nil {
			return err
		}
	}
	if err := c.proveReading(l, h, false); err != nil {
		return err
	}
	next, err := c.proveWriting(l, target, h)
	if err != nil {
		return err
	}
	if diff := c.hub.programs.store.compare(comparison{}, h, kept); diff != nil {
		return fmt.Errorf("conversions changed h at %v", diff)
	}
	if err := c.proveReading(l, next, c.next()&7 == 0); err != nil {
		return err
	}
	if err := c.proveDamage(l, next); err != nil {
		return err
	}
	return c.proveForgedCovers(l, target, next)
}

// proveReading tests the laws for reading h through a version and writing it unchanged.
func (c *chain) proveReading(l *link, h unsafe.Pointer, asJSON bool) error {
	y, up, err := c.proveHubLaw(l, h, asJSON)
	if err != nil {
		return fmt.Errorf("%w\nh is %s", err, describeUpTo(c.hub.store, h, 2000))
	}
	l.atlas.tally(l.programs.api.root, y, hubLaw)
	if err := c.proveJSON(l, h, y, up); err != nil {
		return err
	}
	return c.provePathLaw(l, h, y, up)
}

// proveWriting tests the edit law at a position, and returns the resulting hub object.
func (c *chain) proveWriting(l *link, target *position, h unsafe.Pointer) (next unsafe.Pointer, err error) {
	w, err := c.write(l, h, target)
	if err != nil {
		return nil, err
	}
	if err := c.proveEditLaw(l, &w); err != nil {
		return nil, err
	}
	if err := c.proveStepsUp(l, w.after, w.hubNext); err != nil {
		return nil, err
	}
	if err := c.proveJSONUp(l, w.after, w.hubNext); err != nil {
		return nil, err
	}
	target.counts[editLaw]++
	return w.hubNext, nil
}
