package conformance

import (
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
	l.atlas.tally(l.programs.api.root, x, spokeLaw)
	return h, nil
}

// proveHubLaw checks that up(down(h)) is h, and returns both results, even if they differ. If
// asJSON is set, h and down(h) are written and read as JSON before they are converted.
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

// provePairLaw checks that an object x does not change when another version reads and writes it.
func (c *chain) provePairLaw(l, other *link, x, again unsafe.Pointer) error {
	c.proving = pairLaw
	back, err := l.down(c, again)
	if err != nil {
		return err
	}
	if diff := l.programs.api.compare(comparison{converted: true, soft: c.own}, back, x); diff != nil {
		return fmt.Errorf("%s, read and written by %s, is not as before at %v", l.label, other.label, diff)
	}
	l.atlas.tally(l.programs.api.root, x, pairLaw)
	c.pairs[[2]*link{l, other}]++
	return nil
}
