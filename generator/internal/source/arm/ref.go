package arm

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// follow resolves the text of a $ref. Some definitions of the common file are known without it.
func (u *unit) follow(text string, from *document.Document) *document.Target {
	url, fragment, _ := strings.Cut(text, "#")
	pointer := document.Unescape(fragment)
	if isCommon(url) || url == "" && isCommonFile(from) {
		if scalar, isExpression := template(pointer); scalar != nil {
			t := &document.Target{Type: scalar}
			u.expressions[t] = isExpression
			return t
		}
	}
	doc, problem := u.document(url, from)
	if doc == nil {
		return &document.Target{Problem: problem}
	}
	return doc.Find(pointer)
}

// document returns the file of a URL, or explains why there is none.
func (u *unit) document(url string, from *document.Document) (*document.Document, diag.Message) {
	if url == "" {
		return from, diag.Message{}
	}
	path, ok := u.lib.locate(url, from)
	switch {
	case !ok:
		return nil, absent(url)
	case path == from.Path:
		return from, diag.Message{}
	case path == u.doc.Path:
		return u.doc, diag.Message{}
	}
	doc, err := u.lib.refer(path)
	if err != nil {
		return nil, diag.Message{Text: "the reference leads to " + path + ", which cannot be read: " + source.MessageOf(err).Text}
	}
	if !slices.Contains(u.referred, doc) {
		u.referred = append(u.referred, doc)
	}
	return doc, diag.Message{}
}

func absent(url string) diag.Message {
	m := diag.Message{Text: "the reference leads to " + url + ", and no file below the root has that path or id"}
	if isCommon(url) {
		m.Hint = "put " + commonFile + ", which is published beside the folders of the versions, below the root"
	}
	return m
}
