package importrules

import "slices"

// Bans is the table, from the modules to the floors of the generator.
var Bans = slices.Concat(betweenModules, ofTheRuntime, ofGeneratedCode, ofTheWebhook, ofThePlugins, ofTheProvider, ofTheOperator, betweenFloors, betweenEnds, ofTheGenerator, ofTheTools)

var betweenModules = []Ban{
	{
		In: []string{"~/generator/..."}, NotIn: []string{"~/generator/internal/conversion"},
		Imports: []string{"~/..."}, But: []string{"~/generator/..."}, Tests: true,
		Reason: "the generator names the runtime by import path only; a constant in what it writes tells when the two do not fit",
	},
	{
		In:      []string{"~/generator/internal/conversion"},
		Imports: []string{"~/..."}, But: []string{"~/generator/internal/diag", "~/generator/internal/manifest", "~/generator/internal/model", "~/generator/internal/parallel", "~/generator/internal/plaintext", "~/generator/internal/subprocess", "~/generator/internal/syntax", "~/runtime", "~/runtime/convert"},
		Reason: "manifests convert by plans as data and the engine of the webhook, or by the program of a webhook, and by no stage of the generator; the model names the members of Strata",
	},
	{
		In:      []string{"~/generator/internal/manifest"},
		Imports: []string{"~/..."}, But: []string{"~/generator/internal/syntax"}, Tests: true,
		Reason: "text is edited without knowing what its values mean",
	},
	{
		In: []string{"~/runtime/..."}, NotIn: []string{"~/runtime/internal/fixtures"},
		Imports: []string{"..."},
		But:     []string{"std", "~/runtime/...", "k8s.io/apimachinery/...", "sigs.k8s.io/json"},
		Reason:  "all that the runtime requires is required of everybody who imports generated code",
	},
	{
		In:      []string{"~/operator/...", "~/webhook/..."},
		Imports: []string{"~/generator/...", "~/tools/..."}, Tests: true,
		Reason: "what is generated and what runs it are built without the generator",
	},
	{
		In:      []string{"~/webhook/..."},
		Imports: []string{"~/operator/..."}, Tests: true,
		Reason: "the webhook converts the types of any API; operator/cmd has the one of the worked example",
	},
	{
		In:      []string{"~/operator/cluster/..."},
		Imports: []string{"~/..."}, But: []string{"~/operator/cluster/...", "~/runtime", "~/runtime/convert"}, Tests: true,
		Reason: "it works on whatever a cluster stores, of all generated kinds alike",
	},
	{
		In:      []string{"~/runtime/..."},
		Imports: []string{"~/..."}, But: []string{"~/runtime/..."}, Tests: true,
		Reason: "the runtime is below all other modules",
	},
}

