package removals

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// suggestion is a change beyond a name that two properties suggest. It is certain to fit their
// types. Likelihood is that of the change, if the properties are one.
type suggestion struct {
	operation.Operation
	likelihood float64
	why        string
}

// suggest returns the change that two properties suggest, and false for none. Names, types,
// descriptions and values of enums all count.
func suggest(old, later *model.Property) (suggestion, bool) {
	for _, rule := range []func(old, later *model.Property) (suggestion, bool){scaled, separated, keyed, listed, wrapped, respelled} {
		if s, ok := rule(old, later); ok && s.Fits(old.Type, later.Type) == nil {
			return s, true
		}
	}
	return suggestion{}, false
}

// units are sizes of units, by the words that end a name. Units of one dimension convert into each
// other. Decimal multiples of bytes have none, because many APIs mean binary ones by them.
var units = func() map[string]unit {
	out := map[string]unit{}
	for _, u := range []struct {
		dimension string
		size      int64
		words     string
	}{
		{"time", 1, "nanosecond nanos nano ns"},
		{"time", 1e3, "microsecond micros micro us"},
		{"time", 1e6, "millisecond millis milli msec ms"},
		{"time", 1e9, "second secs sec"},
		{"time", 60e9, "minute mins min"},
		{"time", 3600e9, "hour hrs hr"},
		{"time", 24 * 3600e9, "day"},
		{"time", 7 * 24 * 3600e9, "week"},
		{"binary", 1, "byte"},
		{"binary", 1 << 10, "kib kibibyte"},
		{"binary", 1 << 20, "mib mebibyte"},
		{"binary", 1 << 30, "gib gibibyte"},
		{"binary", 1 << 40, "tib tebibyte"},
		{"cpu", 1, "millicore millicpu"},
		{"cpu", 1000, "core cpu"},
		{unknown, 0, "kb mb gb tb kilobyte megabyte gigabyte terabyte month year"},
	} {
		for word := range strings.FieldsSeq(u.words) {
			out[singular(word)] = unit{u.dimension, u.size, ""}
			if u.dimension == unknown {
				out[singular(word)] = unit{unknown, 0, singular(word)}
			}
		}
	}
	return out
}()

// unknown is the dimension of units that do not convert into others by a certain factor.
const unknown = "unknown"

type unit struct {
	dimension string
	size      int64
	word      string // of an unknown dimension
}

// unitOf splits a name into the words before its unit, and the unit. A unit such as MiB looks like
// two words.
func unitOf(name string) (stem string, u unit, ok bool) {
	all := words(name)
	for n := 1; n <= 2 && !ok; n++ {
		if len(all) <= n {
			return "", unit{}, false
		}
		if u, ok = units[strings.Join(all[len(all)-n:], "")]; ok {
			all = all[:len(all)-n]
		}
	}
	if last := len(all) - 1; ok && last > 0 && all[last] == "in" {
		all = all[:last]
	}
	return strings.Join(all, " "), u, ok
}

// scaled suggests a factor if two names differ in their units only.
func scaled(old, later *model.Property) (suggestion, bool) {
	stem, from, ok := unitOf(old.Name)
	laterStem, to, isToo := unitOf(later.Name)
	if !ok || !isToo || stem != laterStem || from.dimension != to.dimension || from.size == to.size || from.dimension == unknown {
		return suggestion{}, false
	}
	by, over, ok := operation.ParseFactor(strconv.FormatInt(from.size, 10) + "/" + strconv.FormatInt(to.size, 10))
	return suggestion{operation.Operation{Kind: operation.Factor, By: by, Over: over}, 0.9, "other unit"}, ok
}

// isOtherUnit reports whether two names have different units. A value would change its meaning.
func isOtherUnit(old, later string) bool {
	_, from, ok := unitOf(old)
	_, to, isToo := unitOf(later)
	return ok && isToo && from != to
}

