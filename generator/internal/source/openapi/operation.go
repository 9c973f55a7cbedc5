package openapi

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// bodyOf is the schema of what an operation is sent. It does not exist where nothing is.
func (u *unit) bodyOf(operation place) place {
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

// answerOf is the schema of what an operation answers when all is well.
func (u *unit) answerOf(operation place) place {
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

// content is the schema of what has several forms: that of JSON.
func (u *unit) content(of place) place {
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
		u.note(all, "content", "what is sent in no form of JSON is not read")
	}
	return all.at(nil)
}

// constraints are those of a parameter of a path: of Swagger the parameter itself, else
// its schema. The methods of a path may declare it, or the path.
func (u *unit) constraints(item place, name string) place {
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

// nameLimits says as a JSON schema what names of a resource must be like; empty where
// they may be anything.
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
