package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/doctor"
	"github.com/stratakube/strata/generator/internal/emit/planfile"
	"github.com/stratakube/strata/generator/internal/output"
)

// DoctorRequest contains the parameters of strata doctor.
type DoctorRequest struct {
	Request
	// InCluster also looks at a cluster. Flags are those of strata cluster doctor that select it.
	InCluster bool
	Flags     []string
	// Cluster runs a command of strata-cluster with an input, and returns what it prints.
	Cluster func(ctx context.Context, input []byte, args ...string) ([]byte, error)
}

// Doctor returns what is wrong with a project, and with a cluster if the request names one.
func (Engine) Doctor(ctx context.Context, r DoctorRequest) ([]doctor.Finding, error) {
	found, err := r.project(ctx)
	if err == nil && r.InCluster {
		err = r.cluster(ctx, &found)
	}
	if err != nil {
		return nil, err
	}
	doctor.Sort(found)
	return found, nil
}

// cluster adds what strata-cluster finds in a cluster. It compares the cluster with the generated
// folder if there is one.
func (r *DoctorRequest) cluster(ctx context.Context, found *[]doctor.Finding) error {
	args := append([]string{"doctor", "-o", "json"}, r.Flags...)
	if c, err := config.Read(r.Config, r.Sources); err == nil {
		if _, err := os.Stat(filepath.Join(c.Output.Dir, "crds")); err == nil {
			args = append(args, "--package", c.Output.Dir)
		}
	}
	text, err := r.Cluster(ctx, nil, args...)
	if err != nil {
		return err
	}
	var answer struct{ Findings []doctor.Finding }
	if err := json.Unmarshal(text, &answer); err != nil {
		return diag.Errorf(diag.Pos{}, "strata cluster doctor: its answer cannot be read: %v", err).WithHint("install strata and strata-cluster of one release")
	}
	*found = append(*found, answer.Findings...)
	return nil
}

// project returns what is wrong with the project of the configuration.
func (r *DoctorRequest) project(ctx context.Context) ([]doctor.Finding, error) {
	list := new(diag.List)
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		if _, missing := os.Stat(r.Config); missing != nil {
			return nil, err
		}
		list.AddError(err)
		return r.messages("config", list), nil
	}
	generate := "strata generate --config " + r.Config
	if r.Config == "strata.yaml" {
		generate = "strata generate"
	}
	manifest, err := output.ReadManifest(c.Output.Dir, r.Sources)
	if err != nil {
		list.AddError(err)
		return r.messages("manifest", list), nil
	}
	if manifest == nil {
		return []doctor.Finding{{ID: "not-generated", Severity: doctor.Error, Subject: c.Output.Dir, Explanation: "nothing was generated yet", Command: generate}}, nil
	}
	found := formats(c.Output.Dir, generate)
	drift, err := r.drift(ctx, generate)
	if err != nil {
		return nil, err
	}
	found = append(found, drift...)
	modules, err := doctor.Modules(ctx, c.Output.Dir, c.Output.Runtime, RuntimeConstant())
	if err != nil {
		return nil, err
	}
	found = append(found, modules...)
	committed, err := doctor.Repository(ctx, r.Config, filepath.Join(c.Output.Dir, "ledger"), filepath.Join(c.Output.Dir, output.ManifestFile))
	if err != nil {
		return nil, err
	}
	return append(append(found, committed...), unserved(c)...), nil
}

// messages returns the errors of a run as findings.
func (r *DoctorRequest) messages(id string, list *diag.List) []doctor.Finding {
	var out []doctor.Finding
	for _, m := range list.Messages() {
		if m.Severity != diag.Error {
			continue
		}
		subject := m.Pos.File
		if at, ok := r.Sources.Locate(m.Pos); ok {
			subject = fmt.Sprintf("%s:%d:%d", m.Pos.File, at.Line, at.Column)
		}
		if subject == "" {
			subject = r.Config
		}
		out = append(out, doctor.Finding{ID: id, Severity: doctor.Error, Subject: subject, Explanation: m.Text, Hint: strings.TrimSpace(m.Hint + "\n" + m.Paste)})
	}
	return out
}

