//go:build mage

// Strata's targets. Package tools/build/targets does their work.
package main

import (
	"context"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/stratakube/strata/tools/build/targets"
)

// Default is the target of a bare `go tool mage`.
var Default = Generate

// Generate writes the worked example (schemas/crm/strata.yaml -> operator/api), the types of the
// webhook's tests, and those of tools/e2e/teams.
//
// STRATA_ARGS holds further flags, as in STRATA_ARGS="--dry-run -o json". With them the worked
// example alone is generated.
func Generate(ctx context.Context) error { return targets.Generate(ctx) }

// Build compiles all packages, and the commands into bin.
func Build(ctx context.Context) error { return targets.Build(ctx) }

// Lint checks the code: gofmt, go vet, golangci-lint with staticcheck, go mod tidy.
//
// golangci-lint is built on first use, which takes minutes.
func Lint(ctx context.Context) error { return targets.Lint(ctx) }

// Tidy writes go.mod and go.sum of all modules, which `go mod tidy` cannot do while siblings are
// unpublished.
func Tidy(ctx context.Context) error { return targets.Tidy(ctx) }

// Modules downloads the modules of all packages, tests and tools, so that other targets need no
// network.
func Modules(ctx context.Context) error { return targets.Modules(ctx) }

// Test runs go vet and golangci-lint, checks that generated files are up to date, and runs the
// tests that show that each mechanism works. It leaves those that take minutes to test:long.
func Test(ctx context.Context) error { return targets.Test(ctx) }

// TEST is the namespace of `test:quick` and `test:long`; the verb beside it has the name in small
// letters.
type TEST mg.Namespace

// Quick runs the short tests, in less than two minutes.
func (TEST) Quick(ctx context.Context) error { return targets.TestQuick(ctx) }

// Long runs all tests, also those that take minutes: further cases, histories and faults.
func (TEST) Long(ctx context.Context) error { return targets.TestLong(ctx) }

// Corpus generates code from the whole corpus of real schemas, compiles it, and runs its generated
// tests.
func Corpus(ctx context.Context) error { return targets.Corpus(ctx) }

// Soak runs all tests with the race detector and many cases, then every fuzz test, to find rare
// failures.
//
// Each fuzz test runs for 30 seconds, or for as long as -fuzzing says.
func Soak(ctx context.Context, fuzzing *time.Duration) error {
	return targets.Soak(ctx, or(fuzzing, 30*time.Second))
}

// Mutate changes operators in the most delicate packages one by one, and fails if their tests
// notice too few of the changes.
//
// A run that is interrupted prints what it has, and the next one goes on from there. -only is a
// regular expression of folders; -write puts the results into docs/reports/mutation.md, and leaves
// those of other packages as they are.
func Mutate(ctx context.Context, only *string, write *bool) error {
	return targets.Mutate(ctx, or(only, "."), or(write, false))
}

// Bench runs the benchmarks and prints what benchstat reads.
//
// -only is a regular expression of names; -count says how often each is run.
func Bench(ctx context.Context, only *string, count *int) error {
	return targets.Bench(ctx, or(only, "."), or(count, 1))
}

// BENCH is the namespace of `bench:webhook`; the verb beside it has the name in small letters.
type BENCH mg.Namespace

// Webhook measures the conversion webhook beside controller-runtime's handler, and prints the
// results.
//
// -write puts them into docs/reports; -rounds says how often each handler has its turn; -profile
// names a file for a CPU profile of the webhook, instead, over the cases that -only matches.
func (BENCH) Webhook(ctx context.Context, write *bool, rounds *int, profile, only *string) error {
	if profile != nil {
		return targets.ProfileWebhook(ctx, or(only, "."), *profile)
	}
	return targets.BenchWebhook(ctx, or(only, "."), or(rounds, 15), or(write, false))
}

// Plugin measures starts and calls of plugins beside a bare go-plugin, and prints the results.
//
// -write puts them into docs/reports; -rounds says how often each has its turn.
func (BENCH) Plugin(ctx context.Context, write *bool, rounds *int) error {
	return targets.BenchPlugin(ctx, or(rounds, 15), or(write, false))
}

// Operator measures an operator with many resources, and prints the results.
//
// -write puts them into docs/reports; -resources says how many there are.
func (BENCH) Operator(ctx context.Context, write *bool, resources *int) error {
	return targets.BenchOperator(ctx, or(resources, 5000), or(write, false))
}

