package bicep

import (
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// plain compiles a type that becomes no definition.
func (c *compiler) plain(n document.Location, v jsonschema.View, fallback string) found {
	c.known(n)
	switch kind := n.Member("$type"); kind.Text() {
	case "StringType":
		l := model.Limits{Pattern: c.text(n.Member("pattern")), MinLength: c.count(n, "minLength"), MaxLength: c.count(n, "maxLength")}
		return found{&model.Scalar{Kind: model.String, Limits: jsonschema.Limits(l)}, n.Member("sensitive").IsTrue()}
	case "StringLiteralType":
		return found{&model.Enum{Values: c.literal(n)}, n.Member("sensitive").IsTrue()}
	case "IntegerType":
		l := model.Limits{Minimum: c.count(n, "minValue"), Maximum: c.count(n, "maxValue")}
		return found{typ: &model.Scalar{Kind: model.Int, Limits: jsonschema.Limits(l)}}
	case "BooleanType":
		return found{typ: &model.Scalar{Kind: model.Bool}}
	case "AnyType":
		return found{typ: &model.Any{}}
	case "UnionType":
		return c.union(n, v, fallback)
	case "ArrayType":
		elem := c.refer(n.Member("itemType"), n, "itemType", v, fallback)
		l := model.Limits{MinItems: c.count(n, "minLength"), MaxItems: c.count(n, "maxLength")}
		return found{&model.List{Elem: elem.typ, Limits: jsonschema.Limits(l)}, elem.secret}
	case "ObjectType":
		elem := c.refer(n.Member("additionalProperties"), n, "additionalProperties", v, fallback)
		return found{&model.Map{Elem: elem.typ}, elem.secret || n.Member("sensitive").IsTrue()}
	case "ResourceType", "ResourceFunctionType":
		c.scope.Fail(n.Errorf("a property cannot be of a %s", kind.Text()))
	case "":
		c.scope.Fail(n.Errorf("the type has no $type"))
	default:
		c.scope.Fail(kind.Errorf("a type of the kind %q is not known", kind.Text()))
	}
	return found{typ: &model.Any{}}
}

// count returns a limit as written.
func (c *compiler) count(n document.Location, name string) string {
	m := n.Member(name)
	if !m.Exists() {
		return ""
	}
	if m.Kind() != syntax.Number {
		c.scope.Fail(m.Errorf("%s must be a number, not %s", name, m.Kind()))
		return ""
	}
	return m.Number()
}

func (c *compiler) text(n document.Location) string {
	if n.Exists() && n.Kind() != syntax.String {
		c.scope.Fail(n.Errorf("%s must be a string, not %s", n.Name(), n.Kind()))
	}
	return n.Text()
}

// literal returns the JSON of a literal's value.
func (c *compiler) literal(n document.Location) []string {
	value := n.Member("value")
	if value.Kind() != syntax.String {
		c.scope.Fail(n.Errorf("a literal needs a value that is a string"))
		return nil
	}
	return []string{value.Constant()}
}

// union compiles a choice. Literals become an enum, which is open if there is a plain string among
// them. null is no branch.
func (c *compiler) union(n document.Location, v jsonschema.View, fallback string) found {
	list := n.Member("elements")
	if list.Kind() != syntax.List {
		c.scope.Fail(n.Errorf("a union needs elements"))
	}
	out, u := found{}, union{known: map[string]bool{}}
	for at := range list.All() {
		if i, ok := c.file.index(at.Member("$ref")); ok && c.file.types[i].Member("$type").Text() == "NullType" {
			continue
		}
		b := c.refer(at, n, "element", v, fallback)
		out.secret = out.secret || b.secret
		u.add(b.typ)
	}
	out.typ = u.typ()
	return out
}

// union collects the branches of a choice.
type union struct {
	branches []model.Type
	values   []string // of literals, each once
	known    map[string]bool
	text     model.Type // a plain string
}

func (u *union) add(t model.Type) {
	switch t := t.(type) {
	case *model.Enum:
		for _, value := range t.Values {
			if !u.known[value] {
				u.known[value] = true
				u.values = append(u.values, value)
			}
		}
		return
	case *model.Scalar:
		if t.Kind == model.String {
			u.text = t
			return
		}
	}
	u.branches = append(u.branches, t)
}

func (u *union) typ() model.Type {
	switch {
	case u.values != nil:
		u.branches = append(u.branches, &model.Enum{Values: u.values, Open: u.text != nil})
	case u.text != nil:
		u.branches = append(u.branches, u.text)
	}
	return jsonschema.Compiled{Type: jsonschema.Union(u.branches)}.Solid()
}
