package goconv

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// plan writes the plan by which the runtime converts the JSON of objects.
func (f *function) plan(kv *plan.KindVersion) {
	if kv.JSONPlan == nil {
		return
	}
	name, hub := kv.Kind.Name, kv.Kind.Hub().Package
	f.P()
	f.P("var ", kv.PlanName, " = ", f.Convert("Plan"), "{Storage: &", name, "{}, Hub: &", f.Storage(hub, name),
		"{}, HubVersion: ", f.Storage(hub, "APIVersion"), statusStep(kv.JSONPlan), note(kv), f.held(kv.JSONPlan), f.steps(kv.JSONPlan), "}")
}

// statusStep states the step between statuses, if it differs from that between specs.
func statusStep(p *plan.JSONPlan) string {
	if p.Status == 0 {
		return ""
	}
	return ", StatusStep: " + strconv.Itoa(p.Status)
}

// note states that hidden values are stored in an annotation.
func note(kv *plan.KindVersion) string {
	if kv.Subresource {
		return ""
	}
	return ", Note: true"
}

// held lists empty objects of the types that bags store.
func (f *function) held(p *plan.JSONPlan) string {
	var all []string
	for _, h := range p.Held {
		all = append(all, strconv.Itoa(h.Step)+": &"+f.Stored(h.Type)+"{}")
	}
	if all == nil {
		return ""
	}
	return ", Held: []any{" + strings.Join(all, ", ") + "}"
}

// steps lists the steps of a plan; empty if there are none.
func (f *function) steps(p *plan.JSONPlan) string {
	var all []string
	for _, step := range p.Steps {
		var moves []string
		for _, m := range step {
			moves = append(moves, f.planMove(m))
		}
		all = append(all, "{"+strings.Join(moves, ", ")+"}")
	}
	if all == nil {
		return ""
	}
	return ", Steps: []" + f.Convert("Step") + "{" + strings.Join(all, ", ") + "}"
}

// planMove formats a move in the runtime's form. A member that only one side has is stored under
// its own name, unless another key is listed.
func (f *function) planMove(m plan.JSONMove) string {
	var fields []string
	add := func(name, value string) { fields = append(fields, name+": "+value) }
	if m.Far == m.Near {
		add("Name", quoted(m.Far))
	} else if m.Far != "" {
		add("Far", quoted(m.Far))
	}
	if m.Near != "" && m.Far != m.Near {
		add("Near", quoted(m.Near))
	}
	if m.Step != 0 {
		add("Step", strconv.Itoa(m.Step))
	}
	if m.Up != nil && !(m.Far == "" && isOnly(m.Up, m.Near)) {
		add("Up", f.planKeys(m.Up))
	}
	if m.Down != nil && !(m.Near == "" && isOnly(m.Down, m.Far)) {
		add("Down", f.planKeys(m.Down))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// isOnly reports whether the only key is the name of the member.
func isOnly(keys []plan.JSONKey, name string) bool {
	return len(keys) == 1 && keys[0].Name == name && keys[0].Steps == nil
}

func (f *function) planKeys(keys []plan.JSONKey) string {
	var all []string
	for _, k := range keys {
		key := "{Name: " + quoted(k.Name)
		if k.Written {
			key += ", Written: true"
		}
		if k.Steps != nil {
			key += ", Steps: []int{" + joined(k.Steps) + "}"
		}
		all = append(all, key+"}")
	}
	return "[]" + f.Convert("Key") + "{" + strings.Join(all, ", ") + "}"
}

func joined(numbers []int) string {
	var all []string
	for _, n := range numbers {
		all = append(all, strconv.Itoa(n))
	}
	return strings.Join(all, ", ")
}