// Scale measures how an operator starts with 50,000 resources that are ready, and how much memory
// each of them takes, and prints the results.
//
// -write puts them into docs/reports; -resources says how many there are in the end.
func (BENCH) Scale(ctx context.Context, write *bool, resources *int) error {
	return targets.BenchScale(ctx, or(resources, 50_000), or(write, false))
}

// Upgrade measures an upgrade of many stored objects, and prints the results.
//
// -write puts them into docs/reports; -objects says how many there are.
func (BENCH) Upgrade(ctx context.Context, write *bool, objects *int) error {
	return targets.BenchUpgrade(ctx, or(objects, 10_000), or(write, false))
}

// Reviews counts the conversion reviews that an API server sends for one request, and prints what
// causes them.
//
// -write puts the counts into docs/reports.
func (BENCH) Reviews(ctx context.Context, write *bool) error {
	return targets.BenchReviews(ctx, or(write, false))
}

// Crds measures what CRDs cost an API server, and prints the results. It needs the real schemas.
//
// -write puts them into docs/reports; -count says how many CRDs are generated.
func (BENCH) Crds(ctx context.Context, write *bool, count *int) error {
	return targets.BenchCRDs(ctx, or(count, 100), or(write, false))
}

// Code measures what generated code costs its users beside Azure Service Operator, and prints the
// results. It needs the real schemas, and downloads the peer.
//
// -write puts them into docs/reports; -all=false leaves out the process that registers the types of
// all schemas, which takes ten minutes to compile.
func (BENCH) Code(ctx context.Context, write, all *bool) error {
	return targets.BenchCode(ctx, or(all, true), or(write, false))
}

// Limits measures how the time of conversion reviews grows with what they have, calculates what a
// large cluster costs, and prints the results. It needs the real schemas.
//
// -write puts them into docs/reports; -rounds says how often each point of a curve has its turn.
func (BENCH) Limits(ctx context.Context, write *bool, rounds *int) error {
	return targets.BenchLimits(ctx, or(rounds, 15), or(write, false))
}

// Guard compares the ratios and counts of benchmarks with those that docs/reports records, and
// fails where one is more than 15 % worse.
//
// -only is a regular expression of the names webhook, plugin, operator, scale, upgrade, reviews,
// crds and limits. Reports and profiles are in bin/guard.
func (BENCH) Guard(ctx context.Context, only *string) error {
	return targets.BenchGuard(ctx, or(only, "."))
}

// Fetch brings the schemas that schemas/sources.yaml pins into schemas/.cache.
//
// STRATA_MIRROR names a folder or an https address to bring them from instead of their code host.
func Fetch(ctx context.Context) error { return targets.Fetch(ctx) }

// Proto generates the protobuf code of the plugins' contracts.
func Proto(ctx context.Context) error { return targets.Proto(ctx) }

// PROTO is the namespace of `proto:check` and `proto:release`; the verb beside them has the name in
// small letters.
type PROTO mg.Namespace

// Check fails if the protobuf code is not what its files generate, or if these break a released
// contract.
func (PROTO) Check(ctx context.Context) error { return targets.ProtoCheck(ctx) }

// Release records the plugins' contracts of a release, as in proto:release v0.2.0.
//
// What plugins are built of is archived with it, so that later hosts are tested with them.
func (PROTO) Release(ctx context.Context, release string) error {
	return targets.ProtoRelease(ctx, release)
}

// Pack packs all modules into a module proxy of files, and prints the environment that uses it.
//
// Another project then gets this checkout as if it were released. The pack stays until it is
// removed.
func Pack(ctx context.Context) error { return targets.Pack(ctx) }

// Release is the namespace of the verbs that release modules.
type Release mg.Namespace

// Plan prints what changed in each module since its last release, and the version that follows.
func (Release) Plan(ctx context.Context) error { return targets.ReleasePlan(ctx) }

// Prepare writes the versions of a release into all go.mod and go.sum files, and commits them.
//
// versions are v0.2.0 for all modules, runtime@v0.1.1 for one, several of them with commas, or next
// for what release:plan prints. A version that the changes do not permit is refused. It needs no
// network.
func (Release) Prepare(ctx context.Context, versions string) error {
	return targets.ReleasePrepare(ctx, versions)
}

// Check runs all gates of a release on the prepared commit. It needs no network.
func (Release) Check(ctx context.Context) error { return targets.ReleaseCheck(ctx) }

