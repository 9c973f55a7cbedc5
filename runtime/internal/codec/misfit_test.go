package codec

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// TestRoomForMisfits wants a buffer with room to stay where it is, and others to grow to twice
// their length.
func TestRoomForMisfits(t *testing.T) {
	const some = 64
	for _, test := range []struct {
		length, free, needed int
		stays                bool
	}{
		{0, some, 0, true},
		{0, some - 1, 0, false},
		{10, some + 5, 5, true},
		{10, some + 4, 5, false},
		{10, some + 6, 5, true},
		{1000, some, 1, false},
		{1000, some + 100, 100, true},
	} {
		out := make([]byte, test.length+1, test.length+test.free)[:test.length]
		copy(out, "text")
		got := jsontext.RoomFor(out, test.needed)
		if stays := cap(got) == cap(out); stays != test.stays {
			t.Errorf("a buffer of %d bytes with %d free stays for %d more: %t", test.length, test.free, test.needed, stays)
		}
		if string(got) != string(out) || cap(got)-len(got) < test.needed {
			t.Errorf("%d bytes of %d, with %d free, have room for %d", len(got), test.length, cap(got)-len(got), test.needed)
		}
		if !test.stays && cap(got) < 2*test.length {
			t.Errorf("a buffer of %d bytes grows to %d", test.length, cap(got))
		}
	}
}

// TestOwnersOfMisfits wants objects in lists, and no others, to count against their limit, each
// once.
func TestOwnersOfMisfits(t *testing.T) {
	m := &Misfits{Frames: framesOf(frame{kind: ObjectFrame}, frame{kind: ObjectFrame, repeats: true})}
	for range 3 {
		m.owner = 0
		m.own()
		m.owner = 1
		m.own()
	}
	if m.owners != 1 {
		t.Errorf("%d objects in lists have entries, want 1", m.owners)
	}
	for _, test := range []struct {
		reason   string
		owners   int
		frame    frame
		expected bool
	}{
		{"a further object in a list", maxOwners - 1, frame{repeats: true}, true},
		{"one too many", maxOwners, frame{repeats: true}, false},
		{"one that has entries", maxOwners, frame{repeats: true, kept: true}, true},
		{"one in no list", maxOwners, frame{}, true},
	} {
		m := &Misfits{owners: test.owners, Frames: framesOf(test.frame)}
		if got := m.hasRoom(); got != test.expected {
			t.Errorf("%s may have an entry: %t", test.reason, got)
		}
	}
}

// TestPathsOfMisfitsAreBounded checks that the paths of the first misfits are reported, none of
// them long, and that all misfits are counted.
func TestPathsOfMisfitsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 10*maxPath)
	m := &Misfits{Frames: framesOf(frame{kind: SectionFrame, name: "spec"}, frame{kind: memberFrame, name: "a"}, frame{kind: indexFrame, second: 7})}
	m.note("b", -1)
	m.note("", 3)
	m.note("", -1)
	for range 10 {
		m.Frames.push(frame{kind: keyFrame, name: long})
	}
	for range maxPaths {
		m.note(long, -1)
	}
	if want := "spec.a[7].b spec.a[7][3] spec.a[7]"; strings.Join(m.Paths[:3], " ") != want {
		t.Errorf("the paths are %q, want %s", m.Paths[:3], want)
	}
	if len(m.Paths) != maxPaths || m.Count != maxPaths+3 {
		t.Errorf("%d paths of %d places", len(m.Paths), m.Count)
	}
	if got, most := len(m.Paths[maxPaths-1]), 3*maxPath; got > most {
		t.Errorf("a path has %d bytes, at most %d wanted", got, most)
	}
}

func framesOf(all ...frame) (out Frames) {
	for _, f := range all {
		out.push(f)
	}
	return out
}

func TestBagOfStatusIsNoMisfit(t *testing.T) {
	for _, test := range []struct {
		reason string
		m      Misfits
		name   string
		want   bool
	}{
		{"that of the status", Misfits{Frames: framesOf(frame{name: "status"}, frame{})}, "propertyBag", true},
		{"in storage", Misfits{InBags: true, Frames: framesOf(frame{name: "status"}, frame{})}, "propertyBag", false},
		{"another member", Misfits{Frames: framesOf(frame{name: "status"}, frame{})}, "property", false},
		{"of the spec", Misfits{Frames: framesOf(frame{name: "spec"}, frame{})}, "propertyBag", false},
		{"deeper", Misfits{Frames: framesOf(frame{name: "status"}, frame{}, frame{})}, "propertyBag", false},
		{"of the root", Misfits{Frames: framesOf(frame{name: "status"})}, "propertyBag", false},
	} {
		if got := test.m.isStatusBag(test.name); got != test.want {
			t.Errorf("%s is the bag of a status: %t", test.reason, got)
		}
	}
}
