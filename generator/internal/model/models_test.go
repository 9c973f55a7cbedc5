package model

// handWritten returns models that together use every construct.
func handWritten() map[string][]*Resource {
	return map[string][]*Resource{
		"nothing":        nil,
		"empty resource": {{Type: "A/b"}},
		"no names":       {{Versions: []*Version{{Sources: []Source{{}}, Defs: []*Def{{Type: &Any{}}}}}}},
		"plural alone":   {{Type: "A/b", Plural: "bs"}},
		"odd kind":       {{Type: "A/b", Kind: "a b", Plural: `"`}},
		"raw":            {rawBox(), {Type: "Other/resource", Versions: []*Version{{Name: "v1"}, {Name: "v1", Spec: &Any{}}}}},
		"refined":        {refinedAccount()},
		"scalars":        oneVersion(scalars()),
		"limits":         oneVersion(limits()),
		"enums":          oneVersion(enums()),
		"names":          oneVersion(oddNames()),
		"docs":           oneVersion(oddDocs()),
		"nested":         oneVersion(nested()),
		"facts":          {factual()},
	}
}

func oneVersion(spec Type) []*Resource {
	return []*Resource{{Type: "A/b", Versions: []*Version{{Name: "v1", Spec: spec}}}}
}

func object(types ...Type) *Object {
	o := &Object{}
	for i, t := range types {
		o.Properties = append(o.Properties, &Property{Name: string(rune('a' + i)), Type: t})
	}
	return o
}

func scalars() Type {
	return object(&Scalar{}, &Scalar{Kind: Int}, &Scalar{Kind: Number}, &Scalar{Kind: Bool}, &Any{}, &Any{Reason: `a list, an "object"`})
}

func limits() Type {
	return object(
		&Scalar{Limits: &Limits{Format: "uuid"}},
		&Scalar{Limits: &Limits{Pattern: `^(a|b)\d\\"\n, minLength=3)$`, MinLength: "1", MaxLength: "20"}},
		&Scalar{Kind: Int, Limits: &Limits{Minimum: "-9223372036854775808", Maximum: "9007199254740993"}},
		&Scalar{Kind: Number, Limits: &Limits{Minimum: "0.10", Maximum: "1e+300", MultipleOf: "2.5E-3", ExclusiveMin: true, ExclusiveMax: true}},
		&List{Elem: &Scalar{Limits: &Limits{Format: "uri"}}, Limits: &Limits{MinItems: "0", MaxItems: "3", Unique: true}},
	)
}

func enums() Type {
	return object(
		&Enum{},
		&Enum{Values: []string{`"a"`, `""`, `"a, \"b\")"`, `"\u00e9\\"`, `"ü ☃"`, "\"\xff\""}},
		&Enum{Base: Int, Values: []string{"0", "-1", "9007199254740993"}},
		&Enum{Base: Number, Values: []string{"1.0", "-0", "1e2"}},
		&Enum{Base: Bool, Values: []string{"true", "false", "null"}},
		&Enum{Values: []string{`{"a":[1,{}],"":""}`, "[]"}},
	)
}

// names are names that a notation could misread.
var names = []string{
	"", " ", "a b", "5qi", "@odata.type", "$ref", "a.b/c-d_e", ".", "-", "!", "=", "*", "&a", `"`, `\`, "'", "`", "(", ")", ",",
	"\n", "\r\n", "\t", "\x00", "\x7f", "é", "☃", "𝒳", "\ufeff", "\ufffd", "\xff", "a\xc3", "\u2028",
	"spec", "def", "object", "string", "requires", "union", "readonly", "default", "true", "kind", "version",
}

func oddNames() Type {
	o := object()
	u := &Union{Discriminator: "a b"}
	for i, n := range names {
		o.Properties = append(o.Properties, &Property{Name: n, Type: &Scalar{}, Required: i%2 == 0})
		u.Cases = append(u.Cases, Case{Values: []string{`"x"`, "1"}, Allows: names[i:], Requires: names[:i:i]})
	}
	for i := range u.Cases {
		if i == 0 {
			u.Cases[i].Requires = nil
		}
	}
	o.Requires = names
	o.Union = u
	return o
}

