package engine

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/buildedit"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/goedit"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

// buildEdits returns the changes by which the project builds, installs and tests the generated CRDs
// instead of those of controller-gen. The result gets them as a patch, and what is not recognized.
func (r InitRequest) buildEdits(c *config.Config, result *InitResult) ([]scaffold.Edit, error) {
	choices, build := result.Choices, &result.Found.Build
	if !choices.ReadsKinds(result.Found) || c.Output.NoCRDs {
		return nil, nil
	}
	var out []scaffold.Edit
	edit := func(name string, do func(before []byte) ([]byte, error)) error {
		file, before, err := r.read(name)
		if err != nil {
			return err
		}
		after, err := do(before)
		var refusal *buildedit.Refusal
		switch {
		case errors.As(err, &refusal):
			result.Refused = append(result.Refused, Refused{name, refusal})
		case err != nil:
			return err
		}
		if after != nil && !bytes.Equal(before, after) {
			out = append(out, scaffold.Edit{Path: name, Body: after})
			result.Patch = append(result.Patch, buildedit.Patch(name, file, endedAs(file, after))...)
		}
		return nil
	}
	var err error
	if build.Makefile != "" {
		err = edit(build.Makefile, func(before []byte) ([]byte, error) { return makefile(before, choices) })
	}
	if build.Kustomization != "" && c.Install.Kustomize == "" {
		err = errors.Join(err, edit(build.Kustomization, func(before []byte) ([]byte, error) { return kustomized(before, c, choices, *build) }))
	}
	for _, suite := range build.Suites {
		err = errors.Join(err, edit(suite, func(before []byte) ([]byte, error) { return r.suite(suite, before, c, *result) }))
	}
	build.Edits = len(out)
	return out, err
}

// makefile edits what runs controller-gen, and includes what builds the image of the webhook. A
// refusal of the former comes with the latter.
func makefile(before []byte, choices scaffold.Choices) ([]byte, error) {
	after, err := buildedit.Makefile(before)
	if lines := choices.ImageLines(); lines != "" {
		if after == nil {
			after = before
		}
		after = buildedit.Include(after, lines)
	}
	return after, err
}

// kustomized edits the kustomization of CRDs. It refers to that of the output folder, which the
// configuration must request.
func kustomized(before []byte, c *config.Config, choices scaffold.Choices, build scaffold.Build) ([]byte, error) {
	folder := relativeTo(path.Dir(build.Kustomization), choices.Output)
	after, err := buildedit.Kustomization(before, buildedit.CRDs{Replaced: build.Replaces, Patches: build.Patches, Folder: folder})
	if err == nil && !bytes.Equal(before, after) && !c.Output.Kustomization {
		return nil, &buildedit.Refusal{Why: scaffold.ConfigFile + " requests no kustomization of the CRDs; add the last line", Paste: "output:\n  kustomization: true\n"}
	}
	return after, err
}

// relativeTo returns a path in the project, relative to a folder in it.
func relativeTo(folder, name string) string {
	return strings.Repeat("../", strings.Count(folder, "/")+1) + name
}

// suite edits a test that starts envtest: where it finds CRDs, and, if it serves webhooks, what its
// scheme has. Without the webhook, envtest lets the API server convert by itself.
func (r InitRequest) suite(name string, before []byte, c *config.Config, result InitResult) ([]byte, error) {
	folder := path.Join(result.Choices.Output, "crds")
	after, unknown, err := goedit.CRDPaths(name, before, scaffold.CRDBases, folder)
	if err != nil {
		return nil, err
	}
	paste := fmt.Sprintf("CRDDirectoryPaths: []string{%q},\n", relativeTo(path.Dir(name), folder))
	if len(unknown) > 0 {
		return nil, &buildedit.Refusal{Line: unknown[0], Why: "the folders of CRDs do not include " + scaffold.CRDBases, Paste: paste}
	}
	if result.Found.Build.MixesCRDs() && !bytes.Equal(before, after) {
		return nil, &buildedit.Refusal{Why: scaffold.CRDBases + " also has CRDs of other kinds, and envtest would not read them", Paste: paste}
	}
	if !goedit.ServesWebhooks(before) {
		return after, nil
	}
	return registered(name, after, c.Output.Module, result)
}

// registered edits what the scheme of a suite has. A suite that adds no package of the user gets
// its scheme from another file. A refusal comes with the edited suite.
func registered(name string, before []byte, module string, result InitResult) ([]byte, error) {
	known := result.known()
	suite, has, err := goedit.Register(name, before, module, known)
	if err != nil {
		return nil, err
	}
	if result.Choices.Write {
		before = suite // the lines are those that the user finds
	}
	at, err := goedit.RegistrationOf(name, before, module, known)
	switch {
	case err != nil:
		return nil, err
	case !has && at.Known > 0:
		return suite, &buildedit.Refusal{
			Line: at.Known, Why: "it is not clear how to add the generated package beside yours; add it before envtest starts",
			Paste: fmt.Sprintf("import versions %q\nversions.AddToScheme(scheme)\n", module),
		}
	case at.Late > 0:
		return suite, &buildedit.Refusal{
			Line: at.Late, Why: "envtest starts before this line, and does not know that the types convert; move the line, or set in the options",
			Paste: "WebhookInstallOptions: envtest.WebhookInstallOptions{IgnoreSchemeConvertible: true},\n",
		}
	}
	return suite, nil
}
