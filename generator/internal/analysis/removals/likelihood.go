package removals

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// candidates compares the new properties of the next version with a property that ends.
func (s *search) candidates(o spot, l *chain.Lineage, next *chain.Version) []Candidate {
	return s.compared(o, l, next, func(*chain.Lineage) bool { return true })
}

// compared compares a property that ends with the new ones of a version that begins accepts.
func (s *search) compared(o spot, l *chain.Lineage, next *chain.Version, begins func(*chain.Lineage) bool) []Candidate {
	var fresh []*chain.Lineage
	for _, c := range o.place.Lineages {
		if o.isFresh(c, next) && begins(c) {
			fresh = append(fresh, c)
		}
	}
	var out []Candidate
	for _, c := range fresh {
		in, isInTime := s.changedIn(o, l, c, next)
		w := &weighing{
			old: l.Live[o.version.Index], new: c.Live[next.Index],
			position: o.position(l, o.version), newPosition: o.position(c, next),
			alone: len(fresh) == 1, isLate: !isInTime || s.isMade(o, l.Live[o.version.Index]), in: in,
		}
		if found := w.candidate(); found.Change != "" && in != "" || !s.isInPreview(o, c, next) {
			out = append(out, found)
		}
	}
	return out
}

// laterCandidates compares a property that ends with the new properties of a later version,
// because versions between may lack the property. It uses the first version after the next one
// that has new properties.
func (s *search) laterCandidates(o spot, l *chain.Lineage, next *chain.Version) []Candidate {
	for _, v := range o.place.Resource.Versions[next.Index+1:] {
		if v.Leaf || o.place.Defs[v.Index] == nil {
			continue
		}
		fresh := s.candidatesAfter(o, l, v)
		for i := range fresh {
			fresh[i].Version = v.Model.Name
			fresh[i].Likelihood = math.Round(fresh[i].Likelihood*later*100) / 100
			fresh[i].Why = append(fresh[i].Why, "new in "+v.Model.Name)
		}
		if len(fresh) > 0 {
			return fresh
		}
	}
	return nil
}

// candidatesAfter returns the candidates of a version after the next one. No earlier version of
// the main line has any of them.
func (s *search) candidatesAfter(o spot, l *chain.Lineage, v *chain.Version) []Candidate {
	begins := func(c *chain.Lineage) bool {
		return !slices.ContainsFunc(o.place.Resource.Versions[:v.Index], func(w *chain.Version) bool { return !w.Leaf && c.Live[w.Index] != nil })
	}
	return s.compared(o, l, v, begins)
}

// isInPreview reports whether a preview between two versions was generated with a lineage. A rename
// to the lineage's name would separate the preview's property from that of the next version.
func (s *search) isInPreview(o spot, c *chain.Lineage, next *chain.Version) bool {
	return s.Known != nil && s.isKnown(c, func(v *chain.Version) bool {
		return v.Leaf && v.Index > o.version.Index && v.Index < next.Index
	})
}

// isFresh reports whether a lineage begins in the next version, and did not exist before.
func (o spot) isFresh(c *chain.Lineage, next *chain.Version) bool {
	q := c.Live[next.Index]
	if q == nil || q.Name == chain.AdditionalName || c.Live[o.version.Index] != nil {
		return false
	}
	for _, v := range o.place.Resource.Versions[:o.version.Index] {
		if !v.Leaf && c.Live[v.Index] != nil {
			return false
		}
	}
	return true
}

// position returns the position of a lineage among an object's members, from 0 to 1.
func (o spot) position(l *chain.Lineage, v *chain.Version) float64 {
	all := o.place.Members(v.Index)
	return float64(slices.Index(all, l.Live[v.Index])) / float64(max(1, len(all)-1))
}

// weighing compares one property with another.
type weighing struct {
	old, new              *model.Property
	position, newPosition float64
	alone                 bool   // the only new one
	isLate                bool   // no change can be declared
	in                    string // the version that a change must name; empty for none
}

// The weights of the criteria for a rename. Unknown criteria have none.
const (
	weighName     = 0.45
	weighType     = 0.30
	weighDoc      = 0.15
	weighPosition = 0.05
	weighAlone    = 0.05
)

// otherwiseTyped is the factor for a likelihood if the types have nothing in common. It prevents a
// proposal, however similar the names are.
const otherwiseTyped = 0.7

// otherUnit is the factor for a likelihood if the names have different units, without a known
// factor between them. It prevents a proposal, which would give values another meaning.
const otherUnit = 0.5

