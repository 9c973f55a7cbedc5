package genruntime

import (
	"errors"
	"fmt"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
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
	if !jsontext.EachMember(bag, h.set) {
		return h, errBagSyntax
	}
	if h.format != bagFormat {
		return h, fmt.Errorf("the bag's format is %d, not %d", h.format, bagFormat)
	}
	return h, nil
}

func (h *hidden) set(name []byte, value runtime.JSON) {
	c := jsontext.Cursor{Data: value}
	switch string(name) {
	case "declared":
		for ok := c.Take('['); ok && c.More(']'); {
			by, _ := c.Text()
			h.declared = append(h.declared, by)
		}
	case "fingerprints":
		h.fingerprints = c.Integer()
	case "format":
		h.format = c.Integer()
	case "noStatus":
		h.noStatus = string(value) == "true"
	case originalVersion:
		if original, ok := c.Text(); ok {
			h.original = &original
		}
	case "raw":
		h.raw = value
	case "shown":
		if prints, ok := fingerprint.Unpack(jsontext.Unquoted(value)); ok && len(prints) == 1 {
			h.shown = prints[0]
		}
	case "spec":
		h.spec = value
	case "status":
		h.status = value
	}
}
