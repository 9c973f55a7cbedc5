package goconv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plan"
)

// derive adds calls of the functions that derive properties from others. Each completes the
// conversion as a hand-written step does: values that no client has changed are restored exactly.
func (f *function) derive(t *plan.Step, d direction) {
	var moved []string
	for _, x := range t.Derived {
		if x.FillsFar() {
			f.calls = append(f.calls, f.fillFar(x, t, d))
		} else if x.Moved != nil {
			moved = append(moved, "&"+movedName(t, x))
		} else if x.Operation != nil {
			f.calls = append(f.calls, f.declared(x, t, d))
		} else if calls, field := towards(x, d); len(calls) > 0 {
			f.calls = append(f.calls, f.deriveCall(t, x, d, "dst."+field.Name+" != nil", deriveName(d, t, x), opposite(t, x, d)))
		}
	}
	if moved != nil {
		f.calls = append(f.calls, f.moved(moved, d))
		if t.Further != nil {
			f.call()
		}
	}
}

// moves reports whether a step has properties that move to other objects. They remove what they
// move from the bag, so the further members must still be there.
func moves(t *plan.Step) bool {
	return slices.ContainsFunc(t.Derived, func(x *plan.Derived) bool { return x.Moved != nil })
}

// fillFar returns the call that sets a property of the far side to its default. In the other
// direction, it returns the call that records whether a client has left the property absent.
func (f *function) fillFar(x *plan.Derived, t *plan.Step, d direction) string {
	field := quoted(x.Properties[0]) + ", " + quoted(x.Properties[1])
	if d == up {
		return f.Genruntime("FilledTo") + "(" + quoted(x.ID) + ", src, dst, src." + x.Far.Name + " == nil, " + field + ")"
	}
	return f.Genruntime("FillFrom") + "(" + quoted(x.ID) + ", dst, src, dst." + x.Far.Name + " == nil, " + deriveName(d, t, x) + ", " + field + ")"
}

// towards returns the functions of a direction, and the property that they set.
func towards(x *plan.Derived, d direction) ([]plan.Call, *plan.Field) {
	if d == up {
		return x.To, x.Near
	}
	return x.From, x.Far
}

// opposite returns the function that derives in the other direction; nil for a fill.
func opposite(t *plan.Step, x *plan.Derived, d direction) string {
	if x.FillsNear() {
		return "nil"
	}
	return deriveName(d.Back(), t, x)
}

func (f *function) deriveCall(t *plan.Step, x *plan.Derived, d direction, restored, assign, opposite string) string {
	verb, args := "DeriveTo", "src, dst"
	if d == down {
		verb, args = "DeriveFrom", "dst, src"
	}
	id := x.ID
	if id == "" {
		id = t.Near.StepName() + "." + x.Name()
	}
	call := f.Genruntime(verb) + "(" + quoted(id) + ", " + args + ", " + restored + ", " + assign + ", " + opposite
	for _, key := range x.Properties {
		call += ", " + quoted(key)
	}
	return call + ")"
}

// recordEmpty writes the code that records that an object lacks a property which others are given.
// On the way back, the property must stay absent.
func (f *function) recordEmpty(t *plan.Step, d direction) {
	for _, e := range t.Empties {
		if d == up {
			f.P("\tif src.", e.Far.Name, " == nil {")
			f.P("\t\t", f.Genruntime("RecordAbsent"), "(dst, ", quoted(e.Fills.ID), ")")
			f.P("\t}")
		}
	}
	for _, x := range t.Derived {
		if x.FillsNear() && d == down {
			f.P("\tif src.", x.Near.Name, " == nil {")
			f.fails("\t\t", f.deriveCall(t, x, d, "true", f.nothing(t), "nil"))
			f.P("\t}")
		}
	}
}

func recordsEmpty(t *plan.Step, d direction) bool {
	return d == down && slices.ContainsFunc(t.Derived, (*plan.Derived).FillsNear)
}

