package refine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/model"
)

// vocabulary finds the words in names that are written in lower case, such as ipfilterrules. It
// learns them from the names of other types, definitions and properties of the same provider, or
// else from their docs.
type vocabulary struct {
	spellings map[string]map[string]int // by lower-case name: its words, separated by blanks, and their weights
}

// shortestName is the minimum length of a name that may consist of several words. mostWords is
// the maximum number of its words.
const (
	shortestName = 6
	mostWords    = 5
)

// The weights of one occurrence of a spelling.
const (
	inDoc  = 1
	inName = 1000
	inType = 100_000
)

// vocabularies learns the words of the providers of the fresh resources from the raw resources.
func vocabularies(raw, fresh []*model.Resource) map[string]*vocabulary {
	out := map[string]*vocabulary{}
	for _, r := range fresh {
		p := strings.ToLower(provider(r.Type))
		if out[p] == nil {
			out[p] = &vocabulary{spellings: map[string]map[string]int{}}
		}
		out[p].want(r.Type)
	}
	for _, r := range raw {
		if v := out[strings.ToLower(provider(r.Type))]; v != nil && len(v.spellings) > 0 {
			v.learn(r)
		}
	}
	return out
}

// want registers the words of a resource type that may consist of several words.
func (v *vocabulary) want(resourceType string) {
	for _, segment := range strings.Split(resourceType, "/")[1:] {
		for _, word := range split(segment) {
			if len(word) >= shortestName {
				for _, key := range []string{strings.ToLower(word), strings.ToLower(singular(word))} {
					if v.spellings[key] == nil {
						v.spellings[key] = map[string]int{}
					}
				}
			}
		}
	}
}

// learn learns from a resource's type and its latest version.
func (v *vocabulary) learn(r *model.Resource) {
	for _, segment := range strings.Split(r.Type, "/")[1:] {
		v.name(segment, inType)
	}
	if len(r.Versions) == 0 {
		return
	}
	latest := slices.MaxFunc(r.Versions, func(a, b *model.Version) int { return cmp.Compare(a.Name, b.Name) })
	v.typ(latest.Spec)
	v.typ(latest.Status)
	for _, d := range model.Closure(latest.Spec, latest.Status) {
		v.name(d.Name, inName)
		v.doc(d.Doc)
		v.typ(d.Type)
	}
}

// typ learns from the properties that a type declares in place.
func (v *vocabulary) typ(t model.Type) {
	switch t := t.(type) {
	case *model.List:
		v.typ(t.Elem)
	case *model.Map:
		v.typ(t.Elem)
	case *model.Object:
		for _, p := range t.Properties {
			v.name(p.Name, inName)
			v.doc(p.Doc)
			v.typ(p.Type)
		}
	case *model.OneOf:
		v.types(t.Branches)
	case *model.AllOf:
		v.types(t.Parts)
	}
}

func (v *vocabulary) types(all []model.Type) {
	for _, t := range all {
		v.typ(t)
	}
}

// name learns from a name of several words. A single word is ignored: it may be several words in
// lower case.
func (v *vocabulary) name(name string, weight int) {
	if words := split(name); len(words) > 1 {
		v.sequence(words, weight)
	}
}

// longestDoc is the number of bytes of a doc that are read.
const longestDoc = 1000

func (v *vocabulary) doc(doc string) {
	if len(doc) > longestDoc {
		doc = doc[:longestDoc]
	}
	v.sequence(strings.FieldsFunc(doc, func(r rune) bool { return !unicode.IsLetter(r) }), inDoc)
}

// sequence learns from consecutive words. Single letters do not count: they are the ends of
// plurals.
func (v *vocabulary) sequence(words []string, weight int) {
	for i := range words {
		joined := ""
		for n := 1; n <= mostWords && i+n <= len(words) && len(words[i+n-1]) > 1; n++ {
			joined += strings.ToLower(words[i+n-1])
			if spellings := v.spellings[joined]; spellings != nil {
				spellings[strings.Join(words[i:i+n], " ")] += weight
			}
		}
	}
}

// spell writes the known words of a resource type with capitals.
func (v *vocabulary) spell(resourceType string) string {
	segments := strings.Split(resourceType, "/")
	for i, segment := range segments {
		if i == 0 {
			continue
		}
		var b strings.Builder
		for _, word := range split(segment) {
			b.WriteString(v.word(word))
		}
		if name := b.String(); strings.EqualFold(name, segment) {
			segments[i] = name
		}
	}
	return strings.Join(segments, "/")
}

// word writes a word as the words that it consists of, with capitals. A word that is not known to
// consist of several stays unchanged.
func (v *vocabulary) word(word string) string {
	for _, key := range []string{strings.ToLower(word), strings.ToLower(singular(word))} {
		words := v.best(key)
		if len(words) < 2 {
			continue
		}
		var out strings.Builder
		rest := word
		for i, w := range words {
			if i == len(words)-1 {
				w = rest
			}
			w, rest = capital(w), rest[min(len(w), len(rest)):]
			out.WriteString(w)
		}
		return out.String()
	}
	return word
}

// best returns the spelling of the greatest weight; of several, the first in alphabetical order.
func (v *vocabulary) best(key string) []string {
	spellings := v.spellings[key]
	best := ""
	for _, s := range slices.Sorted(maps.Keys(spellings)) {
		if best == "" || spellings[s] > spellings[best] {
			best = s
		}
	}
	return strings.Fields(best)
}

func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// split splits a name in camel case into words of ASCII letters and digits.
func split(name string) []string {
	var out []string
	begin := true
	for i, r := range name {
		isUpper := 'A' <= r && r <= 'Z'
		switch {
		case !isUpper && (r < 'a' || r > 'z') && (r < '0' || r > '9'):
			begin = true
			continue
		case begin, isUpper && isLower(name, i-1), isUpper && isLower(name, i+1) && !isPluralS(name, i+1):
			out = append(out, "")
		}
		begin = false
		out[len(out)-1] += string(r)
	}
	return out
}

func isLower(name string, i int) bool {
	return i >= 0 && i < len(name) && 'a' <= name[i] && name[i] <= 'z'
}

// isPluralS reports whether the letter at i is the s of a plural acronym, as in IPs.
func isPluralS(name string, i int) bool {
	return name[i] == 's' && (i+1 == len(name) || 'A' <= name[i+1] && name[i+1] <= 'Z')
}
