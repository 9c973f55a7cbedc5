package corpus_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
)

// limit is how large a definition may be, in bytes.
const limit = 500 << 10

func definitions(t *testing.T) []*v1.CustomResourceDefinition {
	t.Helper()
	all, err := corpus.ReadDefinitions(whole(t).Output())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 283 {
		t.Fatalf("%d definitions", len(all))
	}
	return all
}

// ofFive leaves the definitions of five providers, unless all are to be looked at.
func ofFive(definitions []*v1.CustomResourceDefinition) []*v1.CustomResourceDefinition {
	if all {
		return definitions
	}
	return slices.DeleteFunc(definitions, func(d *v1.CustomResourceDefinition) bool {
		return !slices.ContainsFunc(corpus.Five, func(provider string) bool {
			return strings.HasPrefix(d.Spec.Group, strings.ToLower(strings.TrimPrefix(provider, "Microsoft."))+".")
		})
	})
}

func TestDefinitionsAreSmallEnough(t *testing.T) {
	tier.Long(t, "generates all CRDs")
	files, err := filepath.Glob(filepath.Join(whole(t).Output(), "crds", "*"))
	if err != nil || len(files) != 283 {
		t.Fatalf("%d definitions, %v", len(files), err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > limit {
			t.Errorf("%s has %d bytes, want at most %d (%v)", filepath.Base(file), info.Size(), limit, err)
		}
	}
}

// TestAPIServerTakesEveryDefinition validates them as the API server does: names, structural
// schemas, and what rules may cost.
func TestAPIServerTakesEveryDefinition(t *testing.T) {
	tier.Long(t, "applies all CRDs of the corpus")
	todo := ofFive(definitions(t))
	next := make(chan *v1.CustomResourceDefinition, len(todo))
	for _, d := range todo {
		next <- d
	}
	close(next)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for d := range next {
				validate(t, d)
			}
		})
	}
	wait.Wait()
	t.Logf("%d definitions", len(todo))
}

func validate(t *testing.T, d *v1.CustomResourceDefinition) {
	given := d.DeepCopy()
	v1.SetDefaults_CustomResourceDefinition(given)
	v1.SetDefaults_CustomResourceDefinitionSpec(&given.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(given, &internal, nil); err != nil {
		t.Error(err)
		return
	}
	internal.Status.StoredVersions = []string{d.Spec.Versions[len(d.Spec.Versions)-1].Name}
	for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), &internal) {
		t.Errorf("%s: %v", d.Name, err)
	}
}

// TestEveryMemberIsDeclared compares the schema of every served version with the Go types. The
// schema must declare each member that a conversion can write, or an apply fails.
func TestEveryMemberIsDeclared(t *testing.T) {
	tier.Long(t, "generates from all published schemas")
	folders := map[string]string{}
	for _, row := range manifest(t, whole(t).Output()).Resources {
		folders[row.Plural+"."+row.Group+"/"+row.Version] = row.Folder() + "/" + row.Version
	}
	compared := 0
	for _, d := range definitions(t) {
		for _, v := range d.Spec.Versions {
			if !v.Served || v.Storage {
				continue
			}
			folder := folders[d.Name+"/"+v.Name]
			types, err := corpus.ReadGoTypes(filepath.Join(whole(t).Output(), filepath.FromSlash(folder)))
			if err != nil {
				t.Fatal(err)
			}
			compared += compareMembers(t, d.Name+" "+v.Name, types, d.Spec.Names.Kind, v.Schema.OpenAPIV3Schema)
		}
	}
	if compared < 40_000 {
		t.Errorf("only %d members were compared", compared)
	}
	t.Logf("%d members", compared)
}

func compareMembers(t *testing.T, name string, types corpus.GoTypes, kind string, schema *v1.JSONSchemaProps) int {
	members, free, err := types.Members(kind)
	if err != nil {
		t.Fatal(err)
	}
	declared := corpus.Declared(schema)
	known := map[string]bool{}
	var wrong []string
	for _, m := range members {
		known[m] = true
		s := declared[m]
		switch {
		case s == nil:
			wrong = append(wrong, "not declared: "+m)
		case free[m] && !corpus.Preserves(s) && s.AdditionalProperties == nil:
			wrong = append(wrong, "prunes what the type keeps: "+m)
		case !free[m] && corpus.Preserves(s):
			wrong = append(wrong, "keeps what the type drops: "+m)
		}
	}
	for m := range declared {
		if !known[m] && !free[strings.TrimSuffix(m, "{}")] {
			wrong = append(wrong, "not in the type: "+m)
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		t.Errorf("%s:\n%s", name, some(wrong))
	}
	return len(members)
}