// separators are texts of descriptions that name the separator of a list in a string.
var separators = []struct{ words, separator string }{
	{"comma separated", ","}, {"comma delimited", ","}, {"separated by comma", ","}, {"delimited by comma", ","},
	{"semicolon separated", ";"}, {"semicolon delimited", ";"}, {"separated by semicolon", ";"},
	{"space separated", " "}, {"space delimited", " "}, {"separated by space", " "}, {"separated by whitespace", " "},
}

// separatorOf returns the separator that a description names; empty for none, or for several.
func separatorOf(doc string) string {
	text := " " + strings.Join(words(doc), " ") + " "
	found := ""
	for _, s := range separators {
		if strings.Contains(text, " "+s.words+" ") {
			if found != "" && found != s.separator {
				return ""
			}
			found = s.separator
		}
	}
	return found
}

// separated suggests that a string becomes a list of its parts, or the other way round, if the
// description of the string names a separator.
func separated(old, later *model.Property) (suggestion, bool) {
	for _, rule := range []struct {
		kind operation.Kind
		text *model.Property
	}{{operation.Split, old}, {operation.Join, later}} {
		o := operation.Operation{Kind: rule.kind, Text: separatorOf(rule.text.Doc)}
		if o.Text != "" && o.Fits(old.Type, later.Type) == nil {
			return suggestion{o, 0.85, "the description names the separator"}, true
		}
	}
	return suggestion{}, false
}

// listed suggests that a value becomes the first element of a list, or the other way round. A text
// with a plural name, or with a separator, can be a list already.
func listed(old, later *model.Property) (suggestion, bool) {
	for _, rule := range []struct {
		kind operation.Kind
		one  *model.Property
	}{{operation.Plural, old}, {operation.Singular, later}} {
		if wrap, _ := chain.Unwrap(rule.one.Type); wrap == "" && !isPlural(rule.one.Name) && separatorOf(rule.one.Doc) == "" {
			if o := (operation.Operation{Kind: rule.kind}); o.Fits(old.Type, later.Type) == nil {
				return suggestion{o, 0.7, "one value and a list of such values"}, true
			}
		}
	}
	return suggestion{}, false
}

// keyed suggests that a list of objects becomes a map of them, or the other way round: the objects
// in the map have the same members, except for a string that can be the key.
func keyed(old, later *model.Property) (suggestion, bool) {
	for _, rule := range []struct {
		kind operation.Kind
		list *model.Property
	}{{operation.KeyedBy, old}, {operation.ListedBy, later}} {
		for _, member := range operation.Keys(rule.list.Type) {
			if o := (operation.Operation{Kind: rule.kind, Text: member}); o.Fits(old.Type, later.Type) == nil {
				return suggestion{o, 0.85, "a list and a map of the same objects but for " + member}, true
			}
		}
	}
	return suggestion{}, false
}

// isPlural reports whether the last word of a name looks like a plural.
func isPlural(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && !strings.HasSuffix(name, "us") && !strings.HasSuffix(name, "is")
}

// wrapped suggests that a value becomes a member of an object, or the other way round: size becomes
// size.value, or subnetId becomes subnet.id. The names decide which member.
func wrapped(old, later *model.Property) (suggestion, bool) {
	for _, rule := range []struct {
		kind          operation.Kind
		value, object *model.Property
	}{{operation.WrappedIn, old, later}, {operation.UnwrappedFrom, later, old}} {
		ref, ok := rule.object.Type.(*model.Ref)
		if !ok || ref.Def.Map != nil || ref.Def.Object() == nil {
			continue
		}
		member := memberOf(rule.value.Name, rule.object.Name, ref.Def.Object())
		if o := (operation.Operation{Kind: rule.kind, Text: member}); member != "" && o.Fits(old.Type, later.Type) == nil {
			return suggestion{o, 0.75, "a value and an object with it as " + member}, true
		}
	}
	return suggestion{}, false
}

