package conformance

import (
	"encoding/json"
	"fmt"
	"unsafe"
)

// provePathLaw checks that converting h down to y, and y up, has the same result as all steps
// together.
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

// proveJSON checks that the conversion of JSON converts h like ConvertFrom, and y like ConvertTo,
// unless it refuses them.
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

// proveStepsUp checks that all steps together convert y like ConvertTo.
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
	l.atlas.tally(l.programs.api.root, y, pathLaw)
	return nil
}

// proveParts checks that spec and status convert alone as they do with their object.
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
