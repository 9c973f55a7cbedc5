package arm

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// commonFile is the end of the URL of the definitions that all templates share. Any host and
// folders may precede it.
const commonFile = "common/definitions.json"

func isCommon(url string) bool {
	url = strings.ToLower(url)
	return url == commonFile || strings.HasSuffix(url, "/"+commonFile)
}

// templateOnly are the members of the common resource bases that are for the template engine, and
// not part of the body of a PUT.
var templateOnly = map[string]bool{
	"condition": true, "dependsOn": true, "copy": true, "comments": true, "scope": true,
}

// resourceOnly are the members of a resource in a template that are not part of its body.
var resourceOnly = map[string]bool{"name": true, "type": true, "apiVersion": true, "resources": true}

// leavesOut reports whether a member at the root of a resource is not part of its body.
func (d *document) leavesOut(name string) bool {
	return resourceOnly[name] || d.common && templateOnly[name]
}

// template returns what the common file's definition of a name means if it is about expressions: a
// string that is an expression, or a value that may be one. It returns nil for all other
// definitions.
func template(pointer string) (scalar *model.Scalar, expression bool) {
	name, ok := strings.CutPrefix(pointer, "/definitions/")
	if !ok {
		return nil, false
	}
	switch strings.ToLower(name) {
	case "expression":
		return &model.Scalar{Kind: model.String}, true
	case "stringorexpression":
		return &model.Scalar{Kind: model.String}, false
	case "numberorexpression":
		return &model.Scalar{Kind: model.Number}, false
	case "integerorexpression", "intorexpression":
		return &model.Scalar{Kind: model.Int}, false
	case "booleanorexpression", "boolorexpression":
		return &model.Scalar{Kind: model.Bool}, false
	}
	return nil, false
}

// isExpression reports whether an alternative is the template expression, also through definitions
// and unions that contain nothing else.
func (c *compiler) isExpression(at location, depth int) bool {
	if depth == 0 {
		return false
	}
	if ref := at.node.Member("$ref"); ref.Kind() == jsontree.String {
		target := c.unit.resolve(at.at(ref))
		return target.expression || target.found() && c.isExpression(target.location, depth-1)
	}
	for _, key := range [...]string{"oneOf", "anyOf"} {
		if list := at.node.Member(key); list.Len() > 0 {
			return c.allExpressions(at.at(list), depth-1)
		}
	}
	return false
}

func (c *compiler) allExpressions(list location, depth int) bool {
	for branch := range list.node.All() {
		if !c.isExpression(list.at(branch), depth) {
			return false
		}
	}
	return true
}