// Tag adds an annotated tag for each prepared module, and prints the command that pushes them.
//
// -sign signs them as git is configured to. The commit must have passed release:check.
func (Release) Tag(ctx context.Context, sign *bool) error {
	return targets.ReleaseTag(ctx, or(sign, false))
}

// Tags checks all tags of releases: their commits, and the sums that they state.
//
// -published also compares them with what the module proxies of GOPROXY serve.
func (Release) Tags(ctx context.Context, published *bool) error {
	return targets.ReleaseTags(ctx, or(published, false))
}

// Images builds container images of the commands into bin/images, without a container engine and
// without a registry.
//
// -tag is that of the images; dev without it. The image of the operator holds the plugins that are
// here, locked.
func Images(ctx context.Context, tag *string) error { return targets.Images(ctx, or(tag, "")) }

// Archives builds what users install into bin/release, as in release:archives v0.1.0: archives for
// all platforms, with checksums, lists of modules, a statement of origin and manifests.
//
// The same commit gives the same bytes. STRATA_RELEASE_BUILDER identifies who builds.
func (Release) Archives(ctx context.Context, version string) error {
	return targets.ReleaseArchives(ctx, version)
}

// Sign signs what is in bin/release.
//
// -key is the file of a private key, as cosign generate-key-pair makes it. Without it, the identity
// of the token in SIGSTORE_ID_TOKEN signs, by the public services of Sigstore.
func (Release) Sign(ctx context.Context, key *string) error {
	return targets.ReleaseSign(ctx, or(key, ""))
}

// Root downloads the trusted root of Sigstore's public services into a file, for release:verify.
func (Release) Root(ctx context.Context, file string) error { return targets.ReleaseRoot(ctx, file) }

// Verify verifies a folder with the archives of a release, without a network.
//
// STRATA_RELEASE_KEY names the file of the public key. For releases that an identity has signed,
// set STRATA_RELEASE_ROOT, STRATA_RELEASE_IDENTITY and STRATA_RELEASE_ISSUER.
func (Release) Verify(ctx context.Context, dir string) error { return targets.ReleaseVerify(ctx, dir) }

// Docs is the namespace of the targets of the documentation.
type Docs mg.Namespace

// Build builds the documentation of this checkout and of each release into bin/docs, and checks its
// links.
//
// Hugo is built on first use, which takes minutes.
func (Docs) Build(ctx context.Context) error { return targets.DocsBuild(ctx) }

// Serve serves the documentation of this checkout until Ctrl-C, and builds it again when a page
// changes.
//
// -address is that of the server, 127.0.0.1:8000 without it.
func (Docs) Serve(ctx context.Context, address *string) error {
	return targets.DocsServe(ctx, or(address, "127.0.0.1:8000"))
}

// Pictures renders the diagrams of pages that were edited since their pictures were made.
//
// It needs npm and Chromium. The pictures are committed.
func (Docs) Pictures(ctx context.Context) error { return targets.DocsPictures(ctx) }

// Demo shows what Strata does, step by step, with a real API server, the webhook and kubectl.
//
// On a terminal the cluster stays until Ctrl-C; without one the demo ends by itself. The cluster's
// programs are built on first use, which takes 3 to 10 minutes, or taken from KUBEBUILDER_ASSETS.
func Demo(ctx context.Context) error { return targets.Demo(ctx) }

// Armsim serves a simulator of Azure Resource Manager until Ctrl-C, with the worked example's
// schemas.
//
// STRATA_ARGS holds its flags instead, as in STRATA_ARGS="--schemas DIR --listen 127.0.0.1:8001
// --state FILE".
func Armsim(ctx context.Context) error { return targets.Armsim(ctx) }

// Cluster is the namespace of the verbs on a real API server in the background.
type Cluster mg.Namespace

// Up starts a real API server in the background, and prints how to reach it.
//
// Its programs are built on first use, which takes 3 to 10 minutes, or taken from
// KUBEBUILDER_ASSETS.
func (Cluster) Up(ctx context.Context) error { return targets.ClusterUp(ctx) }

// Down stops the API server that cluster:up has started.
func (Cluster) Down(ctx context.Context) error { return targets.ClusterDown(ctx) }

// Kubectl calls kubectl on the API server that cluster:up has started.
//
// STRATA_ARGS holds its arguments, as in STRATA_ARGS="get namespaces -o wide".
func (Cluster) Kubectl(ctx context.Context) error { return targets.ClusterKubectl(ctx) }

func or[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}
