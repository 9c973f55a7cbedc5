package crdsource_test

import (
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// site is a cluster with all kinds in it.
type site struct {
	client  dynamic.Interface
	kubectl kubectl.Client
	host    string // the URL of the API server
	kinds   map[string]*kind
	depots  *crds.Kind             // which the cluster gets in a test
	config  v1.WebhookClientConfig // of the webhook
	output  string                 // the folder of what is generated
	missing error                  // why the vendors' kinds are not there
	webhook *process.Group         // which ends with this process
}

// open is the site of all tests.
func open(t testing.TB) *site {
	t.Helper()
	c := shared.Of(t)
	opened.Do(func() { theSite = build(t, c) })
	if theSite == nil {
		t.Fatal("the kinds are not served: see the first test")
	}
	return theSite
}

var (
	opened  sync.Once
	theSite *site
)

func build(t testing.TB, c *apiserver.Cluster) *site {
	t.Helper()
	l, err := corpus.OpenLab(shared.Afterwards(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	m, unlock, err := corpus.OpenModule(l.Workspace, "crdsource", corpus.Project{Like: "webhook", NoARM: true})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	s := &site{client: shared.Client(t, c.Config), kubectl: c.Kubectl(), host: c.Host(), kinds: map[string]*kind{}, output: m.Output(), missing: l.Missing}
	generate(t, l, m)
	for _, sample := range samples {
		if sample.file == "" || l.Missing == nil {
			s.kinds[sample.definition] = sample.read(t, m.Output())
		}
	}
	s.depots = crds.Read(t, filepath.Join(m.Output(), "crds", "depots.goods.azure.com.yaml"))
	s.serve(t, m)
	s.apply(t)
	return s
}

//go:embed testdata/crds testdata/shop testdata/stored testdata/program
var sources embed.FS

// generate makes the code of all kinds in the module.
func generate(t testing.TB, l *corpus.Lab, m corpus.Module) {
	t.Helper()
	for _, folder := range []string{"crds", "shop", "stored", "program"} {
		dir := path.Join("testdata", folder)
		entries, err := sources.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, e := range entries {
			if files[e.Name()], err = fs.ReadFile(sources, path.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.WriteFolder(folder, files); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(m.Output()); err != nil { // no ledger: every run is a first one
		t.Fatal(err)
	}
	if err := m.WriteNew("strata.yaml", configuration(l)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Generate(shared.Afterwards(t), m.Project); err != nil {
		t.Fatal(err)
	}
}

// configuration is the text of strata.yaml, in JSON.
func configuration(l *corpus.Lab) []byte {
	type object = map[string]any
	all := []object{{"crd": object{"root": "crds"}}, {"go": object{"packages": []string{"./shop"}}}, {"crd": object{"root": "stored"}}}
	var files []string
	for _, s := range samples {
		if s.file != "" {
			files = append(files, s.file)
		}
	}
	if l.Missing == nil {
		all = append(all, object{"crd": object{"root": l.Definitions(), "include": files}})
	}
	text, err := json.MarshalIndent(object{
		"apiVersion": "strata.dev/v1alpha1", "kind": "Generation", "sources": all,
		"output":  object{"dir": "api", "module": corpus.ModulePath + "/api"},
		"install": object{"kustomize": "config"},
		"groups":  object{"storedBy": object{"goods.azure.com": "aso"}},
	}, "", "  ")
	if err != nil {
		panic(err) // there are only strings in it
	}
	return text
}

// serve builds and starts the webhook.
func (s *site) serve(t testing.TB, m corpus.Module) {
	t.Helper()
	group, err := process.Open("strata-crdsource-")
	if err != nil {
		t.Fatal(err)
	}
	s.webhook = group
	binary := filepath.Join(group.Dir, "program")
	if err := m.Build(shared.Afterwards(t), binary, "./program"); err != nil {
		t.Fatal(err)
	}
	if s.config, _, err = env.ServeConversions(shared.Afterwards(t), group, binary); err != nil {
		t.Fatal(err)
	}
}

// apply applies the definitions as they are generated, but for where the webhook is, and waits
// until they are served.
func (s *site) apply(t testing.TB) {
	t.Helper()
	var all []*crds.Kind
	for _, k := range s.kinds {
		all = append(all, k.Kind)
	}
	crds.Apply(t, s.client, s.config, all...)
	crds.AwaitServed(t, s.client, all...)
}