// ofTheRuntime keeps what users read free of engines.
var ofTheRuntime = []Ban{
	{
		In:      []string{"~/runtime"},
		Imports: []string{"~/..."}, But: []string{"~/runtime/internal/counting", "~/runtime/internal/label"},
		Reason: "a program that reads resources compiles no engine of conversions",
	},
	{
		In:      []string{"~/runtime/internal/counting", "~/runtime/internal/label"},
		Imports: []string{"~/..."}, Tests: true,
		Reason: "package runtime needs them",
	},
	{
		In:      []string{"~/runtime/internal/watch"},
		Imports: []string{"~/..."},
		Reason:  "contexts end whatever goes on",
	},
	{
		In:      []string{"~/runtime/internal/jsontext"},
		Imports: []string{"~/..."}, But: []string{"~/runtime", "~/runtime/internal/watch"},
		Reason: "JSON text knows neither types nor bags",
	},
	{
		In:      []string{"~/runtime/internal/bag", "~/runtime/internal/fingerprint"},
		Imports: []string{"~/..."}, But: []string{"~/runtime", "~/runtime/internal/jsontext"},
		Reason: "keys and fingerprints are those of JSON, whatever type reads it",
	},
	{
		In:      []string{"~/runtime/internal/shape"},
		Imports: []string{"~/..."}, But: []string{"~/runtime", "~/runtime/internal/fingerprint", "~/runtime/internal/jsontext"},
		Reason: "what a type looks like does not depend on what is done with its values",
	},
	{
		In:      []string{"~/runtime/internal/notation"},
		Imports: []string{"~/..."}, But: []string{"~/runtime", "~/runtime/internal/bag", "~/runtime/internal/jsontext", "~/runtime/internal/label"},
		Reason: "lists of members are text, whatever type has the members",
	},
	{
		In: []string{"~/runtime/internal/codec"},
		Imports: []string{
			"~/runtime/internal/notation", "~/runtime/internal/express", "~/runtime/internal/additional", "~/runtime/internal/hidden",
			"~/runtime/internal/preserve", "~/runtime/convert", "~/runtime/genruntime",
		},
		Reason: "values are read and written by their types alone, not by versions",
	},
	{
		In:      []string{"~/runtime/internal/express"},
		Imports: []string{"~/runtime/internal/codec", "~/runtime/internal/hidden", "~/runtime/internal/preserve", "~/runtime/convert", "~/runtime/genruntime"},
		Reason:  "what a version can express follows from lists, values and covers, not from hidden values",
	},
	{
		In:      []string{"~/runtime/internal/additional"},
		Imports: []string{"~/runtime/internal/express", "~/runtime/internal/hidden", "~/runtime/internal/preserve", "~/runtime/convert", "~/runtime/genruntime"},
		Reason:  "hidden values are restored after additional members were settled",
	},
	{
		In:      []string{"~/runtime/internal/hidden"},
		Imports: []string{"~/runtime/internal/express", "~/runtime/internal/preserve", "~/runtime/convert", "~/runtime/genruntime"},
		Reason:  "the format of bags is below the rules of what is stored in them",
	},
	{
		In:      []string{"~/runtime/internal/..."},
		NotIn:   []string{"~/runtime/internal/fixtures"},
		Imports: []string{"~/runtime/convert", "~/runtime/genruntime"},
		Reason:  "both call what they share",
	},
	{
		In:      []string{"~/runtime/convert", "~/runtime/genruntime"},
		Imports: []string{"~/runtime/convert", "~/runtime/genruntime"},
		Reason:  "generated conversions and the engine for JSON are two ways to the same objects, and neither needs the other",
	},
	{
		In: []string{"~/runtime/...", "~/operator/...", "~/webhook/...", "~/tools/..."}, NotIn: []string{"~/runtime/internal/fixtures"},
		Imports: []string{"~/runtime/internal/fixtures", "~/runtime/internal/linear"},
		Reason:  "tests alone use them",
	},
	{
		In: []string{"~/operator/...", "~/webhook/..."}, NotIn: []string{"~/operator/api/...", "~/webhook/internal/example/..."},
		Imports: []string{"~/runtime/genruntime"}, Tests: true,
		Reason: "it changes with the generator; hand-written code calls package convert",
	},
}

var ofGeneratedCode = []Ban{
	{
		In:      []string{"~/operator/api/..."},
		Imports: []string{"..."},
		But: []string{
			"std", "~/operator/api/...", "~/runtime", "~/runtime/convert", "~/runtime/genruntime", "k8s.io/apimachinery/...",
			"sigs.k8s.io/controller-runtime/pkg/conversion",
		},
		Reason: "generated packages must cost their users little",
	},
	{
		In:      []string{"~/operator/api/.../conversiontest"},
		Imports: []string{"~/..."}, But: []string{"~/operator/api/...", "~/runtime", "~/runtime/convert", "~/runtime/genruntime", "~/runtime/conformance"}, Tests: true,
		Reason: "generated tests import what they test, the plans among it, and package conformance",
	},
	{
		In:      []string{"~/runtime/conformance/..."},
		Imports: []string{"..."}, But: []string{"std", "~/runtime/conformance/..."},
		Reason: "generated tests must not add to what a user's module requires",
	},
	{
		In:      []string{"~/runtime/...", "~/operator/api/..."},
		NotIn:   []string{"~/runtime/conformance/...", "~/operator/api/.../conversiontest", "~/runtime/internal/fixtures", "~/runtime/internal/linear"},
		Imports: []string{"testing", "~/runtime/conformance/..."},
		Reason:  "what a program links holds no code for tests",
	},
}

