package additional

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// replaced is what lies in the property bag of an open object under the names of its additional
// members, and goes when a client writes one of these. The tag "replaces" of a storage type's
// AdditionalProperties lists it as JSON, since a tag can hold no literal.
//
// Steps between versions know this from [genruntime.Lower]. What a client writes through the API
// version of a storage type itself goes through no step.
type replaced struct {
	// All is set where $additionalProperties has single members: it loses those that are written.
	All bool `json:"all,omitzero"`
	// Foreign are the names of additional members that are other properties, sorted.
	Foreign []string `json:"foreign,omitzero"`
	// Keys are those of properties that other versions name. Kinds are listed where some values are
	// objects.
	Keys Furthers `json:"keys,omitzero"`
}

// replacedBy returns what a tag lists. Each tag is decoded once. One that is damaged lists nothing.
func replacedBy(tag string) *replaced {
	known, ok := replacedTags.Load(tag)
	if !ok {
		decoded := new(replaced)
		if json.Unmarshal([]byte(tag), decoded) != nil {
			decoded = new(replaced)
		}
		known, _ = replacedTags.LoadOrStore(tag, decoded)
	}
	return known.(*replaced)
}

// replacedTags has the decoded tags of storage types, by their texts.
var replacedTags sync.Map // string -> *replaced

// RemoveReplaced removes from the bag of the open object at p what lies under additional members
// that a client has written or removed: covers of members that are gone, or show something else,
// and what other versions have under the names of members that are there. Of a value that has
// changed in part, the rest stays covered. What steps know is left to them. Budget is how many
// bytes of members may still be written for that.
func RemoveReplaced(s *shape.Shape, p unsafe.Pointer, budget *int) {
	bag := s.BagAt(p)
	if len(*bag) == 0 || s.Replaces == nil {
		return
	}
	m, r := namedMembersAt(s.Additional.Shape, unsafe.Add(p, s.Additional.Offset)), replacedBy(*s.Replaces)
	m.forget(*bag, r, m.dropCovers(*bag, r, budget))
	if len(*bag) == 0 {
		*bag = nil
	}
}

// dropCovers drops covers of members that are gone or have changed, but for what they hide of
// parts that have not, and returns those of members that are as they were.
func (m *namedMembers) dropCovers(b runtime.PropertyBag, r *replaced, budget *int) (kept map[string]cover) {
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
	if r.All {
		plain = codec.InAPI(m.shape.Elem, text)
		shown = plain
	} else if plain, ok = plainOf(m.shape.Elem, text); !ok {
		return cover{}, false
	}
	f := r.Keys.of(name, plain)
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
	rest, waiting := membersIn(b, bag.AdditionalKey, r.All), membersIn(b, bag.NamedKey, true)
	changed := false
	for entries := m.shape.MapAt(m.at).MapRange(); entries.Next(); {
		name := entries.Key().String()
		if _, covered := covers[name]; covered || r.isForeign(name) {
			continue
		}
		for _, f := range r.Keys.named(name) {
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
	if r.All {
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

func (r *replaced) isForeign(name string) bool {
	_, found := slices.BinarySearch(r.Foreign, name)
	return found
}
