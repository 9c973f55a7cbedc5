package conformance

import (
	"encoding/json"
	"fmt"
	"unsafe"
)

// proveSpokeLaw checks that down(up(x)) is x, and returns up(x).
func (c *chain) proveSpokeLaw(l *link, x unsafe.Pointer) (h unsafe.Pointer, err error) {
	c.proving = spokeLaw
	if h, err = l.up(c, x); err != nil {
		return nil, err
	}
	if err := c.hub.programs.store.proveKeys(h); err != nil {
		return nil, fmt.Errorf("%s: in storage %w", l.label, err)
	}
	back, err := l.down(c, h)
	if err != nil {
		return nil, err
	}
	if diff := l.programs.api.compare(comparison{converted: true}, back, x); diff != nil {
		return nil, fmt.Errorf("%s: down(up(x)) is not x at %v", l.label, diff)
	}
	l.places.tally(l.programs.api.root, x, spokeLaw)
	return h, nil
}

// proveHubLaw checks that up(down(h)) is h, and returns both, also where they differ. As JSON, h is
// written and read before it is converted, and so is down(h).
func (c *chain) proveHubLaw(l *link, h unsafe.Pointer, asJSON bool) (y, again unsafe.Pointer, err error) {
	c.proving = hubLaw
	stored := h
	if asJSON {
		if stored, err = c.through(c.hub.programs.store, h); err != nil {
			return nil, nil, err
		}
	}
	if y, err = l.down(c, stored); err != nil {
		return nil, nil, err
	}
	if asJSON {
		if y, err = c.through(l.programs.api, y); err != nil {
			return nil, nil, err
		}
	}
	if again, err = l.up(c, y); err != nil {
		return nil, nil, err
	}
	if diff := c.hub.programs.store.compare(comparison{soft: c.own}, again, h); diff != nil {
		return y, again, fmt.Errorf("%s: up(down(h)) is not h at %v\ndown(h) is %s", l.label, diff, describeUpTo(l.api, y, 2000))
	}
	return y, again, nil
}

// provePairLaw checks that x of one version is what it was after another version has read and
// written it.
func (c *chain) provePairLaw(l, other *link, x, again unsafe.Pointer) error {
	c.proving = pairLaw
	back, err := l.down(c, again)
	if err != nil {
		return err
	}
	if diff := l.programs.api.compare(comparison{converted: true, soft: c.own}, back, x); diff != nil {
		return fmt.Errorf("%s, read and written by %s, is not as before at %v", l.label, other.label, diff)
	}
	l.places.tally(l.programs.api.root, x, pairLaw)
	c.pairs[[2]*link{l, other}]++
	return nil
}

// provePathLaw checks that the conversions of h down to y, and of y up, are what all steps
// together make.
func (c *chain) provePathLaw(l *link, h, y, up unsafe.Pointer) error {
	c.proving = pathLaw
	s, err := l.descend(h)
	if err != nil {
		return err
	}
	stepped, err := l.fromOwn(s)
	if err != nil {
		return err
	}
	if diff := l.programs.api.compare(comparison{converted: true}, y, stepped); diff != nil {
		return fmt.Errorf("%s: ConvertFrom is not what the steps do at %v\nh is %s", l.label, diff, describeUpTo(c.hub.store, h, 2000))
	}
	if err := c.proveParts(l, h, y); err != nil {
		return err
	}
	return c.proveStepsUp(l, y, up)
}

// proveJSON checks that the conversion of JSON, where it does not refuse, makes of h what
// ConvertFrom does, and of y what ConvertTo does.
func (c *chain) proveJSON(l *link, h, y, up unsafe.Pointer) error {
	c.proving = pathLaw
	if err := c.sameAsJSON(l, false, c.hub.programs.store, h, l.programs.api, y); err != nil {
		return err
	}
	return c.proveJSONUp(l, y, up)
}

func (c *chain) proveJSONUp(l *link, y, up unsafe.Pointer) error {
	return c.sameAsJSON(l, true, l.programs.api, y, c.hub.programs.store, up)
}

func (c *chain) sameAsJSON(l *link, up bool, from *program, x unsafe.Pointer, to *program, want unsafe.Pointer) error {
	if c.json == nil {
		return nil
	}
	data, err := c.encode(at(from.of, x))
	if err != nil {
		return fmt.Errorf("write %v: %w", from.of, err)
	}
	converted, ok := c.json(l.label, up, data)
	if !ok {
		return nil
	}
	got := to.slab.take(1)
	if err := json.Unmarshal(converted, at(to.of, got)); err != nil {
		return fmt.Errorf("%s: as JSON, %s becomes %s: %w", l.label, data, converted, err)
	}
	if diff := to.compare(comparison{soft: c.own, converted: c.own}, got, want); diff != nil {
		return fmt.Errorf("%s: converted as JSON it is another at %v: %s becomes %s", l.label, diff, data, converted)
	}
	return nil
}