// memberOf returns the member of an object that a value becomes by the names: the value is called
// as the object and its member together, or as the object and the member is "value". It returns
// an empty text for none.
func memberOf(value, object string, o *model.Object) string {
	of, whole := words(object), words(value)
	for _, p := range o.Properties {
		if slices.Equal(whole, append(slices.Clone(of), words(p.Name)...)) || slices.Equal(whole, of) && strings.EqualFold(p.Name, "value") {
			return p.Name
		}
	}
	return ""
}

// respelled suggests names of values: some of one enum that the other lacks are spelled otherwise
// there.
func respelled(old, later *model.Property) (suggestion, bool) {
	_, a := chain.Unwrap(old.Type)
	_, b := chain.Unwrap(later.Type)
	from, ok := a.(*model.Enum)
	to, okLater := b.(*model.Enum)
	if !ok || !okLater {
		return suggestion{}, false
	}
	gone, fresh := missing(from, to), missing(to, from)
	pairs := pairsBy(gone, fresh, isRespelled)
	s := suggestion{operation.Operation{Kind: operation.Values, Pairs: pairs}, 0.9, "values are spelled otherwise"}
	if len(pairs) == 0 && len(gone) == 1 && len(fresh) == 1 && len(from.Values) > 1 && len(to.Values) > 1 && isExtended(gone[0], fresh[0]) {
		s.Pairs, s.likelihood, s.why = []string{gone[0], fresh[0]}, 0.65, "one value ends, and a similar one begins"
	}
	return s, len(s.Pairs) > 0
}

// missing returns the strings of an enum that another lacks.
func missing(of, in *model.Enum) (out []string) {
	has := make(map[string]bool, len(in.Values))
	for _, text := range in.Values {
		has[text] = true
	}
	for _, text := range of.Values {
		if value, err := strconv.Unquote(text); err == nil && !has[text] {
			out = append(out, value)
		}
	}
	return out
}

// maxValues is the largest number of values of an enum that are compared with each other.
const maxValues = 100

// pairsBy returns each value of one list and its like in another, if that is unique on both sides.
func pairsBy(gone, fresh []string, alike func(a, b string) bool) (pairs []string) {
	if len(gone) > maxValues || len(fresh) > maxValues {
		return nil
	}
	only := func(value string, in []string) (found string, n int) {
		for _, other := range in {
			if alike(value, other) {
				found, n = other, n+1
			}
		}
		return found, n
	}
	for _, value := range gone {
		if to, n := only(value, fresh); n == 1 {
			if _, back := only(to, gone); back == 1 {
				pairs = append(pairs, value, to)
			}
		}
	}
	return pairs
}

// isRespelled reports whether two values have the same letters and digits, or differ in one letter
// within a word, as in Canceled and Cancelled.
func isRespelled(a, b string) bool {
	x, y := letters(a), letters(b)
	if x == "" || y == "" {
		return false
	}
	if x == y {
		return true
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	switch {
	case len(x) < 6 || x[:2] != y[:2] || digits(x) != digits(y):
		return false
	case len(y) == len(x)+1:
		return distance(x, y) == 1
	}
	return strings.ReplaceAll(x, "z", "s") == strings.ReplaceAll(y, "z", "s")
}

// letters returns the letters and digits of a value, in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// negations are words that turn a value into its opposite.
var negations = []string{"not", "no", "non", "never", "un", "dis", "in", "without", "none", "only", "except"}

// isExtended reports whether one value has all words of the other, at least two, and more after the
// first that do not turn it into its opposite.
func isExtended(a, b string) bool {
	x, y := words(a), words(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 2 || x[0] != y[0] || digits(a) != digits(b) {
		return false
	}
	for _, word := range x {
		i := slices.Index(y, word)
		if i < 0 {
			return false
		}
		y = slices.Delete(y, i, i+1)
	}
	return !slices.ContainsFunc(y, func(word string) bool { return slices.Contains(negations, word) })
}
