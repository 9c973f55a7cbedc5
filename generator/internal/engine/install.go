package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/install"
	"github.com/stratakube/strata/generator/internal/output"
)

// Install prints the manifests that install the selected kinds, or writes packages of them.
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
	crds, files, err := selected.defined(ctx, selected.definitions(), in)
	if err != nil {
		return err
	}
	var all []emit.File
	for _, f := range crds {
		all = append(all, fileOf(f))
	}
	all = append(all, files...)
	if r.Dir != "" {
		return writePackages(ctx, r, all)
	}
	_, err = r.Out.Write(stream(all, r.Parts))
	return err
}

// checkInstall returns an error for parts that do not exist.
func (run *Run) checkInstall(r InstallRequest) error {
	known := parts
	if run.config.Install.Operator == nil {
		known = slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == install.PartOperator })
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

const partCRDs = "crds"

// parts are the parts of an installation, in the order in which they must be applied to a cluster
// that has objects. CRDs come after the parts that they need, and before those that need them.
var parts = []string{install.PartWebhook, install.PartPolicies, partCRDs, install.PartOperator}

// stream concatenates manifests, part by part. wanted lists the parts; none means all.
func stream(files []emit.File, wanted []string) []byte {
	var out bytes.Buffer
	for _, part := range parts {
		if len(wanted) > 0 && !slices.Contains(wanted, part) {
			continue
		}
		for _, f := range files {
			if f.Part != part {
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

// writePackages writes the packages into a folder.
func writePackages(ctx context.Context, r InstallRequest, made []emit.File) error {
	var files []output.File
	for _, f := range made {
		files = append(files, output.File{Path: f.Path, Body: f.Body})
	}
	return writeFolder(ctx, r.Request, r.Dir, files, r.Out)
}

// writeFolder writes files into a folder of their own, and removes those of an earlier run that are
// not among them. A file that no earlier run wrote is an error.
func writeFolder(ctx context.Context, r Request, dir string, files []output.File, out io.Writer) error {
	previous, err := output.ReadManifest(dir, r.Sources)
	if err != nil {
		return err
	}
	changes, err := output.Compare(ctx, output.Run{Dir: dir, Files: files, Previous: previous})
	if err != nil {
		return err
	}
	r.Messages.Add(changes.Messages...)
	if err := changes.Apply(ctx); err != nil {
		return fmt.Errorf("write to %s: %w", dir, err)
	}
	_, err = fmt.Fprintf(out, "files: %d: %d created, %d updated, %d removed, %d kept\n", len(changes.Outputs),
		changes.Count(output.Create), changes.Count(output.Update), changes.Count(output.Remove), changes.Kept)
	return err
}