// nothing returns a step that has no effect.
func (f *function) nothing(t *plan.Step) string {
	return f.Genruntime("Nothing") + "[" + f.Stored(t.Far) + ", " + f.Stored(t.Near) + "]"
}

// deriveName returns the name of a function that derives a property.
func deriveName(d direction, t *plan.Step, x *plan.Derived) string {
	return "derive" + t.Name(d) + x.Name()
}

// derivation writes the functions that derive a property in both directions.
func (f *function) derivation(t *plan.Step, x *plan.Derived) {
	if x.Moved != nil {
		f.movedVariable(t, x)
		return
	}
	f.derivationOf(t, x, up, "src *"+f.Stored(t.Far)+", dst *"+f.Stored(t.Near))
	f.derivationOf(t, x, down, "dst *"+f.Stored(t.Far)+", src *"+f.Stored(t.Near))
}

func (f *function) derivationOf(t *plan.Step, x *plan.Derived, d direction, params string) {
	calls, dst := towards(x, d)
	if len(calls) == 0 {
		return
	}
	name := deriveName(d, t, x)
	header := "func " + name + "(" + params + ") error"
	f.P()
	if x.FillsNear() || x.FillsFar() {
		f.P("// ", name, " sets ", dst.Property.Name, " to ", named(calls), ", in objects of versions without it.")
		header = strings.NewReplacer("(src *", "(_ *", ", src *", ", _ *").Replace(header)
		f.Func(header, "return "+f.Genruntime("Fill")+"(&dst."+dst.Name+", "+f.piped(calls, "Given")+")")
		return
	}
	src := x.Far
	if d == down {
		src = x.Near
	}
	f.P("// ", name, " sets ", dst.Property.Name, " of dst to ", named(calls), " for ", src.Property.Name, " of src.")
	f.Func(header, "return "+f.Genruntime("Derive")+"(src."+src.Name+", &dst."+dst.Name+", "+f.piped(calls, "Sure")+")")
}

// declared returns the call that converts a property by a change that the user declares.
func (f *function) declared(x *plan.Derived, t *plan.Step, d direction) string {
	id, operations := quoted(t.ChangeID(x))+", &dst.PropertyBag, ", f.operation(*x.Operation, x.Near)+", "+f.operation(x.Operation.Inverse(), x.Far)+")"
	if d == up {
		return f.Genruntime("DeclareTo") + "(" + id + "src." + x.Far.Name + ", &dst." + x.Near.Name + ", " + quoted(x.Properties[1]) + ", " + operations
	}
	return f.Genruntime("DeclareFrom") + "(" + id + "&dst." + x.Far.Name + ", src." + x.Near.Name + ", " + quoted(x.NearKey) + ", " + quoted(x.Properties[1]) + ", " + operations
}

// moved returns the call that converts the properties which move to other objects.
func (f *function) moved(all []string, d direction) string {
	verb, args := "MoveTo", "src, dst, "
	if d == down {
		verb, args = "MoveFrom", "dst, src, "
	}
	return f.Genruntime(verb) + "(" + args + strings.Join(all, ", ") + ")"
}

// movedVariable writes the description of a property that moves.
func (f *function) movedVariable(t *plan.Step, x *plan.Derived) {
	f.P()
	f.P("// ", movedName(t, x), " moves ", strings.Join(x.Moved.Far.Path, "."), " to ", strings.Join(x.Moved.Near.Path, "."), ", and back.")
	f.P("var ", movedName(t, x), " = ", f.Genruntime("Moved"), "{ID: ", quoted(t.ChangeID(x)),
		", Far: ", f.movedEnd(x.Moved.Far), ", Near: ", f.movedEnd(x.Moved.Near),
		", To: ", f.operation(*x.Operation, x.Near), ", From: ", f.operation(x.Operation.Inverse(), x.Far), "}")
}

func (f *function) movedEnd(e plan.MovedEnd) string {
	out := f.Genruntime("MovedEnd") + "{Path: " + texts(e.Path)
	if len(e.Objects) > 0 {
		out += ", Objects: " + texts(e.Objects)
	}
	out += ", Key: " + quoted(e.Key)
	if len(e.Within) > 0 {
		out += ", Within: " + texts(e.Within)
	}
	return out + "}"
}

