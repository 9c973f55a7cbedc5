package conformance

import "unsafe"

// defaultBudget allows about 250 scalars. Thorough cases, which cost more, have smaller objects.
const (
	defaultBudget  = 320
	thoroughBudget = 100
)

// isThorough reports whether a case proves more than the spoke law: every tenth does. It follows
// from the seed, so that a repeated case proves what it did.
func isThorough(seed uint64) bool { return seed%10 == 0 }

// begin starts a new object. Seeds that follow each other give unlike objects.
func (d *drawer) begin(seed uint64, budget int) {
	d.random = random(mix(seed))
	d.budget = budget
	if isThorough(seed) {
		d.budget = min(budget, thoroughBudget)
	}
	d.absent = densities[d.below(len(densities))]
}

// beginAt starts a new object that has a value at target, whatever its budget.
func (d *drawer) beginAt(seed uint64, budget int, target []*field) {
	d.random = random(mix(seed))
	d.budget = budget
	d.absent = densities[d.below(len(densities))]
	d.target = target
}

// drawField draws the value of a field. The first field of the target is drawn always, and the rest
// of the target within the first value that can hold it.
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

// least is how many elements the list or map at hand needs, so as to be on the way to the target or
// the target.
func (d *drawer) least() int {
	if d.target == nil {
		return 0
	}
	return 1
}

// densities are sparse objects, middling ones and two sorts of nearly full ones.
var densities = [...]uint64{200, 96, 32, 8}

// present decides whether an optional value is there.
func (d *drawer) present() bool {
	return d.budget > 0 && d.next()>>56 >= d.absent
}

// presentMap decides whether a map is there. One in four of the rare ones is that could be.
func (d *drawer) presentMap(sort dictSort) bool {
	return d.present() && (sort != rareDict || d.next()&3 == 0)
}

// length returns how many elements a list has: up to three, or none at the end of the budget.
func (d *drawer) length() int {
	if d.budget <= 0 {
		return 0
	}
	return d.below(4)
}

// mapLength returns how many entries a map has.
func (d *drawer) mapLength(sort dictSort) int {
	if sort == anyDict {
		return d.length()
	}
	return max(1, d.length())
}
