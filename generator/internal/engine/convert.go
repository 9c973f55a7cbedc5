package engine

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/parallel"
)

// ConvertRequest contains the parameters of strata convert.
type ConvertRequest struct {
	Request
	// Paths are files and folders with manifests; - is the standard input In.
	Paths []string
	In    io.Reader
	// From lists where plans are: plan files, folders of plan files or of CRDs, and clusters, as in
	// kube://CONTEXT. If it is empty, the plans are those that the configuration generates.
	From []string
	conversion.Options
	// Write writes the files that change.
	Write bool
	// Converter returns the command line of the program that converts kinds with hand-written steps
	// of a group; none if there is no such program.
	Converter func(group string) []string
	// Cluster is as in [DiffRequest]. It is needed for clusters in From.
	Cluster func(ctx context.Context, input []byte, args ...string) ([]byte, error)
}

// ConvertResult is the result of strata convert. Files has the files that were read, in order.
type ConvertResult struct {
	Files []*conversion.Result
}

// converterLimit is how long a program may take to convert an object.
const converterLimit = 30 * time.Second

// stdin is the name of the standard input among paths and files.
const stdin = "-"

// Convert converts the objects of manifests. It writes nothing if one of them fails.
func (Engine) Convert(ctx context.Context, r ConvertRequest) (ConvertResult, error) {
	plans, err := r.plans(ctx)
	if err != nil {
		return ConvertResult{}, err
	}
	if err := r.checkVersions(plans); err != nil {
		return ConvertResult{}, err
	}
	files, err := r.files()
	if err != nil {
		return ConvertResult{}, err
	}
	if r.Converter != nil {
		r.Programs = conversion.NewPrograms(ctx, r.Converter, converterLimit)
		defer r.Programs.Close()
	}
	out := ConvertResult{Files: make([]*conversion.Result, len(files))}
	parallel.For(ctx, len(files), runtime.GOMAXPROCS(0), func(i int) { out.Files[i] = convertFile(ctx, plans, files[i], r.Options) })
	if ctx.Err() != nil {
		return ConvertResult{}, ctx.Err()
	}
	for _, f := range out.Files {
		r.Sources.Add(f.Name, []byte(f.Text))
		r.Messages.Add(f.Messages...)
	}
	if !r.Write || r.Messages.Err() != nil {
		return out, nil
	}
	for _, f := range out.Files {
		if f.After != f.Text && f.Name != stdin {
			if err := replaceFile(f.Name, []byte(f.After)); err != nil {
				return out, diag.Errorf(diag.InFile(f.Name), "%v", err)
			}
		}
	}
	return out, nil
}

// convertFile converts a file, unless it has nothing of the groups that have plans.
func convertFile(ctx context.Context, plans *conversion.Plans, file conversion.File, o conversion.Options) *conversion.Result {
	has := func(group string) bool { return strings.Contains(file.Text, group) }
	if file.Targets == nil && !slices.ContainsFunc(plans.Groups(), has) {
		return &conversion.Result{File: file, After: file.Text}
	}
	return plans.Convert(ctx, file, o)
}

// checkVersions refuses versions that no kind has.
func (r *ConvertRequest) checkVersions(plans *conversion.Plans) error {
	wanted := []string{}
	if r.To != "" {
		wanted = append(wanted, r.To)
	}
	for _, v := range r.Versions {
		wanted = append(wanted, v)
	}
	slices.Sort(wanted)
	for _, v := range wanted {
		if !plans.HasVersion(v) {
			return diag.Errorf(diag.Pos{}, "no kind has the version %s", v).WithHint("the versions are %s", strings.Join(plans.Versions(), ", "))
		}
	}
	return nil
}

// files reads the files at the paths of the request. It adds the targets of patches, which
// kustomizations name.
func (r *ConvertRequest) files() ([]conversion.File, error) {
	var out []conversion.File
	seen := map[string]bool{}
	for _, path := range r.Paths {
		names, err := manifestsAt(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if seen[filepath.Clean(name)] {
				continue
			}
			seen[filepath.Clean(name)] = true
			body, err := r.read(name)
			if err != nil {
				return nil, diag.Errorf(diag.Pos{}, "%v", err)
			}
			out = append(out, conversion.File{Name: name, Text: string(body)})
		}
	}
	patched := map[string][]conversion.Target{}
	for _, f := range out {
		if !strings.Contains(f.Text, "patches") {
			continue
		}
		for name, all := range conversion.Patched(f) {
			name = filepath.Join(filepath.Dir(f.Name), filepath.FromSlash(name))
			patched[name] = append(patched[name], all...)
		}
	}
	for i := range out {
		out[i].Targets, out[i].IsPatch = patched[filepath.Clean(out[i].Name)]
	}
	return out, nil
}

func (r *ConvertRequest) read(name string) ([]byte, error) {
	if name == stdin {
		return io.ReadAll(r.In)
	}
	return os.ReadFile(name)
}

// manifestsAt returns a file, or the YAML and JSON files of a folder, in order.
func manifestsAt(path string) ([]string, error) {
	if path == stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, diag.Errorf(diag.Pos{}, "%v", err).WithHint("name files or folders with manifests, or - for the standard input")
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var out []string
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != path && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !d.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name))):
			out = append(out, name)
		}
		return nil
	})
	if err != nil {
		return nil, diag.Errorf(diag.Pos{}, "%v", err)
	}
	return out, nil
}

// replaceFile writes a file in one step: a reader sees the old text or the new one. The file keeps
// its mode, and a symbolic link stays.
func replaceFile(name string, body []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".strata-convert-*")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error says more
	}
	return err
}