// ofTheWebhook keeps what reads reviews, what converts and what runs a process apart.
var ofTheWebhook = []Ban{
	{
		In:      []string{"~/webhook/internal/scan/...", "~/webhook/internal/review/..."},
		Imports: []string{"..."}, But: []string{"std", "~/webhook/internal/scan", "~/webhook/internal/review"},
		Reason: "code that reads untrusted bytes is small, and imports no types",
	},
	{
		In:      []string{"~/webhook/engine/..."},
		Imports: []string{"..."}, But: []string{"std", "~/webhook/engine", "k8s.io/apimachinery/pkg/runtime/schema"},
		Reason: "the seam between handler and engines belongs to neither",
	},
	{
		In:      []string{"~/webhook/internal/typed/..."},
		Imports: []string{"~/webhook/...", "net/http"}, But: []string{"~/webhook/engine", "~/webhook/internal/scan", "~/webhook/internal/typed"},
		Reason: "an engine converts, wherever objects come from",
	},
	{
		In:      []string{"~/webhook", "~/webhook/telemetry/...", "~/webhook/certs/..."},
		Imports: []string{"~/webhook/server/..."}, Tests: true,
		Reason: "a process is made of parts that others use without it",
	},
}

// ofThePlugins keeps what authors of plugins import small, and hosts, authors and versions apart.
var ofThePlugins = []Ban{
	{
		In:      []string{"~/operator/plugin/..."},
		Imports: []string{"~/...", "k8s.io/...", "sigs.k8s.io/..."}, But: []string{"~/operator/plugin/..."}, Tests: true,
		Reason: "plugins know nothing of Kubernetes, and their authors get none of it",
	},
	{
		In: []string{"~/operator/plugin/..."}, NotIn: []string{
			"~/operator/plugin/internal/releases/...", "~/operator/plugin/internal/protofiles/...", // commands and tests only
		},
		Imports: []string{"..."},
		But: []string{
			"std", "~/operator/plugin/...", "github.com/hashicorp/go-plugin/...", "github.com/hashicorp/go-hclog",
			"google.golang.org/grpc/...", "google.golang.org/protobuf/...", "github.com/cenkalti/backoff/v5",
			"golang.org/x/sys/unix", // which grpc requires
		},
		Reason: "all that the module requires is required of every plugin",
	},
	{
		In:      []string{"~/operator/plugin/contract/..."},
		Imports: []string{"..."}, But: []string{"std", "google.golang.org/protobuf/..."},
		Reason: "what a version is does not depend on how it is called",
	},
	{
		In: []string{
			"~/operator/plugin", "~/operator/plugin/internal/serving", "~/operator/plugin/internal/wire",
			"~/operator/plugin/provider/v1", "~/operator/plugin/provider/v2", "~/operator/plugin/credentials/v1", "~/operator/plugin/credentials/v2",
		},
		Imports: []string{"~/operator/plugin/host/...", "~/operator/plugin/internal/launch/..."},
		Reason:  "a plugin holds nothing of its host",
	},
	{
		In: []string{"~/operator/plugin/..."}, NotIn: []string{"~/operator/plugin", "~/operator/plugin/internal/launch", "~/operator/plugin/internal/bench"},
		Imports: []string{"github.com/hashicorp/go-hclog"}, Tests: true,
		Reason: "logs are those of log/slog; hclog is known where go-plugin wants it",
	},
	{
		In:      []string{"~/operator/plugin/internal/launch"},
		Imports: []string{"~/operator/plugin/host/..."}, Tests: true,
		Reason: "a call that starts a plugin does not decide about later starts",
	},
}

