package hidden

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
)

// Bag is a bag that was read, as far as Hide says what it holds.
type Bag struct {
	declared     []string
	Fingerprints int64
	format       int64
	NoStatus     bool
	Original     *string
	shown        uint64
	Raw          runtime.JSON
	Spec, Status runtime.JSON
}

// maxBag is how long a bag may be. No API server takes an object of this size.
const maxBag = 1 << 24

var (
	errBagSize   = errors.New("the bag is too long")
	errBagSyntax = errors.New("the bag is no JSON object")
)

// Read reads a bag. What it returns shares no memory with it.
func Read(bag string) (Bag, error) {
	if len(bag) > maxBag {
		return Bag{}, errBagSize
	}
	return ReadShared([]byte(bag))
}

// ReadShared is Read for a bag whose memory is shared.
func ReadShared(bag []byte) (Bag, error) {
	var h Bag
	if len(bag) > maxBag {
		return h, errBagSize
	}
	if !jsontext.EachMember(bag, h.set) {
		return h, errBagSyntax
	}
	if h.format != format {
		return h, fmt.Errorf("the bag's format is %d, not %d", h.format, format)
	}
	return h, nil
}

func (h *Bag) set(name []byte, value runtime.JSON) {
	c := jsontext.Cursor{Data: value}
	switch string(name) {
	case "declared":
		for ok := c.Take('['); ok && c.More(']'); {
			by, _ := c.Text()
			h.declared = append(h.declared, by)
		}
	case "fingerprints":
		h.Fingerprints = c.Integer()
	case "format":
		h.format = c.Integer()
	case "noStatus":
		h.NoStatus = string(value) == "true"
	case label.OriginalVersion:
		if original, ok := c.Text(); ok {
			h.Original = &original
		}
	case "raw":
		h.Raw = value
	case "shown":
		if prints, ok := fingerprint.Unpack(jsontext.Unquoted(value)); ok && len(prints) == 1 {
			h.shown = prints[0]
		}
	case "spec":
		h.Spec = value
	case "status":
		h.Status = value
	}
}

// MakesOriginal reports whether a write through a version makes it the original one: by changing
// the spec that is shown, or by declaring it anew.
func (h *Bag) MakesOriginal(shown uint64, declared func() []string) bool {
	if h.Fingerprints == fingerprint.Version && shown != h.shown {
		return true
	}
	return slices.ContainsFunc(declared(), func(by string) bool { return !slices.Contains(h.declared, by) })
}
