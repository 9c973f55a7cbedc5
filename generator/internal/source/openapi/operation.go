package openapi

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// bodyOf returns the schema of an operation's request body, which may not exist.
func (u *unit) bodyOf(operation location) location {
	if u.dialect != swagger2 {
		return u.content(u.behind(operation.member("requestBody"), u.fail))
	}
	for _, v := range operation.member("parameters").value.All() {
		if p := u.behind(operation.at(v), u.fail); p.member("in").value.Text() == "body" {
			return p.member("schema")
		}
	}
	return operation.at(nil)
}

// answerOf returns the schema of an operation's successful response.
func (u *unit) answerOf(operation location) location {
	responses := operation.member("responses")
	for _, status := range []string{"200", "201", "202", "2XX", "default"} {
		at := responses.member(status)
		if !at.exists() {
			continue
		}
		answer := u.behind(at, u.fail)
		schema := answer.member("schema")
		if u.dialect != swagger2 {
			schema = u.content(answer)
		}
		if schema.exists() {
			return schema
		}
	}
	return operation.at(nil)
}

// content returns the JSON schema of a body that has several media types.
func (u *unit) content(of location) location {
	all := of.member("content")
	if plain := all.member("application/json"); plain.exists() {
		return plain.member("schema")
	}
	for _, v := range all.value.All() {
		if kind, _, _ := strings.Cut(strings.ToLower(v.Name()), ";"); strings.HasSuffix(kind, "json") || kind == "*/*" {
			return all.at(v).member("schema")
		}
	}
	if len(all.value.All()) > 0 {
		u.note(all, "content", "a body that has no JSON form is ignored")
	}
	return all.at(nil)
}

// constraints returns the constraints of a path parameter: in Swagger the parameter itself, else
// its schema. The methods of a path may declare it, or the path.
func (u *unit) constraints(item location, name string) location {
	for _, of := range []string{"put", "get", "post", ""} {
		list := item.member("parameters")
		if of != "" {
			list = item.member(of).member("parameters")
		}
		for _, v := range list.value.All() {
			p := u.behind(list.at(v), func(diag.Message) {})
			if p.member("in").value.Text() != "path" || p.member("name").value.Text() != name {
				continue
			}
			if schema := p.member("schema"); schema.exists() {
				return u.behind(schema, func(diag.Message) {})
			}
			return p
		}
	}
	return item.at(nil)
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
	if enum := at.member("enum"); enum.value.Kind() == syntax.List {
		parts = append(parts, `"enum":`+enum.value.JSON())
	}
	for _, key := range []string{"minLength", "maxLength"} {
		if n := at.member(key).value.Number(); n != "" {
			parts = append(parts, syntax.Quote(key)+":"+n)
		}
	}
	if pattern := at.member("pattern").value.Text(); pattern != "" {
		parts = append(parts, `"pattern":`+syntax.Quote(pattern))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}
