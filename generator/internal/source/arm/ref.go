package arm

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// target is the target of a reference: a location, a scalar that the common file is known to
// define, or nothing, with the reason.
type target struct {
	location
	tokens     []string
	scalar     *model.Scalar
	expression bool
	problem    diag.Message // without a position
}

func (t *target) found() bool { return t.node.Exists() }

// reference is the key of a resolved reference. The same text means the same everywhere in a
// document.
type reference struct {
	doc  *document
	text string
}

// resolve follows the text of a $ref. It returns the same object for the same text in the same
// document.
func (u *unit) resolve(at location) *target {
	key := reference{at.doc, at.node.Text()}
	t := u.targets[key]
	if t == nil {
		t = u.follow(key.text, at.doc)
		u.targets[key] = t
	}
	return t
}

func (u *unit) follow(text string, from *document) *target {
	url, fragment, _ := strings.Cut(text, "#")
	pointer := unescape(fragment)
	if isCommon(url) || url == "" && from.common {
		if scalar, expression := template(pointer); scalar != nil {
			return &target{scalar: scalar, expression: expression}
		}
	}
	doc, problem := u.document(url, from)
	if doc == nil {
		return &target{problem: problem}
	}
	return find(doc, pointer)
}

// document returns the file of a URL, or explains why there is none.
func (u *unit) document(url string, from *document) (*document, diag.Message) {
	if url == "" {
		return from, diag.Message{}
	}
	path, ok := u.lib.locate(url, from)
	switch {
	case !ok:
		return nil, absent(url)
	case path == from.path:
		return from, diag.Message{}
	case path == u.doc.path:
		return u.doc, diag.Message{}
	}
	doc, err := u.lib.refer(path)
	if err != nil {
		return nil, diag.Message{Text: "the reference leads to " + path + ", which cannot be read: " + source.MessageOf(err).Text}
	}
	if !slices.Contains(u.referred, doc) {
		u.referred = append(u.referred, doc)
	}
	return doc, diag.Message{}
}

func absent(url string) diag.Message {
	m := diag.Message{Text: "the reference leads to " + url + ", and no file below the root has that path or id"}
	if isCommon(url) {
		m.Hint = "put " + commonFile + ", which is published beside the folders of the versions, below the root"
	}
	return m
}

func find(doc *document, pointer string) *target {
	tokens, ok := jsontree.Tokens(pointer)
	if !ok {
		return &target{problem: diag.Message{
			Text: "the reference's part after # is not a JSON pointer",
			Hint: "a pointer starts with a slash: #/definitions/" + pointer,
		}}
	}
	node, length := doc.tree.Find(tokens)
	if length == len(tokens) {
		return &target{location: location{doc, node}, tokens: tokens}
	}
	return &target{problem: missing(doc, node, tokens, length)}
}

// missing reports that a pointer has no target, and suggests one.
func missing(doc *document, last jsontree.Node, tokens []string, length int) diag.Message {
	m := diag.Message{Text: "the reference has no target: " + doc.path + " has no " + pointerTo(tokens[:length+1])}
	if near := diag.Nearest(tokens[length], last.Names()); near != "" {
		m = m.WithHint("did you mean %q?", "#"+pointerTo(slices.Concat(tokens[:length], []string{near}, tokens[length+1:])))
	}
	return m
}

func pointerTo(tokens []string) string {
	var pointer strings.Builder
	for _, token := range tokens {
		pointer.WriteByte('/')
		pointer.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return pointer.String()
}
