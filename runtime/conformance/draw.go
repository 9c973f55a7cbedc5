package conformance

import "unsafe"

// defaultBudget allows about 250 scalars. Thorough cases take longer, and have smaller objects.
const (
	defaultBudget  = 320
	thoroughBudget = 100
)

// isThorough reports whether a case tests more than the spoke law. Every tenth case does. It
// depends on the seed alone, so that a repeated case tests the same.
func isThorough(seed uint64) bool { return seed%10 == 0 }

// begin starts a new object. Consecutive seeds result in unrelated objects.
func (d *drawer) begin(seed uint64, budget int) {
	d.random = random(mix(seed))
	d.budget = budget
	if isThorough(seed) {
		d.budget = min(budget, thoroughBudget)
	}
	d.absent = densities[d.below(len(densities))]
}

// beginAt starts a new object that has a value at target, for any budget.
func (d *drawer) beginAt(seed uint64, budget int, target []*field) {
	d.random = random(mix(seed))
	d.budget = budget
	d.absent = densities[d.below(len(densities))]
	d.target = target
}

// drawField draws the value of a field, and reports whether it is neither absent nor empty. If
// the field is the first of the target, it is always present, and its first suitable value has
// the rest of the target.
func (d *drawer) drawField(f *field, p unsafe.Pointer) bool {
	if f.ignored && d.visible {
		return false
	}
	target := d.target
	d.target = nil
	must := len(target) > 0 && target[0] == f
	if must {
		d.target = target[1:]
	}
	filled := f.node.draw(d, p, must || f.always)
	d.target = target
	if must {
		d.target = nil
	}
	return filled
}

// least returns the smallest length of the current list or map: one if it is part of the target,
// else zero.
func (d *drawer) least() int {
	if d.target == nil {
		return 0
	}
	return 1
}

// densities are probabilities of absence, in 256ths: for sparse objects, medium ones, and two
// kinds of nearly full ones.
var densities = [...]uint64{200, 96, 32, 8}

// present decides whether an optional value is present.
func (d *drawer) present() bool {
	return d.budget > 0 && d.next()>>56 >= d.absent
}

// presentMap decides whether a map is present. A rare map has a quarter of the usual probability.
func (d *drawer) presentMap(sort dictSort) bool {
	return d.present() && (sort != rareDict || d.next()&3 == 0)
}

// length returns the length of a list: up to three, or zero if the budget is used up.
func (d *drawer) length() int {
	if d.budget <= 0 {
		return 0
	}
	return d.below(4)
}

// mapLength returns the number of entries of a map.
func (d *drawer) mapLength(sort dictSort) int {
	if sort == anyDict {
		return d.length()
	}
	return max(1, d.length())
}
