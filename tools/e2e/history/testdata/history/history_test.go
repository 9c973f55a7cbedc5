package proofs

import (
	"fmt"
	"slices"
	"testing"
)

// object is something that is stored.
type object struct {
	stage    int    // that stored it
	version  string // that it was written in
	stored   []byte
	migrated []byte // the same, after a storage migration at every stage since
}

// history is what all stages so far have stored.
type history struct {
	stages  []generation
	objects []*object
}

// tell demands at every stage that what was stored at earlier ones is read as it was then, through every API version
// that there was then; and lets it store new objects through every API version that there is.
func tell(t *testing.T, stages ...generation) {
	h := history{stages: stages}
	for i, g := range stages {
		t.Run(g.name, func(t *testing.T) {
			h.read(t, i)
			h.store(t, i)
		})
	}
}

// failuresShown is how many failures of a stage are worth reading.
const failuresShown = 4

func (h *history) read(t *testing.T, stage int) {
	g, reads, failures := h.stages[stage], 0, 0
	for n, o := range h.objects {
		then := h.stages[o.stage]
		if err := h.same(stage, n, o); err != nil {
			if failures++; failures <= failuresShown {
				t.Errorf("%s: what was written through %s at %s (%s) is read otherwise: %v\nstored: %.2000s",
					g.because, o.version, then.name, then.because, err, o.stored)
			}
		}
		reads += len(then.versions)
	}
	if failures > 0 {
		t.Errorf("%d of %d objects are read otherwise", failures, len(h.objects))
	}
	if stage > 0 && reads == 0 {
		t.Error("nothing was stored before")
	}
	t.Logf("%s: %d objects read in %d ways", g.because, len(h.objects), reads)
}

// same demands that an object is read as the stage that stored it reads it: as it was stored, after migrations, and,
// where versions carry what they cannot show, after it was written back unchanged through one of them.
func (h *history) same(stage, n int, o *object) error {
	g, then := h.stages[stage], h.stages[o.stage]
	before, err := then.load(o.stored)
	if err != nil {
		return fmt.Errorf("as it was: %w", err)
	}
	if err := g.sees(o.stored, then, before); err != nil {
		return err
	}
	if err := g.sees(o.migrated, then, before); err != nil {
		return fmt.Errorf("after migrations: %w", err)
	}
	if o.migrated, err = g.migrate(o.migrated); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if !g.hides {
		return nil
	}
	label := then.versions[n%len(then.versions)].label
	if !g.has(label) {
		return nil
	}
	back, err := g.passed(o.stored, label)
	if err != nil {
		return fmt.Errorf("write back through %s: %w", label, err)
	}
	if err := g.sees(back, then, before); err != nil {
		return fmt.Errorf("after it was written back through %s: %w", label, err)
	}
	return nil
}

// sees demands that what is stored is read as the generation then reads it, through every version of then that is
// still there.
func (g generation) sees(stored []byte, then generation, before any) error {
	hub, err := g.load(stored)
	if err != nil {
		return err
	}
	united, err := g.unites(then, before)
	if err != nil {
		return err
	}
	for _, v := range then.versions {
		if !g.has(v.label) {
			continue
		}
		want, err := then.show(before, v.label)
		if err != nil {
			return fmt.Errorf("as it was: %w", err)
		}
		got, err := g.show(hub, v.label)
		if err != nil {
			return err
		}
		shown, wanted := united.forgive(tree(got), tree(want))
		if got, want := bagOf(shown), bagOf(wanted); g.hasTypesOf(then) && got != want {
			return fmt.Errorf("through %s the bag is %s, want %s", v.label, got, want)
		}
		if g.gains {
			overlook(shown, wanted, "status")
		}
		if d := differ(shown, wanted); d != "" {
			return fmt.Errorf("through %s %s", v.label, d)
		}
	}
	return nil
}

// bagOf returns status.propertyBag; empty if there is none.
func bagOf(object map[string]any) string {
	status, _ := object["status"].(map[string]any)
	bag, _ := status["propertyBag"].(string)
	return bag
}

// hasTypesOf reports whether two generations have the same API versions, with the same properties in each. They may
// differ in the hub. Then all bags have the same bytes, so that no client notices when the hub changes.
func (g generation) hasTypesOf(then generation) bool {
	return !g.gains && slices.Equal(g.renames, then.renames) && slices.Equal(g.derived, then.derived) &&
		slices.EqualFunc(g.versions, then.versions, func(a, b version) bool { return a.label == b.label })
}

func (g generation) has(label string) bool {
	for _, v := range g.versions {
		if v.label == label {
			return true
		}
	}
	return false
}

// store draws objects in every API version and stores them; every other one a client of another version then writes
// back as it reads it.
func (h *history) store(t *testing.T, stage int) {
	g := h.stages[stage]
	for _, v := range g.versions {
		drawn := 0
		v.draw(t, func(api any) {
			stored, err := g.stored(v.label, api, drawn)
			if err != nil {
				t.Errorf("store at %s through %s: %v", g.name, v.label, err)
				return
			}
			drawn++
			h.objects = append(h.objects, &object{stage, v.label, stored, stored})
		})
		if drawn == 0 {
			t.Errorf("no object was drawn of %s", v.label)
		}
	}
}

func (g generation) stored(label string, api any, n int) ([]byte, error) {
	drawn := tree(text(api))
	uncover(drawn)
	stored, err := g.write(label, text(drawn))
	if err != nil || n%2 == 0 {
		return stored, err
	}
	return g.passed(stored, g.versions[n/2%len(g.versions)].label)
}
