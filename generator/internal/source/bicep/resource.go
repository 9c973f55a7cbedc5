package bicep

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// resource adds a resource version.
func (u *unit) resource(n jsontree.Node) {
	c := &compiler{unit: u, doc: u.doc, names: map[string]bool{}, defs: map[defKey]*model.Def{}, reported: map[fault]bool{}}
	c.known(n)
	typ, version := c.identity(n)
	from := model.Source{Kind: "bicep", File: u.path, Scope: c.scopes(n)}
	v := &model.Version{Name: version, Sources: []model.Source{from}, Pos: u.doc.pos(n)}
	if body, ok := c.follow(n.Member("body"), n, "body"); ok {
		v.Spec, v.Status = c.body(body, spec), c.body(body, status)
	}
	c.drain()
	if len(c.problems) > 0 {
		slices.SortStableFunc(c.problems, func(a, b diag.Message) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
		u.reject(from, typ, version, c.problems...)
		return
	}
	v.Defs = model.Closure(v.Spec, v.Status)
	u.declared = append(u.declared, source.Declared{Type: typ, Version: v})
}

// identity returns the type and the version in a resource's name.
func (c *compiler) identity(n jsontree.Node) (typ, version string) {
	name := n.Member("name")
	typ, version, _ = strings.Cut(name.Text(), "@")
	provider, rest, ok := strings.Cut(typ, "/")
	if !ok || provider == "" || rest == "" || version == "" {
		at := n
		if name.Exists() {
			at = name
		}
		c.fail(c.doc.errorf(at, "the resource's name %q is not of the form provider/type@version", name.Text()).
			WithHint("such as \"Microsoft.Batch/batchAccounts@2014-04-04\""))
		return "", ""
	}
	for _, fault := range []source.Fault{source.TypeFault(typ), source.VersionFault(version)} {
		if fault.Exists() {
			c.problems = append(c.problems, fault.At(c.doc.where(name)))
		}
	}
	return typ, version
}

// scopeNames are the names of scopes by bit.
var scopeNames = [...]string{"tenant", "managementGroup", "subscription", "resourceGroup", "extension"}

// scopes returns the scopes in which a resource can be written, or else read. Older files have one
// member for both.
func (c *compiler) scopes(n jsontree.Node) string {
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
func (c *compiler) number(n jsontree.Node) (int, bool) {
	if !n.Exists() {
		return 0, false
	}
	i, err := strconv.Atoi(n.Raw())
	if err != nil || i < 0 {
		c.fail(c.doc.errorf(n, "%s must be a whole number from 0", n.Name()))
		return 0, false
	}
	return i, true
}
