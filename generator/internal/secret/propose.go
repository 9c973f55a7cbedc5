package secret

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
)

// Proposal is a property of a resource that looks like a secret, and that is not marked as one.
type Proposal struct {
	Resource string `json:"resource"` // the vendor's type
	Property string `json:"property"`
	// Versions are those that have the property, as the source spells them.
	Versions []string `json:"versions"`

	Pos model.Pos `json:"-"`
}

// Subject identifies the proposal for a policy.
func (p *Proposal) Subject() finding.Subject {
	rule := finding.Named("likely-secret").ID
	return finding.Subject{
		Rule: rule, Resource: p.Resource, Path: p.Property,
		Fingerprint: finding.Fingerprint(rule, strings.ToLower(p.Resource), p.Property),
	}
}

// Line returns the entry of properties in strata.yaml that marks the property.
func (p *Proposal) Line() string {
	return fmt.Sprintf("- {resource: %s, property: %s, secret: true}", quotedYAML(p.Resource), quotedYAML(p.Property))
}

// quotedYAML quotes text that YAML would not read as a string within braces.
func quotedYAML(text string) string {
	isPlain := !strings.ContainsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._/$-", r))
	})
	if first := text[:min(1, len(text))]; isPlain && strings.ToLower(first) != strings.ToUpper(first) {
		return text
	}
	return fmt.Sprintf("%q", text)
}

// Propose finds the properties of specs that look like secrets, or are secrets in another version,
// in the order of the resources and of their positions, except for those that a rule decides.
// Resources must have been marked. Native Kubernetes resources are skipped.
func (r *Rules) Propose(resources []*model.Resource) []*Proposal {
	var out []*Proposal
	for _, resource := range resources {
		if resource.IsNative() {
			continue
		}
		known := map[string]*Proposal{}
		paths, names := marked(resource)
		for _, v := range resource.Versions {
			spoken, pairs := r.spoken(resource, v), keyPairs(v.Spec)
			looks := func(p *model.Property) bool { return Looks(p) || pairs[p] }
			for _, at := range model.Locate(v.Spec, func(p *model.Property) bool {
				return !p.Secret && !spoken[p] && (looks(p) || isText(p) && names[strings.ToLower(p.Name)])
			}) {
				if !looks(at.Property) && !paths[strings.ToLower(at.Path)] {
					continue
				}
				p := known[strings.ToLower(at.Path)]
				if p == nil {
					p = &Proposal{Resource: resource.Type, Property: at.Path, Pos: at.Property.Pos}
					known[strings.ToLower(at.Path)] = p
					out = append(out, p)
				}
				p.Versions = append(p.Versions, v.Name)
			}
		}
	}
	return out
}

// marked returns the paths and the names of the secrets of a resource in all its versions, in lower
// case.
func marked(resource *model.Resource) (paths, names map[string]bool) {
	paths, names = map[string]bool{}, map[string]bool{}
	for _, v := range resource.Versions {
		for _, at := range model.Locate(v.Spec, func(p *model.Property) bool { return p.Secret }) {
			paths[strings.ToLower(at.Path)], names[strings.ToLower(at.Property.Name)] = true, true
		}
	}
	return paths, names
}

// keyPairs returns the properties primaryKey and secondaryKey of all objects that have both. One
// alone may be the key of a table. Both together are keys of a service, of which one is valid while
// the other one is replaced.
func keyPairs(spec model.Type) map[*model.Property]bool {
	pairs := map[*model.Property]bool{}
	for _, d := range model.Closure(spec) {
		o := d.Object()
		if o == nil {
			continue
		}
		var keys []*model.Property
		for _, p := range o.Properties {
			if n := words(p.Name); isText(p) && (slices.Equal(n, []string{"primary", "key"}) || slices.Equal(n, []string{"secondary", "key"})) && !refers(firstSentence(strings.ToLower(p.Doc))) {
				keys = append(keys, p)
			}
		}
		if len(keys) == 2 {
			pairs[keys[0]], pairs[keys[1]] = true, true
		}
	}
	return pairs
}

// isText reports whether a property is a string that users write.
func isText(p *model.Property) bool {
	scalar, is := p.Type.(*model.Scalar)
	return is && scalar.Kind == model.String && !p.ReadOnly
}

// spoken returns the properties of a version for which a rule decides whether they are secrets.
func (r *Rules) spoken(resource *model.Resource, v *model.Version) map[*model.Property]bool {
	all := map[*model.Property]bool{}
	for _, one := range r.all {
		if one.isAbout(resource) && !one.ConfigMap {
			w := walk{pattern: one.pattern, seen: map[visit]bool{}, found: func(_ *model.Def, p *model.Property) { all[p] = true }}
			w.typ(v.Spec, one.pattern.start())
		}
	}
	return all
}

