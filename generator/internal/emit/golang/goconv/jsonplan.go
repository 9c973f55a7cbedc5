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
		"{}, HubVersion: ", f.Storage(hub, "APIVersion"), statusStep(kv.JSONPlan), annotation(kv), f.storedTypes(kv.JSONPlan), f.steps(kv.JSONPlan), f.changes(kv.JSONPlan), f.sequences(kv.JSONPlan), "}")
}

// statusStep states the step between statuses, if it differs from that between specs.
func statusStep(p *plan.JSONPlan) string {
	if p.Status == 0 {
		return ""
	}
	return ", StatusStep: " + strconv.Itoa(p.Status)
}

// annotation states that hidden values are stored in an annotation.
func annotation(kv *plan.KindVersion) string {
	if kv.Subresource {
		return ""
	}
	return ", Annotation: true"
}

// storedTypes lists empty objects of the types that bags store.
func (f *function) storedTypes(p *plan.JSONPlan) string {
	var all []string
	for _, h := range p.StoredTypes {
		all = append(all, strconv.Itoa(h.Step)+": &"+f.Stored(h.Type)+"{}")
	}
	if all == nil {
		return ""
	}
	return ", StoredTypes: []any{" + strings.Join(all, ", ") + "}"
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

// changes lists the declared changes of a plan; empty if there are none.
func (f *function) changes(p *plan.JSONPlan) string {
	var all []string
	for _, c := range p.Changes {
		d, ends := c.Derived, c.Derived.Ends()
		var of []string
		if c.Step != 0 {
			of = append(of, "Step: "+strconv.Itoa(c.Step))
		}
		if d.Moved != nil {
			of = append(of, "Moves: true")
		}
		of = append(of, "Property: "+f.Genruntime("Moved")+"{ID: "+quoted(c.Of.ChangeID(d))+", Far: "+f.movedEnd(ends.Far)+", Near: "+f.movedEnd(ends.Near)+
			", To: "+f.operation(*d.Operation, d.Near)+", From: "+f.operation(d.Operation.Inverse(), d.Far)+"}")
		all = append(all, "{"+strings.Join(of, ", ")+"}")
	}
	if all == nil {
		return ""
	}
	return ", Changes: []" + f.Convert("Change") + "{" + strings.Join(all, ", ") + "}"
}

// sequences lists the steps of a plan that consist of others; empty if there are none.
func (f *function) sequences(p *plan.JSONPlan) string {
	var all []string
	for _, s := range p.Sequences {
		var of, between []string
		if s.Step != 0 {
			of = append(of, "Step: "+strconv.Itoa(s.Step))
		}
		for _, t := range s.Between {
			between = append(between, "&"+f.Stored(t)+"{}")
		}
		of = append(of, "Parts: []int{"+joined(s.Parts)+"}", "Between: []any{"+strings.Join(between, ", ")+"}")
		all = append(all, "{"+strings.Join(of, ", ")+"}")
	}
	if all == nil {
		return ""
	}
	return ", Sequences: []" + f.Convert("Sequence") + "{" + strings.Join(all, ", ") + "}"
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
	if m.Values != nil {
		add("Values", texts(m.Values))
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
