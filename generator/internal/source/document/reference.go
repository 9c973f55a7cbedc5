package document

import (
	"net/url"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// Target is the target of a reference: a location, a type that the front-end knows without a
// schema, or nothing, with the reason.
type Target struct {
	Location
	Tokens  []string // of the pointer
	Type    model.Type
	Problem diag.Message // without a position
}

// References resolves references. The same text means the same everywhere in a document.
type References struct {
	follow func(text string, from *Document) *Target
	known  map[reference]*Target
}

// reference is the key of a resolved reference.
type reference struct {
	doc  *Document
	text string
}

// NewReferences returns references that follow resolves, once for each text in a document.
func NewReferences(follow func(text string, from *Document) *Target) *References {
	return &References{follow, map[reference]*Target{}}
}

// Resolve returns the target of the text of a $ref. It returns the same object for the same text in
// the same document.
func (r *References) Resolve(at Location) *Target {
	key := reference{at.doc, at.Text()}
	t := r.known[key]
	if t == nil {
		t = r.follow(key.text, at.doc)
		r.known[key] = t
	}
	return t
}

// Find returns the value that a JSON pointer leads to.
func (d *Document) Find(pointer string) *Target {
	tokens, ok := jsontree.Tokens(pointer)
	if !ok {
		return &Target{Problem: diag.Message{
			Text: "the reference's part after # is not a JSON pointer",
			Hint: "a pointer starts with a slash: #/definitions/" + pointer,
		}}
	}
	at := d.Root()
	for i, token := range tokens {
		next := at.child(token)
		if !next.Exists() {
			return &Target{Problem: missing(at, tokens, i)}
		}
		at = next
	}
	if !at.Exists() {
		return &Target{Problem: diag.Message{Text: "the reference has no target: " + d.Path + " is empty"}}
	}
	return &Target{Location: at, Tokens: tokens}
}

// missing reports that a pointer has no target, and suggests one.
func missing(last Location, tokens []string, i int) diag.Message {
	m := diag.Message{Text: "the reference has no target: " + last.doc.Path + " has no " + pointerTo(tokens[:i+1])}
	var names []string
	for member := range last.All() {
		names = append(names, member.Name())
	}
	slices.Sort(names)
	if near := diag.Nearest(tokens[i], names); near != "" {
		m = m.WithHint("did you mean %q?", "#"+pointerTo(slices.Concat(tokens[:i], []string{near}, tokens[i+1:])))
	}
	return m
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

func pointerTo(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteString("/" + escaper.Replace(token))
	}
	return b.String()
}

// Unescape decodes percent escapes, and leaves other text unchanged.
func Unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