// Looks reports whether a property is probably a secret: a writable string whose name ends in
// certain words, or in these and a number. Where these words are ambiguous, its doc decides. Names,
// versions and addresses of secrets end in other words.
func Looks(p *model.Property) bool {
	if !isText(p) {
		return false
	}
	if l := p.Type.(*model.Scalar).Limits; l != nil && (strings.HasPrefix(l.Format, "date") || l.Format == "uuid" || l.Format == "arm-id") {
		return false
	}
	name, doc := words(strings.TrimRight(p.Name, "0123456789")), strings.ToLower(p.Doc)
	switch {
	case refers(firstSentence(doc)), mentionsVault(doc) && !endsIn(name, own):
		return false
	case endsIn(name, certain):
		return !endsIn(name, harmless)
	case endsIn(name, doubtful):
		return mentionsSecret(doc)
	case len(name) == 1 && name[0] == "value":
		first := firstSentence(doc)
		return first == "secret value" || strings.Contains(first, "value of the secret")
	}
	return false
}

// certain are last words of names that are secrets whatever precedes them.
var certain = [][]string{
	{"password"}, {"passwd"}, {"pwd"}, {"passphrase"}, {"passcode"},
	{"secret"}, {"secret", "key"}, {"secret", "value"}, {"secret", "text"}, {"password", "value"}, {"pull", "secret"},
	{"access", "token"}, {"refresh", "token"}, {"auth", "token"}, {"bearer", "token"}, {"sas", "token"}, {"api", "token"}, {"security", "token"},
	{"oauth", "token"}, {"authorization", "token"}, {"authentication", "token"}, {"registration", "token"}, {"personal", "access", "token"}, {"secret", "token"},
	{"access", "key"}, {"account", "key"}, {"shared", "key"}, {"private", "key"}, {"api", "key"}, {"master", "key"}, {"storage", "key"},
	{"access", "policy", "key"}, {"string", "primary", "key"}, {"string", "secondary", "key"}, {"locker", "key"}, {"admin", "key"}, {"application", "key"}, {"client", "key"},
	{"signing", "key"}, {"authorization", "key"}, {"authentication", "key"}, {"auth", "key"}, {"sas", "key"}, {"function", "key"}, {"key", "code"},
	{"connection", "string"}, {"sas", "uri"}, {"sas", "url"},
}

// harmless are last words of names that end like secrets, and are none.
var harmless = [][]string{
	{"public", "signing", "key"}, {"public", "access", "key"}, {"next", "access", "token"}, {"key", "vault", "secret"}, {"vault", "secret"}, {"application", "insights", "connection", "string"},
}

// doubtful are last words of names that may be secrets: the doc decides.
var doubtful = [][]string{{"key"}, {"token"}, {"primary"}, {"secondary"}, {"sas"}, {"pfx"}}

// mentionsSecret reports whether a doc calls its property a secret.
func mentionsSecret(doc string) bool {
	return slices.ContainsFunc([]string{
		"password", "secret key", "secret value", "sas token", "access key", "account key", "shared key", "api key", "private key", "storage key",
		"signing key", "for signing", "primary key for", "secondary key for", "256-bit", "bearer token", "access token", "authentication key", "authorization key", "used to authenticate", "obfuscated",
		"key of the cosmos", "primary key of the account", "secondary key of the account", "primary key of the endpoint", "secondary key of the endpoint",
	}, func(words string) bool { return strings.Contains(doc, words) })
}

// refers reports whether a doc is about a name or an address of a secret.
func refers(doc string) bool {
	return slices.ContainsFunc([]string{
		"name of the", "name of a ", "names of the", "uri of the", "url of the", "uri to the", "url to the", "url to a key", "identifier of", "id of the", "id of a ", "resource id", "reference to", "referring to",
		"public key", "thumbprint", "pagination", "next page", "continuation", "the key of the tag", "partition key",
	}, func(words string) bool { return strings.Contains(doc, words) })
}

// own are last words of names that are secrets even if the doc mentions a vault.
var own = [][]string{{"password"}, {"client", "secret"}, {"application", "secret"}, {"pull", "secret"}, {"shared", "secret"}, {"connection", "string"}}

// mentionsVault reports whether a doc mentions a vault, which may contain the secret itself.
func mentionsVault(doc string) bool {
	return strings.Contains(doc, "key vault") || strings.Contains(doc, "keyvault")
}

func firstSentence(doc string) string {
	first, _, _ := strings.Cut(doc, ". ")
	return first
}

func endsIn(name []string, endings [][]string) bool {
	return slices.ContainsFunc(endings, func(end []string) bool {
		return len(name) >= len(end) && slices.Equal(name[len(name)-len(end):], end)
	})
}

// words splits a name in camel case, or with dashes or underscores, into words in lower case.
func words(name string) []string {
	var out []string
	begin := true
	runes := []rune(name)
	for i, r := range runes {
		isLetter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !isLetter {
			begin = true
			continue
		}
		isUpper := 'A' <= r && r <= 'Z'
		afterLower := i > 0 && 'a' <= runes[i-1] && runes[i-1] <= 'z'
		beforeLower := i+1 < len(runes) && 'a' <= runes[i+1] && runes[i+1] <= 'z'
		if begin || isUpper && (afterLower || beforeLower) {
			out = append(out, "")
		}
		begin = false
		out[len(out)-1] += strings.ToLower(string(r))
	}
	return out
}
