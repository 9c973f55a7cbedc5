package openapi

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// bodyOf returns the schema of an operation's request body, which may not exist.
func (u *unit) bodyOf(operation document.Location) document.Location {
	if u.dialect != swagger2 {
		return u.content(u.behind(operation.Member("requestBody"), u.fail))
	}
	for v := range operation.Member("parameters").All() {
		if p := u.behind(v, u.fail); p.Member("in").Text() == "body" {
			return p.Member("schema")
		}
	}
	return operation.None()
}

// answerOf returns the schema of an operation's successful response.
func (u *unit) answerOf(operation document.Location) document.Location {
	responses := operation.Member("responses")
	for _, status := range []string{"200", "201", "202", "2XX", "default"} {
		at := responses.Member(status)
		if !at.Exists() {
			continue
		}
		answer := u.behind(at, u.fail)
		schema := answer.Member("schema")
		if u.dialect != swagger2 {
			schema = u.content(answer)
		}
		if schema.Exists() {
			return schema
		}
	}
	return operation.None()
}

// content returns the JSON schema of a body that has several media types.
func (u *unit) content(of document.Location) document.Location {
	all := of.Member("content")
	if plain := all.Member("application/json"); plain.Exists() {
		return plain.Member("schema")
	}
	for v := range all.All() {
		if kind, _, _ := strings.Cut(strings.ToLower(v.Name()), ";"); strings.HasSuffix(kind, "json") || kind == "*/*" {
			return v.Member("schema")
		}
	}
	if all.Len() > 0 {
		u.notes.Add(all, "content", "a body that has no JSON form is ignored")
	}
	return all.None()
}

// constraints returns the constraints of a path parameter: in Swagger the parameter itself, else
// its schema. The methods of a path may declare it, or the path.
func (u *unit) constraints(item document.Location, name string) document.Location {
	for _, of := range []string{"put", "get", "post", ""} {
		list := item.Member("parameters")
		if of != "" {
			list = item.Member(of).Member("parameters")
		}
		for v := range list.All() {
			p := u.behind(v, func(diag.Message) {})
			if p.Member("in").Text() != "path" || p.Member("name").Text() != name {
				continue
			}
			if schema := p.Member("schema"); schema.Exists() {
				return u.behind(schema, func(diag.Message) {})
			}
			return p
		}
	}
	return item.None()
}

// nameLimits returns the constraints of a resource's name as a JSON schema; empty if there are
// none.
func (u *unit) nameLimits(r *resource) string {
	if !isParameter(r.name) {
		if strings.Contains(r.name, "{") {
			return ""
		}
		return `{"enum":[` + syntax.Quote(r.name) + `]}`
	}
	at := u.constraints(r.item, bare(r.name))
	var parts []string
	if enum := at.Member("enum"); enum.Kind() == syntax.List {
		parts = append(parts, `"enum":`+enum.JSON())
	}
	for _, key := range []string{"minLength", "maxLength"} {
		if n := at.Member(key).Number(); n != "" {
			parts = append(parts, syntax.Quote(key)+":"+n)
		}
	}
	if pattern := at.Member("pattern").Text(); pattern != "" {
		parts = append(parts, `"pattern":`+syntax.Quote(pattern))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}