func oddDocs() Type {
	o := object()
	for _, n := range names {
		o.Properties = append(o.Properties, &Property{Name: "p" + n, Doc: n + "\nand\n\n  more.\n", Type: &List{Elem: object(&Scalar{})}})
	}
	return o
}

func nested() Type {
	return &List{Elem: &List{Elem: &Map{Elem: &Object{
		Additional: &Map{Elem: &OneOf{Branches: []Type{
			&AllOf{},
			&AllOf{Parts: []Type{&Object{}, &Object{Union: &Union{}}, &List{Elem: &Object{Additional: &Object{Additional: &Any{}}}}}},
			&OneOf{},
		}}},
	}}}}
}

// factual returns a resource with facts at every position that allows them.
func factual() *Resource {
	facts := Facts{{"nullable", "true"}, {"a b", `{"x":["y ]",1]}`}}
	o := object(
		&Scalar{Facts: facts}, &Enum{Values: []string{"1"}, Facts: facts}, &Any{Facts: facts}, &Any{Reason: "r", Facts: facts},
		&List{Elem: &Map{Elem: &Object{Facts: facts}, Facts: facts}, Facts: facts, Limits: &Limits{MinItems: "1"}},
	)
	o.Facts = facts
	return &Resource{
		Type: "demo.example.com/gadgets", Kind: "Gadget", Plural: "gadgets", Group: "demo.example.com", Facts: facts,
		Versions: []*Version{{Name: "v1", Spec: o, AtRoot: true, Facts: facts, Status: &Object{Facts: facts}}},
	}
}

func rawBox() *Resource {
	base := &Def{Name: "Base", Type: &Object{
		Properties: []*Property{{Name: "kind", Type: &Scalar{}, Required: true}},
		Additional: &Any{Reason: "the schema says so"},
		Requires:   []string{"size", "odd name"},
	}}
	tree := &Def{Name: "a tree", Doc: "Refers to\nitself."}
	tree.Type = &OneOf{Branches: []Type{&Ref{Def: base}, &List{Elem: &Ref{Def: tree}}, &AllOf{Parts: []Type{&Ref{Def: tree}}}}}
	return &Resource{Type: "Microsoft.Demo/accounts/boxes", Versions: []*Version{{
		Name: "2019-08-01-preview",
		Sources: []Source{
			{Kind: "arm", File: "2019-08-01-preview/Microsoft.Demo.json", Scope: "resourceDefinitions"},
			{Kind: "arm", File: "more boxes.json"},
		},
		Spec: &Ref{Def: tree},
		Defs: []*Def{tree, base, {Name: "size", Type: &Scalar{Kind: Int}}},
	}}}
}

func refinedAccount() *Resource {
	var versions []*Version
	for _, name := range []string{"2018-01-01", "2019-08-01"} {
		account, shape := &Def{Name: "Account", Doc: "An account."}, &Def{Name: "Shape"}
		account.Type = &Object{Properties: []*Property{
			{Name: "id", Type: &Scalar{Kind: Int}, ReadOnly: true, Doc: "Who it is."},
			{Name: "key", Type: &Scalar{}, Secret: true, ReadOnly: true, Required: true, Wire: "a) key", Deprecated: "use b) or\n\"c\"", Default: `"a) b"`},
			{Name: "shape", Type: &Ref{Def: shape}, Doc: "How it looks.", Default: `{"kind":"round"}`},
		}}
		shape.Type = &Object{
			Properties: []*Property{{Name: "kind", Type: &Enum{Values: []string{`"round"`}}}, {Name: "inner", Type: &Ref{Def: shape}}},
			Union:      &Union{Discriminator: "kind", Cases: []Case{{Values: []string{`"round"`}, Allows: []string{"inner"}}}},
		}
		versions = append(versions, &Version{Name: name, Spec: &Ref{Def: account}, Status: &Ref{Def: shape}, Defs: []*Def{account, shape}})
	}
	return &Resource{Type: "Microsoft.Demo/accounts", Kind: "Account", Plural: "accounts", Versions: versions}
}
