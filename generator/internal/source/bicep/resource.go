package bicep

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
)

// resource adds a resource version.
func (u *unit) resource(n document.Location) {
	c := &compiler{unit: u, file: u.file}
	root := c.scope.Root(n)
	c.known(n)
	typ, version := c.identity(n)
	from := model.Source{Kind: "bicep", File: u.path, Scope: c.scopes(n)}
	v := &model.Version{Name: version, Sources: []model.Source{from}, Pos: n.Pos()}
	if body, ok := c.follow(n.Member("body"), n, "body"); ok {
		v.Spec, v.Status = c.body(body, jsonschema.Spec), c.body(body, jsonschema.Status)
	}
	for d := c.scope.Oldest(); d != nil; d = c.scope.Oldest() {
		c.define(d)
	}
	if problems := c.scope.Problems(root); len(problems) > 0 {
		u.Reject(source.Broken{Type: typ, Version: version, Source: from}, problems...)
		return
	}
	v.Defs = model.Closure(v.Spec, v.Status)
	u.Declared = append(u.Declared, source.Declared{Type: typ, Version: v})
}

// identity returns the type and the version in a resource's name.
func (c *compiler) identity(n document.Location) (typ, version string) {
	name := n.Member("name")
	typ, version, _ = strings.Cut(name.Text(), "@")
	provider, rest, ok := strings.Cut(typ, "/")
	if !ok || provider == "" || rest == "" || version == "" {
		at := n
		if name.Exists() {
			at = name
		}
		c.scope.Fail(at.Errorf("the resource's name %q is not of the form provider/type@version", name.Text()).
			WithHint("such as \"Microsoft.Batch/batchAccounts@2014-04-04\""))
		return "", ""
	}
	for _, fault := range []source.Fault{source.TypeFault(typ), source.VersionFault(version)} {
		if fault.Exists() {
			c.scope.Fail(fault.At(name.Where()))
		}
	}
	return typ, version
}

// scopeNames are the names of scopes by bit.
var scopeNames = [...]string{"tenant", "managementGroup", "subscription", "resourceGroup", "extension"}

// scopes returns the scopes in which a resource can be written, or else read. Older files have one
// member for both.
func (c *compiler) scopes(n document.Location) string {
	for _, name := range [...]string{"writableScopes", "scopeType", "readableScopes"} {
		bits, ok := c.number(n.Member(name))
		if !ok || bits == 0 {
			continue
		}
		var out []string
		for i, scope := range scopeNames {
			if bits&(1<<i) != 0 {
				out = append(out, scope)
			}
		}
		if name == "readableScopes" {
			out = append(out, "readonly")
		}
		return strings.Join(out, "-")
	}
	return ""
}

// number returns the whole number of a member, if it has one.
func (c *compiler) number(n document.Location) (int, bool) {
	if !n.Exists() {
		return 0, false
	}
	i, err := strconv.Atoi(n.Number())
	if err != nil || i < 0 {
		c.scope.Fail(n.Errorf("%s must be a whole number from 0", n.Name()))
		return 0, false
	}
	return i, true
}
