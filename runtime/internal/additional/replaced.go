package additional

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// replaced is what lies in the property bag of an open object under the names of its additional
// members, and goes when a client writes one of these. It is the text of the tag "replaces" of a
// storage type's AdditionalProperties, in the notation of [express.Expression].Lacks: name(key,key)
// lists the keys of a property that other versions name, !name is a member that is another
// property, and * takes all others out of $additionalProperties. A key may be followed by ? and the
// kind of its values, and these by a quoted list of what is free in them, as [Further] has both.
//
// Steps between versions know this from [genruntime.Lower]. What a client writes through the API
// version of a storage type itself goes through no step.
type replaced struct {
	keys map[string]Furthers
	// foreign are the names of other properties.
	foreign map[string]bool
	// all is set where $additionalProperties has single members.
	all bool
}

// replacedBy returns what a tag lists. Each tag is parsed once.
func replacedBy(tag string) *replaced {
	known, ok := replacedTags.Load(tag)
	if !ok {
		known, _ = replacedTags.LoadOrStore(tag, parseReplaced(tag))
	}
	return known.(*replaced)
}

// replacedTags has the parsed tags of storage types, by their texts.
var replacedTags sync.Map // string -> *replaced

// parseReplaced reads a tag. Of one that is not well formed it takes what stands before the fault.
func parseReplaced(text string) *replaced {
	out := &replaced{keys: map[string]Furthers{}, foreign: map[string]bool{}}
	for r := (tagReader{notation.Reader{Text: text}}); r.Text != ""; r.Take(",") {
		switch {
		case r.Take("*"):
			out.all = true
		case r.Take("!"):
			name, ok := r.Name()
			if !ok {
				return out
			}
			out.foreign[name] = true
		default:
			name, ok := r.Name()
			if !ok || !r.Take("(") {
				return out
			}
			for !r.Take(")") {
				f, ok := r.key(name)
				if !ok {
					return out
				}
				out.keys[name] = append(out.keys[name], f)
				r.Take(",")
			}
		}
	}
	return out
}

// tagReader reads the tag "replaces".
type tagReader struct{ notation.Reader }

// key reads a key of a member, with the kind of its values where that stands behind it.
func (r *tagReader) key(name string) (f Further, ok bool) {
	f.Name = name
	if f.Key, ok = r.Name(); ok && r.Take("?") {
		f.Kind = r.Kind()
		if strings.HasPrefix(r.Text, `"`) {
			f.Free, ok = r.Name()
		}
	}
	return f, ok
}

// Settle removes from the bag of the open object at p what lies under additional members
// that a client has written or removed: covers of members that are gone, or show something else,
// and what other versions have under the names of members that are there. Of a value that has
// changed in part, the rest stays covered. What steps know is left to them. Budget is how many
// bytes of members may still be written for that.
func Settle(s *shape.Shape, p unsafe.Pointer, budget *int) {
	bag := s.BagAt(p)
	if len(*bag) == 0 || s.Replaces == nil {
		return
	}
	m, r := namedMembersAt(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset)), replacedBy(*s.Replaces)
	m.forget(*bag, r, m.settleCovers(*bag, r, budget))
	if len(*bag) == 0 {
		*bag = nil
	}
}

// settleCovers drops covers of members that are gone or have changed, but for what they hide of
// parts that have not, and returns those of members that are as they were.
func (m *namedMembers) settleCovers(b runtime.PropertyBag, r *replaced, budget *int) (kept map[string]cover) {
	if _, found := b[bag.CoveredKey]; !found {
		return nil
	}
	covers := entriesOf[cover](b, bag.CoveredKey)
	kept = maps.Clone(covers)
	for _, name := range slices.Sorted(maps.Keys(covers)) {
		c := covers[name]
		value := m.textUpTo(name, longestSpelling(c.Shown))
		if value != nil && (jsontext.IsSame(jsontext.OrNull(c.Shown), value) || jsontext.IsSame(jsontext.OrNull(c.Shown), codec.InAPI(m.shape.Elem, value))) {
			continue
		}
		delete(kept, name)
		delete(covers, name)
		if changed, ok := m.recovered(name, c, r, budget); ok {
			covers[name] = changed
		}
	}
	setEntries(b, bag.CoveredKey, covers)
	return kept
}

// recovered returns the cover of a member that has changed, with what the one that it had hides
// and stays hidden.
func (m *namedMembers) recovered(name string, c cover, r *replaced, budget *int) (_ cover, ok bool) {
	was := c.Stored[c.Key]
	if !bag.HasNameLikeIn(was) || *budget <= 0 || !m.has(name) {
		return cover{}, false
	}
	text := m.textUpTo(name, *budget)
	if text == nil { // so much was written for nothing
		*budget -= (*budget + triesOfBudget - 1) / triesOfBudget
		return cover{}, false
	}
	*budget -= len(text)
	var plain runtime.JSON
	shown := text
	if r.all {
		plain = codec.InAPI(m.shape.Elem, text)
		shown = plain
	} else if plain, ok = plainOf(m.shape.Elem, text); !ok {
		return cover{}, false
	}
	f := r.keys[name].of(name, plain)
	if f == nil || f.Key != c.Key {
		return cover{}, false
	}
	stored := f.inBag(plain, was)
	return cover{Key: f.Key, Shown: shown, Stored: map[string]runtime.JSON{f.Key: stored}}, string(stored) != string(f.inBag(plain, nil))
}

// triesOfBudget is how many times the budget all members together may take that are longer than it.
const triesOfBudget = 4

// longestSpelling is how long JSON may be that says the same as a value: clients may spell a
// character as an escape. Covers of objects within each other that a hostile bag has would else
// have every member written once for each object around it.
func longestSpelling(value runtime.JSON) int {
	const times, some = 8, 64
	return times*len(value) + some
}

// forget removes what other versions have under the names of members, but for those that cover it.
func (m *namedMembers) forget(b runtime.PropertyBag, r *replaced, covers map[string]cover) {
	rest, waiting := membersIn(b, bag.AdditionalKey, r.all), membersIn(b, bag.NamedKey, true)
	changed := false
	for entries := m.shape.MapAt(m.at).MapRange(); entries.Next(); {
		name := entries.Key().String()
		if _, covered := covers[name]; covered || r.foreign[name] {
			continue
		}
		for _, f := range r.keys[name] {
			delete(b, f.Key)
		}
		for _, members := range []map[string]runtime.JSON{rest, waiting} {
			if _, found := members[name]; found {
				delete(members, name)
				changed = true
			}
		}
	}
	if !changed {
		return
	}
	if r.all {
		setEntries(b, bag.AdditionalKey, rest)
	}
	setEntries(b, bag.NamedKey, waiting)
}

// membersIn are those of an entry of a bag, if they are asked for.
func membersIn(bag runtime.PropertyBag, key string, wanted bool) map[string]runtime.JSON {
	if _, found := bag[key]; !found || !wanted {
		return nil
	}
	return entriesOf[runtime.JSON](bag, key)
}
