package conformance

import (
	"testing"
	"unsafe"
)

func TestEntriesOfBagsAreComparedByValue(t *testing.T) {
	for _, test := range []struct {
		reason, a, b string
		same         bool
	}{
		{"the same text", `{"a":1}`, `{"a":1}`, true},
		{"the order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"the order of elements", `[1,2]`, `[2,1]`, false},
		{"the spelling of numbers", `1.0`, `1`, true},
		{"exponents", `1e2`, `100`, true},
		{"integers beyond 2^53", `9007199254740993`, `9007199254740992`, false},
		{"another value", `"1"`, `1`, false},
		{"a null is no member", `{"a":null}`, `{}`, true},
		{"a null is an element", `[null]`, `[]`, false},
		{"absent is not empty", `{"a":[]}`, `{}`, false},
		{"members in a bag count as the object's", `{"a":1,"$propertyBag":{"b":2}}`, `{"a":1,"b":2}`, true},
		{"a live member wins over the bag's", `{"a":1,"$propertyBag":{"a":2}}`, `{"a":1}`, true},
		{"a bag that is none is a member", `{"$propertyBag":1}`, `{}`, false},
		{"more elements", `[1]`, `[1,1]`, false},
		{"what is no JSON is itself", `{`, `{`, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := sameEntry([]byte(test.a), []byte(test.b)); got != test.same {
				t.Errorf("%s and %s are the same: %v, want %v", test.a, test.b, got, test.same)
			}
		})
	}
}

// TestEditsChangeOneField edits at every position of an object. The original must not change, and
// both must be equal apart from the field of the first step.
func TestEditsChangeOneField(t *testing.T) {
	p := programOf[thing](t)
	a := newAtlas(p)
	var d drawer
	changes := map[deed]int{}
	for seed := range uint64(2000) {
		at := a.targets()[seed%uint64(len(a.targets()))]
		d.beginAt(seed, 30, nil)
		x := p.slab.take(1)
		p.root.draw(&d, x, true)
		kept, edited := p.copy(x), p.copy(x)
		e := d.edit(edited, at)
		changes[e.done]++
		if diff := p.compare(comparison{}, x, kept); diff != nil {
			t.Fatalf("seed %d: %v changed the object that was copied: %v", seed, &e, diff)
		}
		for _, f := range p.root.fields {
			where := comparison{}
			if f.name != e.steps[0].field && !f.node.equal(&where, unsafe.Add(x, f.offset), unsafe.Add(edited, f.offset)) {
				t.Fatalf("seed %d: %v changed %s too: %v", seed, &e, f.name, &where)
			}
		}
	}
	for _, done := range []deed{set, unset, changed, inserted, deleted, moved} {
		if changes[done] == 0 {
			t.Errorf("nothing was %v", done)
		}
	}
}

// TestTargetsAreDrawn checks that objects of any size have a value at the target of a case.
func TestTargetsAreDrawn(t *testing.T) {
	p := programOf[thing](t)
	a := newAtlas(p)
	var d drawer
	for i, at := range a.targets() {
		d.beginAt(uint64(i), 0, at.route)
		x := p.slab.take(1)
		p.root.draw(&d, x, true)
		a.tally(p.root, x, hubLaw)
		if at.counts[hubLaw] == 0 {
			t.Errorf("%s has no value in %s", at.path, describe(p.of, x))
		}
	}
}