// drift returns how the generated files differ from what generate would write, or why it would
// write nothing.
func (r *DoctorRequest) drift(ctx context.Context, generate string) ([]doctor.Finding, error) {
	request := r.Request
	request.Messages = new(diag.List)
	result, err := Engine{}.Generate(ctx, GenerateRequest{Request: request, Check: true})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if request.Messages.AddError(err); request.Messages.Err() != nil {
		return r.messages("generate-fails", request.Messages), nil
	}
	if result.Changes == nil {
		return nil, nil
	}
	explanations := map[output.Difference][2]string{
		output.Missing: {"generated-missing", "a generated file is missing"},
		output.Changed: {"generated-older", "generate would write another file: sources, strata.yaml or strata have changed since"},
		output.Edited:  {"generated-edited", "a generated file was edited by hand; the next run overwrites it: move what must stay to a file of your own"},
		output.Stale:   {"generated-stale", "no resource needs this generated file any more"},
		output.NotOurs: {"not-generated", "a file that strata has not written is where it writes a generated one: move it away"},
	}
	const most = 20 // of a kind; generate mends all of them
	counts := map[output.Difference]int{}
	var out []doctor.Finding
	for _, d := range result.Changes.Drift() {
		if counts[d.Kind]++; counts[d.Kind] > most {
			continue
		}
		about := explanations[d.Kind]
		f := doctor.Finding{ID: about[0], Severity: doctor.Error, Subject: filepath.Join(result.Changes.Dir, filepath.FromSlash(d.Path)), Explanation: about[1], Command: generate}
		if counts[d.Kind] == most {
			f.Explanation += ". There are more files like this one"
		}
		out = append(out, f)
	}
	return out, nil
}

// formats returns the plan files whose format is not that of this program.
func formats(dir, generate string) []doctor.Finding {
	files, err := filepath.Glob(filepath.Join(dir, planfile.Folder, "*.json"))
	if err != nil {
		return nil
	}
	var out []doctor.Finding
	for _, file := range files {
		var of struct{ Format int }
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.NewDecoder(bytes.NewReader(text)).Decode(&of)
		}
		if syntax := (*json.SyntaxError)(nil); err != nil && !errors.As(err, &syntax) {
			continue // generated-missing, or another finding names it
		}
		switch {
		case of.Format > planfile.Format:
			out = append(out, doctor.Finding{
				ID: "strata-older", Severity: doctor.Error, Subject: file, Explanation: fmt.Sprintf("the plan file has format %d, and this strata knows format %d", of.Format, planfile.Format),
				Command: "go install github.com/stratakube/strata/generator/cmd/strata@latest",
			})
		case of.Format < planfile.Format:
			out = append(out, doctor.Finding{
				ID: "plan-format", Severity: doctor.Error, Subject: file, Explanation: fmt.Sprintf("the plan file has format %d, and this strata writes format %d", of.Format, planfile.Format), Command: generate,
			})
		}
	}
	return out
}

// unserved notes the versions that the configuration does not serve, but still generates.
func unserved(c *config.Config) []doctor.Finding {
	named := func(l config.Label) string { return strings.TrimPrefix(l.Group+"/"+l.Version, "/") }
	pruned := map[string]bool{}
	for _, label := range c.Versions.Prune {
		pruned[named(label)] = true
	}
	var names []string
	for _, label := range c.Versions.Unserve {
		if name := named(label); !pruned[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []doctor.Finding{{
		ID: "unserved", Severity: doctor.Note, Subject: "versions.unserve", Explanation: "no longer served, and still generated: " + strings.Join(names, ", "),
		Hint: "once no cluster stores objects in them, add them to versions.prune with evidence of strata cluster upgrade prune --save-evidence",
	}}
}