// ofTheProvider keeps what calls ARM free of the cluster, and its parts in one direction.
var ofTheProvider = []Ban{
	{
		In:      []string{"~/operator/arm/..."},
		Imports: []string{"~/...", "k8s.io/...", "sigs.k8s.io/..."},
		But:     []string{"~/operator/arm/...", "~/operator/plugin/...", "sigs.k8s.io/yaml"}, Tests: true,
		Reason: "a provider is a plugin like any other: it knows the contract, and nothing of Kubernetes but how YAML is written",
	},
	{
		In: []string{"~/operator/arm", "~/operator/arm/internal/..."}, NotIn: []string{"~/operator/arm/internal/importing", "~/operator/arm/internal/cli"},
		Imports: []string{"sigs.k8s.io/yaml", "~/operator/arm/internal/importing", "~/operator/arm/internal/cli"},
		Reason:  "who serves reads no files: importing is for people",
	},
	{
		In:      []string{"~/operator/arm/internal/armid/...", "~/operator/arm/internal/body/...", "~/operator/plugin/fieldpath"},
		Imports: []string{"..."}, But: []string{"std", "~/operator/plugin/fieldpath"},
		Reason: "identifiers and JSON are read without calls to the external API",
	},
	{
		In: []string{"~/operator/arm/..."}, NotIn: []string{"~/operator/arm/internal/config", "~/operator/arm/internal/identity", "~/operator/arm/internal/rest"},
		Imports: []string{"github.com/Azure/..."},
		Reason:  "azcore and azidentity are known where requests are sent, and nowhere else",
	},
}

// ofTheOperator separates three subjects: decisions about objects, the interface of providers,
// and the code that runs processes.
var ofTheOperator = []Ban{
	{
		In:      []string{"~/operator", "~/operator/annotation", "~/operator/resource", "~/operator/provider", "~/operator/reconciler", "~/operator/fakeprovider"},
		Imports: []string{"~/operator/api/..."},
		Reason:  "the operator reconciles the types of anybody; only its command knows those of the worked example",
	},
	{
		In:      []string{"~/operator/annotation", "~/operator/resource"},
		Imports: []string{"~/..."}, But: []string{"~/runtime"},
		Reason: "what an object and a scheme say does not depend on who reads it",
	},
	{
		In:      []string{"~/operator/provider"},
		Imports: []string{"~/operator/annotation", "~/operator/resource", "~/operator/reconciler", "~/operator", "~/webhook/..."},
		Reason:  "what is handed to providers and what they mean is decided without knowing why they are called",
	},
	{
		In:      []string{"~/operator/reconciler"},
		Imports: []string{"~/webhook/...", "net/http"},
		Reason:  "conversions of a reconciler are local, and its calls those of plugins",
	},
	{
		In:      []string{"~/operator", "~/operator/annotation", "~/operator/resource", "~/operator/provider", "~/operator/reconciler", "~/operator/cmd/..."},
		Imports: []string{"~/operator/fakeprovider", "~/operator/plugin/plugintest", "testing"},
		Reason:  "what a program links holds no code for tests",
	},
}

// betweenFloors keeps the data of the generator flowing one way: source, refine, chain, plan, emit.
var betweenFloors = []Ban{
	{
		In:      []string{"~/generator/internal/model/..."},
		Imports: []string{"~/...", "go/...", "k8s.io/...", "sigs.k8s.io/..."},
		But:     []string{"~/generator/internal/model/..."}, Tests: true,
		Reason: "the model is the language of the house, and knows no Go syntax, no Kubernetes and no schema dialect",
	},
	{
		In:      []string{"~/generator/internal/augmentation/..."},
		Imports: []string{"~/..."}, But: []string{"~/generator/internal/augmentation", "~/generator/internal/model", "~/generator/internal/diag"}, Tests: true,
		Reason: "front-ends, the plan and printers share what users wrote beside generated code",
	},
	{
		In:      []string{"~/generator/internal/analysis/..."},
		Imports: []string{"~/generator/internal/engine/..."},
		Reason:  "an analysis reads models, chains and plans, and runs no stage",
	},
	{
		In:      []string{"~/generator/internal/diag/..."},
		Imports: []string{"~/..."}, But: []string{"~/generator/internal/diag/...", "~/generator/internal/plaintext"},
		Reason: "every floor reports through diag",
	},
	{
		In:      []string{"~/generator/internal/finding/..."},
		Imports: []string{"~/..."}, But: []string{"~/generator/internal/finding", "~/generator/internal/diag"}, Tests: true,
		Reason: "the configuration and analyses share the rules of findings",
	},
	{
		In:      []string{"~/generator/internal/source/..."},
		Imports: []string{"~/generator/internal/refine/...", "~/generator/internal/chain/...", "~/generator/internal/plan/...", "~/generator/internal/emit/..."},
		Reason:  "a front-end hands on a model and knows nothing of what becomes of it",
	},
	{
		In:      []string{"~/generator/internal/refine/..."},
		Imports: []string{"~/generator/internal/chain/...", "~/generator/internal/plan/...", "~/generator/internal/emit/..."},
		Reason:  "refining works within one version",
	},
	{
		In:      []string{"~/generator/internal/chain/..."},
		Imports: []string{"~/generator/internal/plan/...", "~/generator/internal/emit/..."},
		Reason:  "the chain is what plans are made for, not the other way round",
	},
	{
		In:      []string{"~/generator/internal/plan/..."},
		Imports: []string{"~/generator/internal/emit/..."},
		Reason:  "a plan is decided before anything is printed, and has several printers",
	},
	{
		In: []string{
			"~/generator/internal/refine/...", "~/generator/internal/chain/...",
			"~/generator/internal/plan/...", "~/generator/internal/emit/...",
		},
		Imports: []string{"~/generator/internal/source/...", "~/generator/internal/syntax/jsontree/..."},
		Reason:  "after the front-ends there is the model, whatever the dialect was",
	},
	{
		In:      []string{"~/generator/internal/emit/..."},
		Imports: []string{"~/generator/internal/refine/..."},
		Reason:  "who decides something while printing hides it from the plan's other printers",
	},
}

