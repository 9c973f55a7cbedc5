package crd

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/plan"
)

// trim states which descriptions are preserved. depth counts levels from the root of an object;
// deeper members have no description.
type trim struct {
	name   string // empty if all descriptions are preserved
	cut    func(string) string
	depth  int
	status bool // whether a status has descriptions, which are those of the spec
	exact  bool // whether untrimmed descriptions keep their white space
	// others is the trim of the versions beside the hub's API version; nil for the same.
	others *trim
}

const everyDepth = 1 << 20

// The trims of the versions beside the hub's.
var (
	statusless      = trim{"", whole, everyDepth, false, false, nil}
	firstParagraphs = trim{"", paragraph, everyDepth, false, false, nil}
	firstSentences  = trim{"", sentence, everyDepth, false, false, nil}
	undocumented    = trim{"", whole, 0, false, false, nil}
)

// trims are tried one after the other until a CRD is small enough. The most useful descriptions
// are removed last: those of the hub's API version, the beginning of the text, near the root of the
// spec. Users who ask for an explanation without a version see the newest stable version.
var trims = []trim{
	{"", whole, everyDepth, true, false, nil},
	{"other versions: no descriptions in status", whole, everyDepth, true, false, &statusless},
	{"other versions: first paragraphs", whole, everyDepth, true, false, &firstParagraphs},
	{"other versions: first sentences", whole, everyDepth, true, false, &firstSentences},
	{"hub's version alone", whole, everyDepth, true, false, &undocumented},
	{"hub's version alone: no descriptions in status", whole, everyDepth, false, false, &undocumented},
	{"hub's version alone: first paragraphs", paragraph, everyDepth, false, false, &undocumented},
	{"hub's version alone: first sentences", sentence, everyDepth, false, false, &undocumented},
	{"hub's version alone: first sentences, down to level 7", sentence, 7, false, false, &undocumented},
	{"hub's version alone: first sentences, down to level 5", sentence, 5, false, false, &undocumented},
	{"hub's version alone: first sentences, down to level 4", sentence, 4, false, false, &undocumented},
	{"hub's version alone: first sentences, down to level 3", sentence, 3, false, false, &undocumented},
	{"no descriptions", whole, 0, false, false, nil},
}

// of returns the trim of a version.
func (t trim) of(kv *plan.KindVersion) trim {
	if t.others == nil || kv.IsHub() {
		return t
	}
	return *t.others
}

// trimsOf returns the trims between the first and the last that can differ for a kind: one with a
// single version has no others.
func trimsOf(k *plan.Kind) []trim {
	typed := 0
	for _, l := range k.Listed {
		if l.Form == plan.Typed {
			typed++
		}
	}
	out := trims[1 : len(trims)-1]
	if typed > 1 {
		return out
	}
	return slices.DeleteFunc(slices.Clone(out), func(t trim) bool { return t.others != &undocumented || t.status })
}

// plainest is the last trim.
var plainest = trims[len(trims)-1]

// text returns a trimmed text, without characters that terminals and editors do not show.
func (t trim) text(doc string, depth int, status bool) string {
	if depth > t.depth || status && !t.status {
		return ""
	}
	doc = plaintext.Lines(doc)
	if t.exact && t.name == "" {
		return doc
	}
	return t.cut(strings.TrimSpace(doc))
}

// member returns the trimmed description of a member, with its default.
func (t trim) member(f *plan.Field, depth int, native, status bool) string {
	doc := f.Property.Documentation()
	if f.Property.Default == "" || status || native && doc == "" {
		return t.text(doc, depth, status)
	}
	if doc != "" {
		doc += "\n"
	}
	return t.text(doc+"Default: "+f.Property.Default+".", depth, status)
}

func whole(s string) string { return s }

func paragraph(s string) string {
	for _, end := range []string{"\r\n\r\n", "\n\n", "<br>", "<br/>"} {
		s, _, _ = strings.Cut(s, end)
	}
	return strings.TrimSpace(s)
}

// sentence returns the text up to a full stop that is followed by a space and a capital, and is
// not that of "e.g.".
func sentence(s string) string {
	s = paragraph(s)
	for i := 2; i+2 < len(s); i++ {
		if s[i] == '.' && s[i-2] != '.' && (s[i+1] == ' ' || s[i+1] == '\n') && s[i+2] >= 'A' && s[i+2] <= 'Z' {
			return s[:i+1]
		}
	}
	return s
}
