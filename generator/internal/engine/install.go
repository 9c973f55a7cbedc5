package engine

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/emit/install"
	"github.com/stratakube/strata/generator/internal/output"
)

// Install prints what installs the selected kinds, or writes packages of it.
func (Engine) Install(ctx context.Context, r InstallRequest) error {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return err
	}
	run := newRun(r.Request, c)
	if err := run.checkInstall(r); err != nil {
		return err
	}
	selected, err := run.toPlan(ctx, planOptions{})
	if err != nil {
		return err
	}
	if len(r.Select) > 0 {
		if selected.plan, err = install.Select(selected.plan, r.Select); err != nil {
			return diag.Errorf(diag.Pos{}, "--select: %v", err)
		}
	}
	in := c.Install
	if in.Kustomize == "" && (r.Dir == "" || in.Helm == "") {
		in.Kustomize = "config"
	}
	crds, files, err := selected.defined(ctx, in)
	if err != nil {
		return err
	}
	var all []output.File
	for _, f := range slices.Concat(filesOf(crds), files) {
		all = append(all, output.File{Path: f.Path, Body: f.Body})
	}
	if r.Dir != "" {
		return writePackages(ctx, r, all)
	}
	_, err = r.Out.Write(stream(all, in.Kustomize, r.Parts))
	return err
}

// checkInstall refuses parts that there are not.
func (run *Run) checkInstall(r InstallRequest) error {
	known := []string{"webhook", "policies", "crds"}
	if run.config.Install.Operator != nil {
		known = append(known, "operator")
	}
	for _, part := range r.Parts {
		if !slices.Contains(known, part) {
			return diag.Errorf(diag.Pos{}, "--part: there is no %q", part).WithHint("there are %s", strings.Join(known, ", "))
		}
	}
	switch {
	case run.config.Output.NoCRDs:
		return diag.Errorf(run.config.At("output.crds"), "there is nothing to install: output.crds is false")
	case r.Dir != "" && len(r.Parts) > 0:
		return diag.Errorf(diag.Pos{}, "--part chooses of what is printed, and --dir prints nothing").WithHint("remove one of the two")
	}
	return nil
}

// stream puts manifests behind each other, in the order in which a cluster that has
// objects must get them: definitions come after what they need, and before what needs
// them.
func stream(files []output.File, folder string, parts []string) []byte {
	var out bytes.Buffer
	for _, p := range []struct{ part, pattern string }{
		{"webhook", folder + "/namespace.yaml"},
		{"webhook", folder + "/webhook.yaml"},
		{"webhook", folder + "/certificates.yaml"},
		{"policies", folder + "/policies.yaml"},
		{"crds", crd.Folder + "/*.yaml"},
		{"operator", folder + "/operator.yaml"},
	} {
		if len(parts) > 0 && !slices.Contains(parts, p.part) {
			continue
		}
		for _, f := range files {
			if matches, err := path.Match(p.pattern, f.Path); err != nil || !matches {
				continue
			}
			if out.Len() > 0 {
				out.WriteString("---\n")
			}
			out.Write(f.Body)
		}
	}
	return out.Bytes()
}

// writePackages makes a folder hold the packages and nothing of another selection. A
// file that is not of an earlier run is in the way.
func writePackages(ctx context.Context, r InstallRequest, files []output.File) error {
	previous, err := output.ReadManifest(r.Dir, r.Sources)
	if err != nil {
		return err
	}
	changes, err := output.Compare(ctx, output.Run{Dir: r.Dir, Files: files, Previous: previous})
	if err != nil {
		return err
	}
	r.Messages.Add(changes.Messages...)
	if err := changes.Apply(ctx); err != nil {
		return fmt.Errorf("write packages: %w", err)
	}
	_, err = fmt.Fprintf(r.Out, "files: %d: %d created, %d updated, %d removed, %d kept\n", len(changes.Outputs),
		changes.Count(output.Create), changes.Count(output.Update), changes.Count(output.Remove), changes.Kept)
	return err
}
