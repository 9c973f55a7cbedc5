package bicep

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// plain compiles a type that becomes no definition.
func (c *compiler) plain(n jsontree.Node, v view, place string) found {
	c.known(n)
	switch kind := n.Member("$type"); kind.Text() {
	case "StringType":
		l := &model.Limits{Pattern: c.text(n.Member("pattern")), MinLength: c.count(n, "minLength"), MaxLength: c.count(n, "maxLength")}
		return found{&model.Scalar{Kind: model.String, Limits: limits(l)}, n.Member("sensitive").IsTrue()}
	case "StringLiteralType":
		return found{&model.Enum{Values: c.literal(n)}, n.Member("sensitive").IsTrue()}
	case "IntegerType":
		l := &model.Limits{Minimum: c.count(n, "minValue"), Maximum: c.count(n, "maxValue")}
		return found{typ: &model.Scalar{Kind: model.Int, Limits: limits(l)}}
	case "BooleanType":
		return found{typ: &model.Scalar{Kind: model.Bool}}
	case "AnyType":
		return found{typ: &model.Any{}}
	case "UnionType":
		return c.union(n, v, place)
	case "ArrayType":
		elem := c.refer(n.Member("itemType"), n, "itemType", v, place)
		l := &model.Limits{MinItems: c.count(n, "minLength"), MaxItems: c.count(n, "maxLength")}
		return found{&model.List{Elem: elem.typ, Limits: limits(l)}, elem.secret}
	case "ObjectType":
		elem := c.refer(n.Member("additionalProperties"), n, "additionalProperties", v, place)
		return found{&model.Map{Elem: elem.typ}, elem.secret || n.Member("sensitive").IsTrue()}
	case "ResourceType", "ResourceFunctionType":
		c.fail(c.doc.errorf(n, "a property cannot be of a %s", kind.Text()))
	case "":
		c.fail(c.doc.errorf(n, "the type has no $type"))
	default:
		c.fail(c.doc.errorf(kind, "a type of the kind %q is not known", kind.Text()))
	}
	return found{typ: &model.Any{}}
}

// limits returns nil if there are no limits.
func limits(l *model.Limits) *model.Limits {
	if *l == (model.Limits{}) {
		return nil
	}
	return l
}

// count returns a limit as written.
func (c *compiler) count(n jsontree.Node, name string) string {
	m := n.Member(name)
	if !m.Exists() {
		return ""
	}
	if m.Kind() != jsontree.Number {
		c.fail(c.doc.errorf(m, "%s must be a number, not %s", name, m.Kind()))
		return ""
	}
	return m.Raw()
}

func (c *compiler) text(n jsontree.Node) string {
	if n.Exists() && n.Kind() != jsontree.String {
		c.fail(c.doc.errorf(n, "%s must be a string, not %s", n.Name(), n.Kind()))
	}
	return n.Text()
}

// literal returns the JSON of a literal's value.
func (c *compiler) literal(n jsontree.Node) []string {
	value := n.Member("value")
	if value.Kind() != jsontree.String {
		c.fail(c.doc.errorf(n, "a literal needs a value that is a string"))
		return nil
	}
	text, err := jsontext.AppendQuote(nil, value.Text())
	if err != nil {
		c.fail(c.doc.errorf(value, "the value is not a string: %v", err))
		return nil
	}
	return []string{plaintext.JSON(string(text))}
}

// union compiles a choice. Literals become an enum, which is open if there is a plain string among
// them. null is no branch.
func (c *compiler) union(n jsontree.Node, v view, place string) found {
	list := n.Member("elements")
	if list.Kind() != jsontree.Array {
		c.fail(c.doc.errorf(n, "a union needs elements"))
	}
	out := found{}
	var values []string
	var branches []model.Type
	text := model.Type(nil) // a plain string
	known := map[string]bool{}
	for at := range list.All() {
		if i, ok := c.doc.index(at.Member("$ref")); ok && c.doc.types[i].Member("$type").Text() == "NullType" {
			continue
		}
		b := c.refer(at, n, "element", v, place)
		out.secret = out.secret || b.secret
		switch t := b.typ.(type) {
		case *model.Enum:
			for _, value := range t.Values {
				if !known[value] {
					known[value] = true
					values = append(values, value)
				}
			}
		case *model.Scalar:
			if t.Kind == model.String {
				text = t
				continue
			}
			branches = append(branches, t)
		default:
			branches = append(branches, t)
		}
	}
	if values != nil {
		branches = append(branches, &model.Enum{Values: values, Open: text != nil})
	} else if text != nil {
		branches = append(branches, text)
	}
	switch len(branches) {
	case 0:
		out.typ = &model.Any{}
	case 1:
		out.typ = branches[0]
	default:
		out.typ = &model.OneOf{Branches: branches}
	}
	return out
}
