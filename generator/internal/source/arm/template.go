package arm

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// commonFile is the end of the URL of the definitions that all templates share. Any host and
// folders may precede it.
const commonFile = "common/definitions.json"

func isCommon(url string) bool {
	rest := max(0, len(url)-len(commonFile))
	return strings.EqualFold(url[rest:], commonFile) && (rest == 0 || url[rest-1] == '/')
}

// isCommonFile reports whether a file has the definitions that all templates share.
func isCommonFile(doc *document.Document) bool { return isCommon(doc.Path) || isCommon(doc.ID) }

// templateOnly are the members of the common resource bases that are for the template engine, and
// not part of the body of a PUT.
var templateOnly = map[string]bool{
	"condition": true, "dependsOn": true, "copy": true, "comments": true, "scope": true,
}

// resourceOnly are the members of a resource in a template that are not part of its body.
var resourceOnly = map[string]bool{"name": true, "type": true, "apiVersion": true, "resources": true}

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

// expressionDepth is how many definitions and unions isExpression follows.
const expressionDepth = 4

// isExpression reports whether an alternative is the template expression, also through definitions
// and unions that contain nothing else.
func (u *unit) isExpression(at document.Location, depth int) bool {
	if depth == 0 {
		return false
	}
	if ref := at.Member("$ref"); ref.Kind() == syntax.String {
		t := u.references.Resolve(ref)
		return u.expressions[t] || t.Exists() && u.isExpression(t.Location, depth-1)
	}
	for _, key := range [...]string{"oneOf", "anyOf"} {
		if list := at.Member(key); list.Len() > 0 {
			return u.allExpressions(list, depth-1)
		}
	}
	return false
}

func (u *unit) allExpressions(list document.Location, depth int) bool {
	for branch := range list.All() {
		if !u.isExpression(branch, depth) {
			return false
		}
	}
	return true
}
