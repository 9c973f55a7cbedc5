package genruntime

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/stratakube/strata/runtime"
)

// hidden is a bag that was read, as far as Hide says what it holds.
type hidden struct {
	declared     []string
	fingerprints int64
	format       int64
	noStatus     bool
	original     *string
	shown        uint64
	raw          runtime.JSON
	spec, status runtime.JSON
}

// maxBag is how long a bag may be. No API server takes an object of this size.
const maxBag = 1 << 24

var (
	errBagSize   = errors.New("the bag is too long")
	errBagSyntax = errors.New("the bag is no JSON object")
)

// readHidden reads a bag. What it returns shares no memory with it.
func readHidden(bag string) (hidden, error) {
	if len(bag) > maxBag {
		return hidden{}, errBagSize
	}
	return hiddenIn([]byte(bag))
}

// hiddenIn is readHidden for a bag whose memory is shared.
func hiddenIn(bag []byte) (hidden, error) {
	var h hidden
	if len(bag) > maxBag {
		return h, errBagSize
	}
	if !eachMember(bag, h.set) {
		return h, errBagSyntax
	}
	if h.format != bagFormat {
		return h, fmt.Errorf("the bag's format is %d, not %d", h.format, bagFormat)
	}
	return h, nil
}

func (h *hidden) set(name []byte, value runtime.JSON) {
	c := cursor{data: value}
	switch string(name) {
	case "declared":
		for ok := c.take('['); ok && c.more(']'); {
			by, _ := c.text()
			h.declared = append(h.declared, by)
		}
	case "fingerprints":
		h.fingerprints = c.integer()
	case "format":
		h.format = c.integer()
	case "noStatus":
		h.noStatus = string(value) == "true"
	case originalVersion:
		if original, ok := c.text(); ok {
			h.original = &original
		}
	case "raw":
		h.raw = value
	case "shown":
		if prints, ok := unpack(unquoted(value)); ok && len(prints) == 1 {
			h.shown = prints[0]
		}
	case "spec":
		h.spec = value
	case "status":
		h.status = value
	}
}

// eachMember visits the members of a JSON object, and reports whether data is one.
func eachMember(data []byte, visit func(name []byte, value runtime.JSON)) bool {
	return (&cursor{data: data}).eachMember(visit)
}

// eachMember is the function of that name for all that a cursor has left.
func (c *cursor) eachMember(visit func(name []byte, value runtime.JSON)) bool {
	if !c.take('{') {
		return false
	}
	for first := true; !c.take('}'); first = false {
		if !first && !c.take(',') || c.peek() != '"' {
			return false
		}
		name := unquoted(c.raw())
		if !c.take(':') {
			return false
		}
		value := c.raw()
		if value == nil {
			return false
		}
		visit(name, value)
	}
	return c.peek() == 0 && c.at == len(c.data)
}

func (c *cursor) integer() int64 {
	n, err := strconv.ParseInt(string(c.raw()), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
