package provider

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/plugin/fieldpath"
	"github.com/stratakube/strata/runtime"
)

// Public determines which values of the status of an API version are not secret.
type Public struct {
	secrets SecretPaths
	status  reflect.Type // nil if no schema describes the status
}

// PublicOf returns the Public of a resource of an API version.
func PublicOf(resource any) Public {
	p := Public{secrets: SecretPathsOf(resource)}
	if root, is := resource.(runtime.MetaObject); is {
		p.status = reflect.TypeOf(root.NewEmptyStatus())
	}
	return p
}

// Check returns an error if a path leads to a secret, or may do so. Schemas mark no secrets among
// the members that they do not describe, such as read-only members of ARM. For those, Check
// judges by their names.
func (p Public) Check(path fieldpath.Path) error {
	if p.secrets.Meets(path) || p.secrets.Meets(unescaped(path)) {
		return fmt.Errorf("%s is a secret, or has one in it: put it into a Secret", path)
	}
	for _, name := range undescribed(p.status, path) {
		if slices.ContainsFunc(formsOf([]byte(name)), func(form []byte) bool { return soundsSecret(string(form)) }) {
			return fmt.Errorf("%s may be a secret, as the name %s says, and no schema describes it: put it into a Secret", path, name)
		}
	}
	return nil
}

// unescaped returns a path with all escapes in its names decoded: properties.primary%4Bey becomes
// properties.primaryKey.
func unescaped(path fieldpath.Path) fieldpath.Path {
	path = slices.Clone(path)
	for i, step := range path {
		if forms := formsOf([]byte(step.Name)); step.Name != "" {
			path[i].Name = string(forms[len(forms)-1])
		}
	}
	return path
}

// undescribed returns the names in a path that no schema describes. These are keys of maps,
// members within free JSON, and members that the type does not have.
func undescribed(t reflect.Type, path fieldpath.Path) (names []string) {
	for _, step := range path {
		var inside reflect.Type
		isNamed := false
		if t != nil {
			t = valueOf(t)
		}
		switch {
		case t == nil || t == freeJSON:
		case t.Kind() == reflect.Slice && step.Name == "", t.Kind() == reflect.Map && step.Name != "":
			inside = t.Elem()
		case t.Kind() == reflect.Struct && step.Name != "":
			inside, isNamed = memberOf(t, step.Name)
		}
		if step.Name != "" && !isNamed {
			names = append(names, step.Name)
		}
		t = inside
	}
	return names
}

// secretWords are words in the names of secrets. plainWords are last words of names that only
// refer to a secret, such as keyVaultUri.
var (
	secretWords = []string{"password", "passwd", "pwd", "passphrase", "secret", "token", "key", "sas", "credential", "connectionstring"}
	plainWords  = []string{
		"uri", "url", "endpoint", "name", "id", "identifier", "version", "type", "kind", "size", "length", "count", "algorithm", "thumbprint", "enabled",
		"expiry", "expiration",
	}
)

// soundsSecret reports whether a name indicates that its value is secret, in any letter case, in
// the singular or the plural.
func soundsSecret(name string) bool {
	words := wordsOf(name)
	if len(words) > 1 && slices.Contains(plainWords, words[len(words)-1]) && !strings.HasSuffix(words[len(words)-2], "sas") {
		return false
	}
	joined := strings.NewReplacer("connection string", "connectionstring", "public key", "").Replace(strings.Join(words, " ") + " ")
	return slices.ContainsFunc(secretWords, func(secret string) bool {
		return strings.Contains(joined, secret+" ") || strings.Contains(joined, secret+"s ")
	})
}

// wordsOf splits a name at characters that are not letters, and between a lower-case and an
// upper-case letter. It returns the words in lower case.
func wordsOf(name string) []string {
	var split strings.Builder
	var before rune
	for _, r := range name {
		switch {
		case !isLetter(r):
			r = ' '
		case isLarge(r) && before != 0 && !isLarge(before):
			split.WriteByte(' ')
		}
		split.WriteRune(r)
		before = r
	}
	return strings.Fields(strings.ToLower(split.String()))
}

func isLarge(r rune) bool { return 'A' <= r && r <= 'Z' }

func isLetter(r rune) bool { return isLarge(r) || 'a' <= r && r <= 'z' || r > '~' }
