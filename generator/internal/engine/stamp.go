package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/output"
)

// stamping skips a run that has the inputs of the last one, and whose output is unchanged on disk.
type stamping struct {
	request Request
	config  *config.Config
	// inputs is a digest of the files that the run reads and does not write, computed before the
	// run reads them. So the next run notices files that change during this one.
	inputs   output.Digest
	manifest *output.Manifest // an outline of that of the last run; nil if there is none
	err      error

	read, wrote *output.Sums // of inputs, and of outputs; nil for a run that reads all of them
}

// stamped is the result that a skipped run reports again.
type stamped struct {
	Summary  Summary
	CRDs     []CRDSize
	Messages []diag.Message
}

// The purposes of the file states in the cache folder.
const (
	inputStates  = "inputs"
	outputStates = "written"
)

// newStamping computes the digest of the inputs. If thorough, it reads all files. Otherwise it does
// not read files whose state is the one that an earlier run recorded.
func newStamping(ctx context.Context, r Request, c *config.Config, listings listings, thorough bool) *stamping {
	s := &stamping{request: r, config: c}
	if !thorough {
		s.read, s.wrote = output.ReadSums(c.Output.Dir, inputStates), output.ReadSums(c.Output.Dir, outputStates)
	}
	s.inputs, s.manifest, s.err = digest(ctx, r, c, listings, byContent, s.read)
	return s
}

// fresh returns the result of the last run if this one can be skipped. It ignores read errors,
// because a full run reports them.
func (s *stamping) fresh(ctx context.Context) (stamped, bool) {
	var again stamped
	dir := s.config.Output.Dir
	all, err := s.withState(ctx)
	if err != nil {
		return again, false
	}
	stamp := output.ReadStamp(dir)
	if !stamp.Fresh(ctx, dir, all, s.wrote) || json.Unmarshal(stamp.Result, &again) != nil {
		return again, false
	}
	s.store()
	again.Summary.UpToDate = true
	return again, true
}

// store records the states of files for the next run. Without them that run reads all files, so
// errors are ignored.
func (s *stamping) store() { _ = errors.Join(s.read.Write(), s.wrote.Write()) }

// again returns the result of a skipped run: all files are unchanged.
func (s *stamping) again(before stamped) GenerateResult {
	s.request.Messages.Add(before.Messages...)
	changes := &output.Changes{Dir: s.config.Output.Dir, Kept: before.Summary.Files, Manifest: s.manifest}
	return GenerateResult{Summary: before.Summary, CRDs: before.CRDs, Changes: changes}
}

// stamp records a run that completed.
func (s *stamping) stamp(ctx context.Context, result GenerateResult, messages []diag.Message) error {
	all, err := s.withState(ctx)
	if err != nil {
		return err
	}
	again, err := json.Marshal(stamped{result.Summary, result.CRDs, messages})
	if err != nil {
		return err
	}
	_ = s.read.Write() // without it, the next run reads all inputs
	stamp := &output.Stamp{Inputs: all, Outputs: result.Changes.Outputs, Result: again}
	return stamp.Write(s.config.Output.Dir)
}

// withState adds to the inputs the current state of the files that a run both reads and writes.
func (s *stamping) withState(ctx context.Context) (output.Digest, error) {
	if s.err != nil {
		return output.Digest{}, s.err
	}
	in := output.Inputs{Sums: s.read}
	in.AddBytes("inputs", s.inputs[:])
	in.AddFile("manifest", filepath.Join(s.config.Output.Dir, output.ManifestFile))
	if err := in.AddTree("ledger", filepath.Join(s.config.Output.Dir, output.LedgerDir), nil); err != nil {
		return output.Digest{}, err
	}
	return in.Digest(ctx)
}

// digest computes a digest of the program, the configuration, the flags, the schemas, and the
// user's Go files in the folders of generated code. The configuration's name is an input because
// messages begin with it. It also returns an outline of the manifest.
func digest(ctx context.Context, r Request, c *config.Config, listings listings, add adding, sums *output.Sums) (output.Digest, *output.Manifest, error) {
	in := output.Inputs{Sums: sums}
	if err := in.AddExecutable(); err != nil {
		return output.Digest{}, nil, err
	}
	in.AddFile("config", r.Config)
	in.AddBytes("options", fmt.Appendf(nil, "%q %t %q %q", r.Config, r.Lenient, r.Only.Resources, r.Only.Versions))
	for _, p := range c.Versions.Evidence {
		in.AddFile("evidence "+p.Name, p.File)
	}
	for i, s := range c.Sources {
		name := fmt.Sprintf("source %d %s", i, s.Kind())
		if s.Go != nil {
			in.AddBytes(name, fmt.Appendf(nil, "%q", s.Go.Packages))
			if err := addModules(&in, name, c, s.Go.Packages); err != nil {
				return output.Digest{}, nil, err
			}
			continue
		}
		for _, t := range s.Trees() {
			included, others, err := schemas(s, t, listings)
			if err != nil {
				return output.Digest{}, nil, err
			}
			if err := errors.Join(add(&in, name, t.Root, included), in.AddStates(name, t.Root, others)); err != nil {
				return output.Digest{}, nil, err
			}
		}
	}
	manifest, err := output.ReadOutline(c.Output.Dir, r.Sources)
	if err != nil {
		return output.Digest{}, nil, err
	}
	files, err := output.HandWritten(c.Output.Dir, manifest)
	if err != nil {
		return output.Digest{}, nil, err
	}
	if err := add(&in, "hand-written", c.Output.Dir, files); err != nil {
		return output.Digest{}, nil, err
	}
	sum, err := in.Digest(ctx)
	return sum, manifest, err
}

// adding adds files of a folder to inputs.
type adding func(in *output.Inputs, name, dir string, files []string) error

// byContent reads the files.
func byContent(in *output.Inputs, name, dir string, files []string) error {
	in.AddFiles(name, dir, files)
	return nil
}

// Inputs returns a digest of what a run of strata generate reads: schemas and hand-written files by
// size and time, and all other files by content. The digest is another one after each change. If
// the configuration cannot be read, it is that of the configuration.
func (Engine) Inputs(ctx context.Context, r Request) (output.Digest, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err == nil {
		var all output.Digest
		if all, _, err = digest(ctx, r, c, listings{}, (*output.Inputs).AddStates, nil); err == nil {
			return all, nil
		}
	}
	if ctx.Err() != nil {
		return output.Digest{}, ctx.Err()
	}
	var in output.Inputs
	in.AddFile("config", r.Config)
	in.AddBytes("error", []byte(err.Error()))
	return in.Digest(ctx)
}

// schemas lists the files of a source's tree that a run may read: the included files, and others
// that they may refer to.
func schemas(s config.Source, t *config.Tree, listings listings) (included, others []string, err error) {
	tree, err := listings.below(t.Root)
	for _, path := range tree {
		switch {
		case t.Match(path):
			included = append(included, path)
		case s.ARM != nil && isOf(path, ".json"), s.OpenAPI != nil && isOf(path, ".json", ".yaml", ".yml"):
			others = append(others, path)
		}
	}
	return included, others, err
}

// isOf reports whether a path has one of the extensions, in any letter case.
func isOf(path string, extensions ...string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(path)))
}
