package refine

import (
	"go/token"
	"testing"

	"pgregory.net/rapid"
)

func TestSingularAndPlural(t *testing.T) {
	for _, test := range []struct{ reason, name, singular, plural string }{
		{"a plural stays what it is, whatever English has for its singular", "persons", "person", "persons"},
		{"an irregular plural is one too", "people", "person", "people"},
		{"a singular becomes a plural", "redisEnterprise", "redisEnterprise", "redisEnterprises"},
		{"only the last word counts", "simPolicies", "simPolicy", "simPolicies"},
		{"a word that ends like a plural", "address", "address", "addresses"},
		{"a name that only looks like a plural", "Redis", "Redis", "Redis"},
		{"a learned plural stands for itself", "backupData", "backupData", "backupData"},
		{"an acronym in the plural", "publicIPs", "publicIP", "publicIPs"},
		{"an acronym that the dictionary mangles", "dns", "dns", "dns"},
		{"one letter", "x", "x", "xes"},
		{"nothing", "", "", ""},
	} {
		if got := singular(test.name); got != test.singular {
			t.Errorf("%s: singular of %q is %q, want %q", test.reason, test.name, got, test.singular)
		}
		if got := plural(test.name); got != test.plural {
			t.Errorf("%s: plural of %q is %q, want %q", test.reason, test.name, got, test.plural)
		}
	}
}

func TestIdentifier(t *testing.T) {
	for _, test := range []struct{ reason, name, want string }{
		{"camel case stays", "firstName", "FirstName"},
		{"what is no letter or digit separates words", "@odata.type-of_it", "OdataTypeOfIt"},
		{"a digit may not stand first", "5qi", "N5qi"},
		{"accents are left out", "größe", "Grosse"},
		{"accents of their own are left out, too", "gro\u0308ße", "Grosse"},
		{"a letter that becomes two begins with a capital", "ærø-ßtraße", "AeroSstrasse"},
		{"capitals stay", "ÅNGSTRÖM", "ANGSTROM"},
		{"ligatures have letters", "ﬁle", "File"},
		{"Cyrillic letters", "цвет_щита", "TsvetShchita"},
		{"a Cyrillic sign without a sound", "день", "Den"},
		{"a Ukrainian letter that has a decomposition", "їжак", "Izhak"},
		{"Greek letters", "μέγεθος", "Megethos"},
		{"other scripts are spelled", "名前Id", "U540DU524DId"},
		{"only signs are left", "ь", "Empty"},
		{"digits of other alphabets separate", "a٣b", "AB"},
		{"nothing is left", "-_☃", "Empty"},
		{"nothing was there", "", "Empty"},
	} {
		if got := Identifier(test.name); got != test.want {
			t.Errorf("%s: %q became %q, want %q", test.reason, test.name, got, test.want)
		}
	}
}

func TestIdentifierIsOneAndStaysOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		id := Identifier(name)
		if !token.IsIdentifier(id) || !token.IsExported(id) {
			t.Errorf("%q became %q, which is no exported identifier", name, id)
		}
		if again := Identifier(id); again != id {
			t.Errorf("%q became %q, and then %q", name, id, again)
		}
	})
}

// TestWords checks that names in lower case are split as the provider's source writes them
// elsewhere, and that other names do not change.
func TestWords(t *testing.T) {
	learned := func(types []string, names ...string) *vocabulary {
		v := &vocabulary{spellings: map[string]map[string]int{}}
		for _, one := range types {
			v.want(one)
		}
		for _, name := range names {
			v.name(name, inName)
		}
		v.doc("The web test of an availability test's results. A data base, or a database.")
		return v
	}
	for _, test := range []struct{ reason, in, want string }{
		{"a definition has the words", "A.B/namespaces/ipfilterrules", "A.B/namespaces/IpFilterRules"},
		{"of a plural that is not the singular and an s", "A.B/simpolicies", "A.B/SimPolicies"},
		{"acronyms keep their letters", "A.B/sqlroles", "A.B/SQLRoles"},
		{"only the word in lower case is split", "A.B/myIpfilterrules", "A.B/myIpFilterRules"},
		{"a doc has the words", "A.B/webtests", "A.B/WebTests"},
		{"one word in names counts more than two in docs", "A.B/databases", "A.B/databases"},
		{"what nobody writes elsewhere stays", "A.B/fleetspaces", "A.B/fleetspaces"},
		{"what has capitals stays", "A.B/openShiftClusters", "A.B/openShiftClusters"},
		{"other alphabets stay", "A.B/größenipfilterrules", "A.B/größenipfilterrules"},
	} {
		v := learned([]string{test.in}, "IpFilterRuleProperties", "SimPolicyPropertiesFormat", "SQLRoleDefinition", "DatabaseProperties", "OpenshiftclustersList")
		if got := v.spell(test.in); got != test.want {
			t.Errorf("%s: %s became %s, want %s", test.reason, test.in, got, test.want)
		}
	}
}
