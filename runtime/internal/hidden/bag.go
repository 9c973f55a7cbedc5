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

// Bag has the members of a bag that was read.
type Bag struct {
	declared     []string
	fingerprints int64
	format       int64
	// NoStatus reports that the object had no status.
	NoStatus bool
	// Original is the stored original version, and nil if there is none.
	Original *string
	visible  uint64
	// Raw has the values that Decode removed from the API object.
	Raw runtime.JSON
	// Spec and Status are the hidden values in these sections.
	Spec, Status runtime.JSON
}

// maxBag is the largest length of a bag. No API server accepts an object of this size.
const maxBag = 1 << 24

var (
	errBagSize   = errors.New("the bag is too long")
	errBagSyntax = errors.New("the bag is no JSON object")
)

// Read reads a bag. The result shares no memory with the bag.
func Read(bag string) (Bag, error) {
	if len(bag) > maxBag {
		return Bag{}, errBagSize
	}
	return ReadShared([]byte(bag))
}

// ReadShared is Read, but the result shares the memory of the bag.
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
			h.visible = prints[0]
		}
	case "spec":
		h.Spec = value
	case "status":
		h.Status = value
	}
}

// trusts reports whether the fingerprints of the bag have the version that this package makes.
func (h *Bag) trusts() bool { return h.fingerprints == fingerprint.Version }

// MakesOriginal reports whether a write through a version makes it the original version: it
// changes the visible spec, or newly declares this version. Visible is the fingerprint of the spec.
func (h *Bag) MakesOriginal(visible uint64, declared func() []string) bool {
	if h.trusts() && visible != h.visible {
		return true
	}
	return slices.ContainsFunc(declared(), func(by string) bool { return !slices.Contains(h.declared, by) })
}
