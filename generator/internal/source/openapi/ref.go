package openapi

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// target is the target of a reference: a location, or nothing, with the reason.
type target struct {
	location
	tokens  []string
	problem diag.Message // without a position
}

// reference is the key of a resolved reference. The same text means the same everywhere in a file.
type reference struct {
	file *file
	text string
}

// maxFiles is the largest number of files that a document may refer to.
const maxFiles = 2000

// resolve follows the text of a $ref. It returns the same object for the same text in the same
// file.
func (u *unit) resolve(at location) *target {
	key := reference{at.file, at.value.Text()}
	t := u.targets[key]
	if t == nil {
		t = u.follow(key.text, at.file)
		u.targets[key] = t
	}
	return t
}

func (u *unit) follow(text string, from *file) *target {
	address, fragment, _ := strings.Cut(text, "#")
	file, problem := u.open(address, from)
	if file == nil {
		return &target{problem: problem}
	}
	return find(file, unescape(fragment))
}

// open returns the file of an address, or explains why there is none.
func (u *unit) open(address string, from *file) (*file, diag.Message) {
	if strings.Contains(address, "://") {
		return nil, diag.Message{
			Text: "the reference leads to " + address + ", and nothing is read from a network",
			Hint: "put the file below the root, and refer to it by its path",
		}
	}
	to := from.path
	if address != "" {
		to = path.Join(path.Dir(from.path), unescape(address))
	}
	switch {
	case to == from.path:
		return from, diag.Message{}
	case to == u.path:
		return u.file, diag.Message{}
	case !u.lib.known[to]:
		return nil, diag.Message{
			Text: "the reference leads to " + to + ", and no file of JSON or YAML below the root has that path",
			Hint: "paths are those from the folder of the file; choose a root that is above both files",
		}
	case len(u.referred) == maxFiles:
		return nil, diag.Message{Text: "the document leads to more than " + strconv.Itoa(maxFiles) + " files"}
	}
	file, err := u.lib.refer(to)
	if err != nil {
		return nil, diag.Message{Text: "the reference leads to " + to + ", which cannot be read: " + source.MessageOf(err).Text}
	}
	if !slices.Contains(u.referred, file) {
		u.referred = append(u.referred, file)
	}
	return file, diag.Message{}
}

func find(file *file, pointer string) *target {
	tokens, ok := jsontree.Tokens(pointer)
	if !ok {
		return &target{problem: diag.Message{
			Text: "the reference's part after # is not a JSON pointer",
			Hint: "a pointer starts with a slash: #/definitions/" + pointer,
		}}
	}
	at := location{file, file.root}
	for i, token := range tokens {
		next := at.step(token)
		if !next.exists() {
			return &target{problem: missing(at, tokens, i)}
		}
		at = next
	}
	if !at.exists() {
		return &target{problem: diag.Message{Text: "the reference has no target: " + file.path + " is empty"}}
	}
	return &target{location: at, tokens: tokens}
}

// step returns a member or an element.
func (p location) step(token string) location {
	if p.value.Kind() != syntax.List {
		return p.member(token)
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(p.value.All()) {
		return p.at(p.value.All()[i])
	}
	return p.at(nil)
}

// missing reports that a pointer has no target, and suggests one.
func missing(last location, tokens []string, i int) diag.Message {
	m := diag.Message{Text: "the reference has no target: " + last.file.path + " has no " + pointerTo(tokens[:i+1])}
	var names []string
	for _, v := range last.value.All() {
		names = append(names, v.Name())
	}
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

// unescape decodes percent escapes, and leaves other text unchanged.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// maxChain is the largest number of references that lead to references.
const maxChain = 50

// behind returns the value at a location after following references. It does not exist if a
// reference has no target, which is passed to fail once.
func (u *unit) behind(at location, fail func(diag.Message)) location {
	for range maxChain {
		ref := at.member("$ref")
		if ref.value.Kind() != syntax.String {
			return at
		}
		t := u.resolve(ref)
		if !t.exists() {
			t.problem.Pos = ref.where()
			fail(t.problem)
			return at.at(nil)
		}
		at = t.location
	}
	fail(at.errorf("references lead to references without end"))
	return at.at(nil)
}