// betweenEnds keeps front-ends apart from one another, and back-ends as well.
var betweenEnds = slices.Concat(
	apart("~/generator/internal/source/", "front-ends do not know each other: what two need is in the model",
		"arm", "bicep", "crd", "golang", "openapi"),
	[]Ban{
		{
			In: []string{"~/generator/internal/source/jsonschema/...", "~/generator/internal/source/document/..."},
			Imports: []string{
				"~/generator/internal/source/arm/...", "~/generator/internal/source/bicep/...", "~/generator/internal/source/crd/...",
				"~/generator/internal/source/golang/...", "~/generator/internal/source/openapi/...",
			},
			Reason: "the rules that dialects share know no dialect: a dialect states what it does differently",
		},
		{
			In:      []string{"~/generator/internal/source/document/..."},
			Imports: []string{"~/generator/internal/source/jsonschema/..."},
			Reason:  "a document knows files and places, not what its values mean",
		},
	},
	apart("~/generator/internal/emit/", "back-ends do not know each other: what two need is in the plan",
		"golang/gotypes", "golang/goconv", "golang/gotest", "crd", "install"),
)

// apart bans, for each of the named folders, the import of the others.
func apart(folder, reason string, names ...string) []Ban {
	var bans []Ban
	for _, name := range names {
		ban := Ban{In: []string{folder + name + "/..."}, Tests: true, Reason: reason}
		for _, other := range names {
			if other != name {
				ban.Imports = append(ban.Imports, folder+other+"/...")
			}
		}
		bans = append(bans, ban)
	}
	return bans
}

var ofTheGenerator = []Ban{
	{
		In: []string{"~/..."}, NotIn: []string{"~/generator/internal/syntax/yaml", "~/tools/build/fetch"},
		Imports: []string{"gopkg.in/yaml.v3", "go.yaml.in/yaml/..."}, Tests: true,
		Reason: "the library is archived, and one package a module imports it so that one import changes when it is replaced",
	},
	{
		In: []string{"~/generator/..."}, NotIn: []string{"~/generator/internal/goedit"}, // which edits users' files
		Imports: []string{"go/format", "go/printer", "golang.org/x/tools/imports"},
		Reason:  "printers write in gofmt's form; gofmt is a test, not a step",
	},
	{
		In:      []string{"~/generator/..."},
		Imports: []string{"text/template", "html/template"},
		Reason:  "logic in templates is neither found nor tested",
	},
	{
		In:      []string{"~/generator/..."},
		Imports: []string{"github.com/getkin/kin-openapi/..."},
		Reason:  "a document whose schemas refer to one another keeps it busy for minutes: it judges those of tests",
	},
	{
		In:      []string{"~/generator/..."},
		Imports: []string{"math/rand", "math/rand/v2"},
		Reason:  "the same inputs give the same bytes",
	},
	{
		In: []string{"~/generator/..."}, NotIn: []string{"~/generator/internal/output"},
		Imports: []string{"crypto/rand"},
		Reason:  "the same inputs give the same bytes; only temporary names are random",
	},
	{
		In:      []string{"~/generator/internal/..."},
		Imports: []string{"~/generator/cmd/..."}, Tests: true,
		Reason: "commands stand on packages",
	},
	{
		In: []string{"~/generator/internal/..."}, NotIn: []string{"~/generator/internal/cli/..."},
		Imports: []string{"~/generator/internal/cli/..."},
		Reason:  "the command line calls the engine, and nothing calls the command line",
	},
	{
		In: []string{"~/generator/internal/..."}, NotIn: []string{"~/generator/internal/cli/...", "~/generator/internal/engine/..."},
		Imports: []string{"~/generator/internal/engine/..."},
		Reason:  "the engine calls the stages, and no stage calls the engine",
	},
	{
		In: []string{"~/generator/internal/cli/..."},
		Imports: []string{
			"~/generator/internal/source/...", "~/generator/internal/refine/...", "~/generator/internal/chain/...",
			"~/generator/internal/plan/...", "~/generator/internal/ledger/...", "~/generator/internal/emit/...",
		},
		But:    []string{"~/generator/internal/emit/kubeyaml"},
		Reason: "the command line prints results, and runs no stage",
	},
}

