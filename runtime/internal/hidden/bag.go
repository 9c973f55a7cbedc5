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

// Bag is a bag that was read: the members that a writer writes.
type Bag struct {
	declared     []string
	fingerprints int64
	format       int64
	// NoStatus is set if the object had no status.
	NoStatus bool
	// Original is the original version that is stored; nil for none.
	Original *string
	shown    uint64
	// Raw is what Decode took out of the API object.
	Raw runtime.JSON
	// Spec and Status are what is hidden in these sections.
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
		h.fingerprints = c.Integer()
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

// trusts reports whether the fingerprints of the bag are of the version that this package makes.
func (h *Bag) trusts() bool { return h.fingerprints == fingerprint.Version }

// MakesOriginal reports whether a write through a version makes it the original one: by changing
// the spec that is shown, or by declaring it anew.
func (h *Bag) MakesOriginal(shown uint64, declared func() []string) bool {
	if h.trusts() && shown != h.shown {
		return true
	}
	return slices.ContainsFunc(declared(), func(by string) bool { return !slices.Contains(h.declared, by) })
}