func texts(all []string) string { return "[]string{" + listed(all) + "}" }

// listed returns texts as arguments.
func listed(all []string) string {
	var out []string
	for _, text := range all {
		out = append(out, quoted(text))
	}
	return strings.Join(out, ", ")
}

// movedName returns the name of the variable that describes a property which moves. Properties of
// one name are numbered.
func movedName(t *plan.Step, x *plan.Derived) string {
	name, n := "moved"+t.Name(up)+x.Name(), 1
	for _, other := range t.Derived {
		if other == x {
			break
		}
		if other.Moved != nil && other.Name() == x.Name() {
			n++
		}
	}
	if n > 1 {
		name += strconv.Itoa(n)
	}
	return name
}

// operation returns the expression that converts a property by a declared change.
func (f *function) operation(o operation.Operation, dst *plan.Field) string {
	switch o.Kind {
	case operation.WrappedIn:
		return f.Genruntime("Wrap") + "(" + quoted(chain.StoredName(o.Text)) + ")"
	case operation.UnwrappedFrom:
		return f.Genruntime("Unwrap") + "(" + quoted(chain.StoredName(o.Text)) + ")"
	case operation.KeyedBy:
		return f.Genruntime("Key") + "(" + quoted(chain.StoredName(o.Text)) + ")"
	case operation.ListedBy:
		return f.Genruntime("List") + "(" + quoted(chain.StoredName(o.Text)) + ")"
	case operation.Split:
		return f.Genruntime("Split") + "(" + quoted(o.Text) + ")"
	case operation.Join:
		return f.Genruntime("Join") + "(" + quoted(o.Text) + ")"
	case operation.Factor:
		scale := "Scale"
		if dst.Type.Kind == model.Int {
			scale = "ScaleWhole"
		}
		return f.Genruntime(scale) + fmt.Sprintf("(%d, %d)", o.By, o.Over)
	case operation.Singular:
		return f.Genruntime("Singular") + "()"
	case operation.MovedTo:
		return f.Genruntime("Unchanged") + "()"
	case operation.Values:
		return f.Genruntime("Rename") + "(" + listed(o.Renames()) + ")"
	default:
		return f.Genruntime("Plural") + "()"
	}
}

// named describes, for a comment, the result of calls in their order.
func named(calls []plan.Call) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Name)
	}
	if value := calls[0].Value; value != "" {
		names[0] = value
		return strings.Join(names, ", and then the result of ")
	}
	return "the result of " + strings.Join(names, " and ")
}

// piped returns the composition of functions. first is the wrapper of the first function if that
// returns no error.
func (f *function) piped(calls []plan.Call, first string) string {
	out, pipe := f.author(calls[0], first), "Pipe"
	if first == "Given" {
		pipe = "PipeGiven"
	}
	for _, c := range calls[1:] {
		out = f.Genruntime(pipe) + "(" + out + ", " + f.author(c, "Sure") + ")"
	}
	return out
}

// author returns a function of the author, wrapped by sure if it returns no error.
func (f *function) author(c plan.Call, sure string) string {
	if c.Value != "" {
		return f.Genruntime("Constant") + "(" + quoted(c.Value) + ")"
	}
	name := f.Genruntime(c.Name)
	if c.Package != "" {
		name = f.Use(c.Package, "author", c.Name)
	}
	if c.Fails {
		return name
	}
	return f.Genruntime(sure) + "(" + name + ")"
}

// renamedValues returns the expression that gives an enum's values their names on the other side.
func (f *function) renamedValues(src string, pairs []string, d direction) string {
	pairs = slices.Clone(pairs)
	if d == down {
		slices.Reverse(pairs)
	}
	var out strings.Builder
	out.WriteString(f.Genruntime("Renamed") + "(" + src)
	for _, value := range pairs {
		out.WriteString(", " + quoted(value))
	}
	return out.String() + ")"
}