// suites are the packages that prove something on a real API server, or outside of the workspace.
var suites = []string{
	"~/tools/e2e/chaos", "~/tools/e2e/consumer", "~/tools/e2e/conversion", "~/tools/e2e/crdsource", "~/tools/e2e/explorer", "~/tools/e2e/history",
	"~/tools/e2e/install", "~/tools/e2e/olderobjects", "~/tools/e2e/operator", "~/tools/e2e/originalversion", "~/tools/e2e/shards", "~/tools/e2e/tutorial",
	"~/tools/e2e/upgrade",
}

// ofTheTools keeps the rooms of tools apart: build, testcluster, e2e, and the products.
var ofTheTools = []Ban{
	{
		In: []string{"~/tools/build/..."}, NotIn: []string{"~/tools/build/targets"},
		Imports: []string{"~/tools/..."}, But: []string{"~/tools/build/..."},
		Reason: "all rooms use what builds; only the targets of the magefile call the other rooms",
	},
	{
		In:      []string{"~/tools/testcluster/..."},
		Imports: []string{"~/tools/..."}, But: []string{"~/tools/build/...", "~/tools/testcluster/..."}, Tests: true,
		Reason: "a cluster does not depend on what is tested on it",
	},
	{
		In:      []string{"~/tools/..."},
		Imports: suites, Tests: true,
		Reason: "suites share what they need in e2e/env and e2e/fixtures, and not with one another",
	},
	{
		In: []string{
			"~/tools/build/...", "~/tools/testcluster/background", "~/tools/testcluster/binaries", "~/tools/testcluster/kubectl",
			"~/tools/testcluster/process",
		},
		Imports: []string{
			"~/tools/bench/...", "~/tools/corpus/...", "~/tools/demo/...", "~/tools/e2e/...", "~/tools/testcluster/apiserver",
			"k8s.io/...", "sigs.k8s.io/...",
		},
		But:    []string{"sigs.k8s.io/yaml"},
		Reason: "a run of mage compiles first what its targets import",
	},
	{
		In:      []string{"~/tools/armsim/..."},
		Imports: []string{"..."},
		But: []string{
			"std", "~/tools/armsim/...", "github.com/santhosh-tekuri/jsonschema/v6/...", "github.com/dlclark/regexp2/...", "golang.org/x/text/...", "go.etcd.io/bbolt/...",
		},
		Reason: "what judges the operator shares nothing with it, and reads schemas in its own way",
	},
	{
		In: []string{"~/tools/..."}, NotIn: []string{"~/tools/e2e/conversion", "~/tools/e2e/operator", "~/tools/e2e/teams/..."},
		Imports: []string{"~/webhook/...", "~/operator/...", "~/runtime/...", "~/generator/..."}, Tests: true,
		But:    []string{"~/operator/cluster/ownership"},
		Reason: "what builds and tests the other modules works while they do not compile; two suites run them, teams are a generated example, and suites translate ownership",
	},
}
