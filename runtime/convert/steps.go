package convert

import (
	"fmt"
	"strings"

	"github.com/stratakube/strata/runtime/internal/notation"
)

// planStep is one step of a plan, as its text has it.
type planStep []planMove

// planMove is what becomes of a member. The name that it does not have on a side is empty there.
type planMove struct {
	far, near string
	// step converts the objects in it; -1 for none.
	step int
	// up are the keys under which the near member lies in the far side's bag, down those under
	// which the far member lies in the near side's.
	up, down []planKey
}

// planKey is a key of a property bag.
type planKey struct {
	key     string
	written bool
	way     []int
}

func parseSteps(text string) ([]planStep, error) {
	var steps []planStep
	for part := range strings.SplitSeq(text, ";") {
		step, err := parseStep(part)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", len(steps), err)
		}
		steps = append(steps, step)
	}
	for i, step := range steps {
		for _, m := range step {
			if !m.isWithin(len(steps)) {
				return nil, fmt.Errorf("step %d: there is no such step as %s%s names", i, m.far, m.near)
			}
		}
	}
	return steps, nil
}

func (m *planMove) isWithin(steps int) bool {
	within := m.step < steps
	for _, keys := range [][]planKey{m.up, m.down} {
		for _, k := range keys {
			for _, step := range k.way {
				within = within && step < steps
			}
		}
	}
	return within
}

func parseStep(text string) (planStep, error) {
	var step planStep
	r := stepReader{notation.Reader{Text: text}}
	for r.Text != "" {
		m, ok := r.move()
		if !ok || r.Text != "" && !r.Take(" ") {
			return nil, fmt.Errorf("cannot read %q", r.Text)
		}
		step = append(step, m)
	}
	return step, nil
}

// stepReader reads a step.
type stepReader struct{ notation.Reader }

func (r *stepReader) move() (m planMove, ok bool) {
	m.step = -1
	m.far = r.memberName()
	m.near = m.far
	if r.Take(">") {
		m.near = r.memberName()
	}
	if r.Take("#") {
		if m.step, ok = r.Number(); !ok {
			return m, false
		}
	}
	if r.Take("^") {
		if m.up, ok = r.keys(); !ok {
			return m, false
		}
	}
	if r.Take("!") {
		if m.down, ok = r.keys(); !ok {
			return m, false
		}
	}
	return m, m.far != "" || m.near != ""
}

// memberName is a name, or the asterisk that stands for additional members.
func (r *stepReader) memberName() string {
	if r.Take("*") {
		return "*"
	}
	name, _ := r.Name()
	return name
}

func (r *stepReader) keys() (keys []planKey, ok bool) {
	for {
		name, ok := r.Name()
		if !ok {
			return nil, false
		}
		k := planKey{key: name, written: r.Take("=")}
		for r.Take("#") {
			step, ok := r.Number()
			if !ok {
				return nil, false
			}
			k.way = append(k.way, step)
		}
		keys = append(keys, k)
		if !r.Take(",") {
			return keys, true
		}
	}
}
