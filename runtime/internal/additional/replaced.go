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

// replaced lists the values in the property bag of an open object that belong to its additional
// members. A client that writes such a member replaces them. The tag "replaces" of
// AdditionalProperties in a storage type has the list as JSON, because a tag can have no literal.
//
// Steps between versions know the same from [genruntime.Lower]. A write through the API version
// of the storage type itself has no step.
type replaced struct {
	// All means that $additionalProperties has single members, from which those that a client
	// writes are removed.
	All bool `json:"all,omitzero"`
	// Foreign are the names of additional members that are other properties elsewhere, sorted.
	Foreign []string `json:"foreign,omitzero"`
	// Keys are the keys of properties that other versions name. They have kinds if some values
	// are objects.
	Keys Furthers `json:"keys,omitzero"`
}

// replacedBy returns the list in a tag. It decodes each tag once. A damaged tag results in an
// empty list.
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

// replacedTags has the decoded tags of storage types by their text.
var replacedTags sync.Map // string -> *replaced

// RemoveReplaced removes from the bag of the open object at p the values of additional members
// that a client wrote or removed. It removes the covers of members that are absent or changed,
// and the values that other versions have under the names of present members. If a member changed
// in part, the unchanged parts stay covered. RemoveReplaced leaves values that steps replace.
// Budget is the number of bytes of members that may still be written for this work.
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

// dropCovers removes the covers of members that are absent or changed, except for hidden values
// of unchanged parts. It returns the covers of unchanged members.
func (m *namedMembers) dropCovers(b runtime.PropertyBag, r *replaced, budget *int) (kept map[string]cover) {
	if _, found := b[bag.CoveredKey]; !found {
		return nil
	}
	covers := entriesOf[cover](b, bag.CoveredKey)
	kept = maps.Clone(covers)
	for _, name := range slices.Sorted(maps.Keys(covers)) {
		c := covers[name]
		value := m.textUpTo(name, longestSpelling(c.Visible))
		if value != nil && (jsontext.IsSame(jsontext.OrNull(c.Visible), value) || jsontext.IsSame(jsontext.OrNull(c.Visible), codec.InAPI(m.shape.Elem, value))) {
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

// recovered returns a cover for a changed member, with the hidden values that stay hidden.
func (m *namedMembers) recovered(name string, c cover, r *replaced, budget *int) (_ cover, ok bool) {
	was := c.Stored[c.Key]
	if !bag.HasNameLikeIn(was) || *budget <= 0 || !m.has(name) {
		return cover{}, false
	}
	text := m.textUpTo(name, *budget)
	if text == nil { // the work up to the budget was in vain
		*budget -= (*budget + triesOfBudget - 1) / triesOfBudget
		return cover{}, false
	}
	*budget -= len(text)
	var plain runtime.JSON
	visible := text
	if r.All {
		plain = codec.InAPI(m.shape.Elem, text)
		visible = plain
	} else if plain, ok = plainOf(m.shape.Elem, text); !ok {
		return cover{}, false
	}
	f := r.Keys.of(name, plain)
	if f == nil || f.Key != c.Key {
		return cover{}, false
	}
	stored := f.inBag(plain, was)
	return cover{Key: f.Key, Visible: visible, Stored: map[string]runtime.JSON{f.Key: stored}}, string(stored) != string(f.inBag(plain, nil))
}

// triesOfBudget bounds the work for members that are longer than the budget, in multiples of the
// budget.
const triesOfBudget = 4

// longestSpelling returns the largest length of JSON with the same value, in which every
// character may be an escape. Without this bound, a hostile bag with nested covers would have
// every member written once for each object around it.
func longestSpelling(value runtime.JSON) int {
	const times, some = 8, 64
	return times*len(value) + some
}

// forget removes the values that other versions have under the names of members, except for
// members with a cover.
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

// membersIn returns the members of an entry of a bag if wanted is set, and else nil.
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
