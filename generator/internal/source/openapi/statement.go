package openapi

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// extensionName is the key with which a document declares, at its root or at a path, what its paths
// do not express. The value false at a path declares that there is no resource.
const extensionName = "x-strata-resource"

// statement is the value of an x-strata-resource.
type statement struct {
	group, version string
	typ            string // the segments below the group
	kind, plural   string
	none           bool
	at             document.Location
}

// statementKeys are the keys of a statement with the form of their values. At the root only some
// have a meaning.
var statementKeys = []struct {
	name   string
	atRoot bool
	form   *regexp.Regexp
	like   string
}{
	{"group", true, regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z0-9]+)*$`), "words with dots between them, such as Contoso.Fleet"},
	{"version", true, regexp.MustCompile(`.`), "a version"},
	{"type", false, regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(/[A-Za-z][A-Za-z0-9_-]*)*$`), "words with slashes between them, such as depots/vehicles"},
	{"kind", false, regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`), "a word of letters and digits that begins with a capital"},
	{"plural", false, regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`), "a word of small letters, digits and dashes"},
}

// statement reads the statement at a location. It returns false after an error.
func (u *unit) statement(of document.Location, atRoot bool) (statement, bool) {
	at := of.Member(extensionName)
	s := statement{at: at}
	switch {
	case !at.Exists():
		return s, true
	case at.Kind() == syntax.Bool && !at.IsTrue() && !atRoot:
		s.none = true
		return s, true
	case at.Kind() != syntax.Object:
		u.reject(at.Errorf("%s must be an object, not %s", extensionName, at.Kind()))
		return s, false
	}
	ok := true
	for m := range at.All() {
		ok = u.set(&s, m, atRoot) && ok
	}
	if ok && (s.kind == "") != (s.plural == "") {
		u.reject(at.Errorf("kind and plural are stated together"))
		return s, false
	}
	return s, ok
}

func (u *unit) set(s *statement, m document.Location, atRoot bool) bool {
	var names []string
	for _, key := range statementKeys {
		if atRoot && !key.atRoot {
			continue
		}
		names = append(names, key.name)
		if key.name != m.Name() {
			continue
		}
		text := word(m)
		if !key.form.MatchString(text) {
			u.reject(m.Errorf("%s must be %s, not %s", key.name, key.like, m.JSON()))
			return false
		}
		*s.of(key.name) = text
		return true
	}
	message := diag.Errorf(m.Named(), "%q is not known in %s here", m.Name(), extensionName)
	if near := diag.Nearest(m.Name(), names); near != "" {
		message = message.WithHint("did you mean %q?", near)
	} else {
		message = message.WithHint("known are %s; all kinds of an external service are namespaced", strings.Join(names, ", "))
	}
	u.reject(message)
	return false
}

func (s *statement) of(key string) *string {
	i := slices.Index([]string{"group", "version", "type", "kind", "plural"}, key)
	return []*string{&s.group, &s.version, &s.typ, &s.kind, &s.plural}[i]
}
