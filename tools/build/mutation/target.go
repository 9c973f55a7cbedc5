package mutation

import "slices"

// Target is a package whose mutants tests must kill.
type Target struct {
	Folder string   // below the root of the workspace
	Tests  []string // further packages whose tests count, when the package's own have not killed a mutant
	Costly string   // matches the names of tests that take too long; a mutant that only they kill counts as survived
}

// costlyToConvert are tests of conversions that measure, or that convert much.
const costlyToConvert = "^Test(TimeIsLinear.*|MemoryIsBounded|LeavesOfList|ReadHiddenOfAnything|LawfulKind|StoredVersions|PlantedFaultsAreFound|AugmentedPaths)$"

// byConversions are packages whose tests convert objects of the runtime's fixtures, byGeneratedCode
// those that do so with generated code.
var (
	byConversions   = []string{"runtime/genruntime", "runtime/convert"}
	byGeneratedCode = []string{"runtime/conformance", "operator/api", "operator/api/crm/conversiontest", "webhook/internal/planned"}
	withConversions = slices.Concat(byConversions, byGeneratedCode)
)

// Targets are the packages that are measured, in the order of the report.
var Targets = []Target{
	{Folder: "runtime", Tests: []string{"runtime/genruntime"}},
	{Folder: "runtime/internal/additional", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/aso", Tests: []string{"webhook/internal/foreign"}},
	{Folder: "runtime/internal/bag", Tests: byConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/codec", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/declared", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/express", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/fingerprint", Tests: byConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/hidden", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/jsontext", Tests: byConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/notation", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/operation", Tests: byConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/preserve", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/internal/shape", Tests: withConversions, Costly: costlyToConvert},
	{Folder: "runtime/convert", Tests: byGeneratedCode, Costly: costlyToConvert},
	{Folder: "runtime/genruntime", Tests: byGeneratedCode, Costly: costlyToConvert},
	{Folder: "webhook", Tests: []string{"webhook/internal/planned", "webhook/server"}, Costly: costlyToServe},
	{Folder: "webhook/certs"},
	{Folder: "webhook/engine", Tests: []string{"webhook"}},
	{Folder: "webhook/internal/foreign"},
	{Folder: "webhook/internal/pace"},
	{Folder: "webhook/internal/planned", Tests: []string{"webhook"}},
	{Folder: "webhook/internal/review", Tests: []string{"webhook"}},
	{Folder: "webhook/internal/scan", Tests: []string{"webhook/internal/review"}},
	{Folder: "webhook/server", Costly: costlyToServe},
	{Folder: "webhook/telemetry"},
	{Folder: "webhook/internal/typed", Tests: []string{"webhook"}},
	{
		Folder: "generator/internal/chain",
		Tests: []string{
			"generator/internal/plan", "generator/internal/emit", "generator/internal/emit/crd", "generator/internal/analysis/explain",
			"generator/internal/config", "generator/internal/ledger",
		},
		Costly: costlyToPrint,
	},
	{
		Folder: "generator/internal/plan",
		Tests: []string{
			"generator/internal/emit", "generator/internal/emit/crd", "generator/internal/emit/install", "generator/internal/analysis/explain",
			"generator/internal/config",
		},
		Costly: costlyToPrint,
	},
	{Folder: "generator/internal/served"},
	{Folder: "operator/reconciler", Tests: []string{"operator"}},
	{Folder: "operator/plugin/host", Costly: "^Test(HundredPlugins|EverythingAtOnce)$"},
}

// costlyToServe are tests that build a server, measure its speed, or wait for its longest limits.
const costlyToServe = "^Test(NoReviewIsLostOnSIGTERM|SlowClientsDelayNoOtherClient|ConnectionsWithoutRequestEnd)$"

// costlyToPrint are tests that compile, format, print or plan for seconds.
const costlyToPrint = "^Test(PlansOfWideObjectsAreLinear|FilesCompile|FilesAreFormatted|WorkersMakeNoDifference|RandomPlans|PrintingIsInterrupted|ReadIsInverseOfFiles)$"

// Floor is the part of a package's mutants that tests must kill, in percent.
const Floor = 85