func (w *weighing) candidate() Candidate {
	name, typ := likeNames(w.old.Name, w.new.Name), likeTypes(w.old.Type, w.new.Type)
	change, ok := w.change()
	if ok {
		name, typ = max(name, w.whole(change)), max(typ, 0.5)
	}
	position := 1 - math.Abs(w.position-w.newPosition)
	sum := weighName*name + weighType*typ + weighPosition*position
	total := weighName + weighType + weighPosition + weighAlone
	out := Candidate{Name: w.new.Name, Why: []string{fmt.Sprintf("name %d %%", percent(name)), typeReason(typ)}}
	if w.old.Doc != "" && w.new.Doc != "" {
		doc := likeDocs(w.old.Doc, w.new.Doc)
		sum, total = sum+weighDoc*doc, total+weighDoc
		out.Why = append(out.Why, docReason(doc))
	}
	if w.alone {
		sum += weighAlone
		out.Why = append(out.Why, "nothing else is new")
	}
	switch {
	case typ == 0:
		sum *= otherwiseTyped
	case !ok && isOtherUnit(w.old.Name, w.new.Name):
		sum *= otherUnit
	}
	if ok {
		out.Change = declared(change.Operation, w.in)
		if why := change.why; change.Kind != operation.Plural && change.Kind != operation.Singular {
			out.Why = append(out.Why, why)
		}
	}
	out.Likelihood = math.Round(sum/total*100) / 100
	return out
}

// change returns the change that the properties suggest, and false for none.
func (w *weighing) change() (suggestion, bool) {
	s, ok := suggest(w.old, w.new)
	return s, ok && !w.isLate
}

// whole returns how alike the names are with what a change adds to them: a unit, or a member.
func (w *weighing) whole(s suggestion) float64 {
	switch s.Kind {
	case operation.Factor, operation.WrappedIn, operation.UnwrappedFrom:
		return 1
	}
	return 0
}

func docReason(doc float64) string { return fmt.Sprintf("doc %d %%", percent(doc)) }

func percent(part float64) int { return int(math.Round(part * 100)) }

func typeReason(typ float64) string {
	switch {
	case typ == 1:
		return "same type"
	case typ == 0:
		return "another type"
	}
	return fmt.Sprintf("type %d %%", percent(typ))
}

// likeTypes returns how much two types have in common.
func likeTypes(a, b model.Type) float64 {
	wrapA, x := chain.Unwrap(a)
	wrapB, y := chain.Unwrap(b)
	inner := likeInner(x, y)
	if wrapA != wrapB {
		return inner / 2
	}
	return inner
}

func likeInner(x, y model.Type) float64 {
	p, isRef := x.(*model.Ref)
	q, isRefToo := y.(*model.Ref)
	switch {
	case isRef && isRefToo:
		return 0.4 + 0.6*likeObjects(p.Def.Object(), q.Def.Object())
	case isRef || isRefToo:
		return 0
	}
	e, isEnum := x.(*model.Enum)
	f, isEnumToo := y.(*model.Enum)
	switch {
	case isEnum && isEnumToo:
		return 0.4 + 0.6*overlap(e.Values, f.Values)
	case model.ScalarText(x) != model.ScalarText(y):
		return 0
	case isEnum != isEnumToo:
		return 0.7
	}
	return 1
}

func likeObjects(a, b *model.Object) float64 {
	return overlap(memberNames(a), memberNames(b))
}

func memberNames(o *model.Object) []string {
	var out []string
	for _, p := range o.Properties {
		out = append(out, strings.ToLower(p.Name))
	}
	return out
}

// overlap returns the share of elements that two lists have in common; 1 for two empty ones.
func overlap(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	rest := slices.Clone(b)
	for _, word := range a {
		if at := slices.Index(rest, word); at >= 0 {
			common++
			rest = slices.Delete(rest, at, at+1)
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// likeNames compares names by their words and by their letters, and returns the larger result.
func likeNames(a, b string) float64 {
	wordsA, wordsB := words(a), words(b)
	letters := 1 - float64(distance(strings.ToLower(a), strings.ToLower(b)))/float64(max(len(a), len(b)))
	return max(overlap(wordsA, wordsB), letters)
}

func likeDocs(a, b string) float64 {
	return overlap(words(a), words(b))
}

// words splits a text into its words, in lower case and singular.
func words(text string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, singular(strings.ToLower(word.String())))
			word.Reset()
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word.WriteRune(r)
	}
	flush()
	return out
}

func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// distance returns the number of letters to insert, remove or replace to make b from a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := corner
			if a[i] != b[j] {
				replaced++
			}
			corner = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, replaced)
		}
	}
	return row[len(b)]
}
