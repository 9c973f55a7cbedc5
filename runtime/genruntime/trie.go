package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// trie is a parsed list of Expression.Lacks. Nil is an empty one.
type trie struct {
	// items have no list for what is not expressible at all.
	items map[string]item
	// keys are for what lies in a property bag.
	keys map[string]item
	// additional is the item for additional members, if there is one.
	additional      *trie
	additionalMaps  int
	listsAdditional bool
	// further are the items of additional members, by their names.
	further map[string]*trie
	// flat tells that the version shows all members of an object and of those within, also of property bags, as JSON.
	flat bool
	// closed tells that the version has no members of a JSON object that are not listed, as keys or further members.
	closed bool
	outer  *trie
	// kind is that of the values that the version can express, as Further has it; empty for all.
	kind string
}

// item is a list, and how many maps are between it and the name that it is of.
type item struct {
	inner *trie
	maps  int
}

var noTrie = new(trie)

// flatTrie is the list of what lies within a value that a version shows as JSON. A kind is that of the value alone.
var flatTrie = &trie{flat: true}

func (t *trie) isEmpty() bool {
	return t == nil || len(t.items) == 0 && len(t.keys) == 0 && len(t.further) == 0 && !t.listsAdditional && !t.flat && !t.closed && t.kind == ""
}

// isNames reports whether a list has nothing but names.
func (t *trie) isNames() bool {
	if t == nil || len(t.keys) > 0 || t.listsAdditional || t.flat || t.closed {
		return false
	}
	for _, i := range t.items {
		if i.inner != nil {
			return false
		}
	}
	return true
}

func (t *trie) item(name string) (i item, listed bool) {
	if t == nil {
		return item{}, false
	}
	if t.flat {
		return item{inner: flatTrie}, true
	}
	i, listed = t.items[name]
	return i, listed
}

// isUnknown reports whether a member of a JSON object, by its name in storage, is one that the version does not have.
func (t *trie) isUnknown(name string) bool {
	if t == nil || !t.closed || t.listsAdditional {
		return false
	}
	_, item := t.items[name]
	_, key := t.keys[bag.MemberKey(name)]
	_, further := t.further[name]
	return !item && !key && !further
}

// member is the item of a member, or that of additional members.
func (t *trie) member(name string) (i item, listed bool) {
	if i, listed = t.item(name); listed {
		return i, true
	}
	inner, listed := t.rest(name)
	i = item{inner: inner}
	if t != nil && inner == t.additional {
		i.maps = t.additionalMaps
	}
	return i, listed
}

// memberOfEntry is the item of a member of a JSON object in a bag, by its name in storage. Which of them are additional members
// is known of those that are listed by name, and where the list has the names of all others.
func (t *trie) memberOfEntry(name string) (i item, listed bool) {
	if i, listed = t.item(name); listed || t == nil {
		return i, listed
	}
	if _, named := t.further[bag.APIName(name)]; named {
		i.inner, listed = t.rest(bag.APIName(name))
		return i, listed
	}
	if t.closed && t.listsAdditional && !t.names(name) {
		return item{t.additional, t.additionalMaps}, true
	}
	return item{}, false
}

// names reports whether a key of the list is that of a member.
func (t *trie) names(name string) bool {
	_, found := t.keys[bag.MemberKey(name)]
	return found
}

// isOpen reports whether additional members are listed, and are free JSON.
func (t *trie) isOpen() bool {
	return t != nil && t.listsAdditional && t.additional == nil && t.additionalMaps == 0
}

// takesValue is takes for a value that has been read.
func (t *trie) takesValue(value any) bool {
	if t.kind == "" {
		return true
	}
	data, err := jsontext.Marshal(value)
	return err == nil && t.takes(data)
}

// takes reports whether a value is of the kind that the version can express.
func (t *trie) takes(value runtime.JSON) bool {
	return t == nil || t.kind == "" || isOfKind(t.kind, value)
}

// rest is the item for an additional member.
func (t *trie) rest(name string) (inner *trie, listed bool) {
	switch {
	case t == nil:
		return nil, false
	case t.flat:
		return flatTrie, true
	}
	if inner, named := t.further[name]; named {
		return inner, inner != nil
	}
	return t.additional, t.listsAdditional
}

// key reports whether an entry of a property bag is expressible, and what of it is not.
func (t *trie) key(key string) (i item, allowed bool) {
	if t == nil {
		return item{}, false
	}
	if _, isMember := bag.KeyMember(key); t.flat {
		return item{inner: flatTrie}, isMember
	}
	i, allowed = t.keys[key]
	return i, allowed
}

// parseTrie reads a list. Of one that is not well formed it takes what stands before the fault.
func parseTrie(text string) *trie {
	t := &trie{}
	r := trieReader{notationReader{text: text}, []*trie{t}}
	r.list(t)
	return t
}

// trieReader reads a list and those within it.
type trieReader struct {
	notationReader
	lists []*trie // all so far, in the order in which they begin
}

func (r *trieReader) list(t *trie) {
	for r.item(t) && r.take(",") {
	}
}

func (r *trieReader) item(t *trie) bool {
	if r.take("?") {
		t.kind = r.kind()
		return t.kind != ""
	}
	if r.take("!*") {
		t.flat = true
		return true
	}
	if r.take("~") {
		t.closed = true
		return true
	}
	if r.take("!") {
		name, ok := r.name()
		if !ok {
			return false
		}
		i, ok := r.behind(t)
		t.allow(name, i)
		return ok
	}
	if r.take("+") {
		name, ok := r.name()
		if !ok {
			return false
		}
		if t.further == nil {
			t.further = map[string]*trie{}
		}
		t.further[name], ok = r.inner(t)
		return ok
	}
	if r.take("*") {
		i, ok := r.behind(t)
		t.additional, t.additionalMaps, t.listsAdditional = i.inner, i.maps, true
		return ok
	}
	name, ok := r.name()
	if !ok {
		return false
	}
	i, ok := r.behind(t)
	t.add(name, i)
	return ok
}

// behind reads what follows a name of t: braces, a pair for each map, and parentheses.
func (r *trieReader) behind(t *trie) (i item, ok bool) {
	for r.take("{}") {
		i.maps++
	}
	i.inner, ok = r.inner(t)
	return i, ok
}

func (t *trie) allow(key string, i item) {
	if t.keys == nil {
		t.keys = map[string]item{}
	}
	t.keys[key] = i
}

func (t *trie) add(name string, i item) {
	if t.items == nil {
		t.items = map[string]item{}
	}
	t.items[name] = i
}

// inner reads the parentheses of an item of t; without them it returns nil.
func (r *trieReader) inner(t *trie) (*trie, bool) {
	if !r.take("(") {
		return nil, true
	}
	if r.take("^") {
		up, ok := r.number()
		return t.above(up), ok && r.take(")")
	}
	if r.take("=") {
		n, ok := r.number()
		if !ok || n < 0 || n >= len(r.lists) {
			return noTrie, false
		}
		return r.lists[n], r.take(")")
	}
	inner := &trie{outer: t}
	r.lists = append(r.lists, inner)
	r.list(inner)
	return inner, r.take(")")
}

// above returns the list that is n levels up from the parentheses of an item of t: 1 is t itself.
func (t *trie) above(n int) *trie {
	for ; n > 1 && t != nil; n-- {
		t = t.outer
	}
	if t == nil || n < 1 {
		return noTrie
	}
	return t
}