// proveStepsUp checks that all steps make of y what ConvertTo did.
func (c *chain) proveStepsUp(l *link, y, up unsafe.Pointer) error {
	s, err := l.toOwn(y)
	if err != nil {
		return err
	}
	stepped, err := l.climb(s)
	if err != nil {
		return err
	}
	if diff := c.hub.programs.store.compare(comparison{}, up, stepped); diff != nil {
		return fmt.Errorf("%s: ConvertTo is not what the steps do at %v\nof %s", l.label, diff, describeUpTo(l.api, y, 2000))
	}
	l.places.tally(l.programs.api.root, y, pathLaw)
	return nil
}

// proveParts checks that spec and status convert alone as they do with the rest.
func (c *chain) proveParts(l *link, h, y unsafe.Pointer) error {
	for _, p := range l.alone {
		if *(*unsafe.Pointer)(unsafe.Add(h, p.hub.offset)) == nil {
			continue
		}
		value, err := p.from(h)
		if err != nil && (l.forgives == nil || !l.forgives(err)) {
			return l.named("Convert"+p.name+"From", err)
		}
		how := comparison{converted: true}
		if !p.api.node.equal(&how, unsafe.Pointer(&value), unsafe.Add(y, p.api.offset)) {
			return fmt.Errorf("%s: Convert%sFrom is not what ConvertFrom does at %v", l.label, p.name, &how)
		}
	}
	return nil
}

// rewrite is what one write through a version did.
type rewrite struct {
	edit         edit
	y, after     unsafe.Pointer // as the client read and wrote it
	hub, hubNext unsafe.Pointer // before and after
}

// write reads h through a version, edits it at a place, and writes it.
func (c *chain) write(l *link, h unsafe.Pointer, at *place) (w rewrite, err error) {
	w.hub = h
	if w.y, err = l.down(c, h); err != nil {
		return w, err
	}
	w.after = l.programs.api.copy(w.y)
	w.edit = c.edit(w.after, at)
	l.keepNote(w.y, w.after)
	if fields := l.derived(at, w.edit.fields()); fields > 0 {
		w.edit.deriving(fields)
	}
	if w.after, err = c.settled(l, w.after); err != nil {
		return w, err
	}
	w.hubNext, err = l.up(c, w.after)
	return w, err
}

// proveEditLaw checks of a write that what users see of the object is what they wrote, and that
// what they do not see is where it was.
func (c *chain) proveEditLaw(l *link, w *rewrite) error {
	c.proving = editLaw
	before, err := l.descend(w.hub)
	if err != nil {
		return err
	}
	after, err := l.descend(w.hubNext)
	if err != nil {
		return err
	}
	if err := c.proveShown(l, w, before, after); err != nil {
		return l.edited(w, err)
	}
	hidden := &hiding{edit: &w.edit, comparison: comparison{soft: c.own}}
	if !hidden.same(l.programs.store.root, before, after, 0) {
		return l.edited(w, fmt.Errorf("what users do not see has changed at %v\nbefore %s\nafter  %s", &hidden.comparison,
			describeUpTo(l.store, before, 2000), describeUpTo(l.store, after, 2000)))
	}
	return l.edited(w, c.proveOriginal(l, w, before, after))
}

func (l *link) edited(w *rewrite, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %v: %w", l.label, &w.edit, err)
}

// proveShown checks that storage shows what the client wrote, which the conversion of an object
// without a bag tells. A status that was there for the bag alone is none.
func (c *chain) proveShown(l *link, w *rewrite, before, after unsafe.Pointer) error {
	if c.own {
		return c.proveShownAgain(l, w, after)
	}
	bare := l.programs.api.slab.copy(w.after, 1)
	if l.dropNote(bare); l.bag != nil {
		l.programs.api.copyStatus(l, bare)
	}
	want, err := l.toOwn(bare)
	if err != nil {
		return err
	}
	if status, err := l.programs.store.find("Status"); err == nil && w.edit.steps[0].tag != "status" {
		if *(*unsafe.Pointer)(unsafe.Add(before, status.offset)) == nil {
			*(*unsafe.Pointer)(unsafe.Add(want, status.offset)) = nil
		}
	}
	if diff := l.programs.store.compare(comparison{shown: true}, after, want); diff != nil {
		return fmt.Errorf("what users see is not what was written at %v\nread    %s\nwritten %s", diff,
			describeUpTo(l.api, w.y, 2000), describeUpTo(l.api, w.after, 2000))
	}
	return nil
}

// proveShownAgain checks that storage is shown as the client wrote it: it may hold what the Go
// type cannot.
func (c *chain) proveShownAgain(l *link, w *rewrite, after unsafe.Pointer) error {
	shown, err := l.fromOwn(after)
	if err != nil {
		return err
	}
	if diff := l.programs.api.compare(comparison{converted: true, soft: true}, shown, w.after); diff != nil {
		return fmt.Errorf("what users see is not what was written at %v\nread    %s\nwritten %s", diff,
			describeUpTo(l.api, w.y, 2000), describeUpTo(l.api, w.after, 2000))
	}
	return nil
}

// copyStatus gives an API object a status of its own without a bag.
func (p *program) copyStatus(l *link, object unsafe.Pointer) {
	if n, ok := l.status.node.(*pointer); ok {
		at := (*unsafe.Pointer)(unsafe.Add(object, l.status.offset))
		if *at == nil {
			return
		}
		*at = n.slab.copy(*at, 1)
	}
	*l.bagOf(object) = nil
}
