package refine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/model"
)

// vocabulary knows of which words names consist that are written in lower case throughout, as
// ipfilterrules. It learns them from what the sources of one provider write elsewhere: in the names
// of other types, of definitions and of properties, else in docs.
type vocabulary struct {
	spellings map[string]map[string]int // by name in lower case, what it consists of, with blanks between, and its weight
}

// shortest is how long a name must be to be taken for several words, and mostWords is how many
// words it may have.
const (
	shortestName = 6
	mostWords    = 5
)

// The weights of one sight of a spelling.
const (
	inDoc  = 1
	inName = 1000
	inType = 100_000
)

// vocabularies learns the words of the providers of some resources, of which raw ones speak.
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

// want prepares for the names of a type that may be several words.
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

// learn looks at the latest version of a resource.
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

// typ learns from what a type declares in place.
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

// name learns from a name of several words. One that is a single word says nothing: it may be
// written in lower case as well.
func (v *vocabulary) name(name string, weight int) {
	if words := split(name); len(words) > 1 {
		v.sequence(words, weight)
	}
}

// longestDoc bounds what is read of a doc.
const longestDoc = 1000

func (v *vocabulary) doc(doc string) {
	if len(doc) > longestDoc {
		doc = doc[:longestDoc]
	}
	v.sequence(strings.FieldsFunc(doc, func(r rune) bool { return !unicode.IsLetter(r) }), inDoc)
}

// sequence learns from words that follow one another. Single letters are none: they are the ends of
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

// spell writes the words of a type's names with capitals, as far as they are known.
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

// word writes one word as the words that it consists of, with capitals; as it is where it is one.
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

// best is the spelling that is seen most, of these the first by the alphabet.
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

// split cuts a name in camel case into its words: letters and digits of ASCII.
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

// isPluralS reports whether a letter is the s of an acronym in the plural, as of IPs.
func isPluralS(name string, i int) bool {
	return name[i] == 's' && (i+1 == len(name) || 'A' <= name[i+1] && name[i+1] <= 'Z')
}
