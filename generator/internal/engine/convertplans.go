package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit/planfile"
)

// plans reads the plans that the request names.
func (r *ConvertRequest) plans(ctx context.Context) (*conversion.Plans, error) {
	out := new(conversion.Plans)
	from := r.From
	if len(from) == 0 {
		folder, err := r.generated()
		if err != nil {
			return nil, err
		}
		from = []string{folder}
	}
	for _, source := range from {
		if err := r.addPlans(ctx, out, source); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// generated returns the folder of plan files that the configuration generates.
func (r *ConvertRequest) generated() (string, error) {
	if _, err := os.Stat(r.Config); err != nil {
		return "", diag.Errorf(diag.Pos{}, "there are no plans to convert by: this folder has no %s", r.Config).
			WithHint("name plan files, CRDs or a cluster:").WithPaste("  strata convert --from api/conversions/shop.json ...\n  strata convert --from crds ...\n  strata convert --from kube://my-cluster ...\n")
	}
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(c.Output.Dir, planfile.Folder)
	if _, err := os.Stat(folder); err != nil {
		return "", diag.Errorf(diag.Pos{}, "there is no folder %s with plans", folder).WithHint("run strata generate")
	}
	return folder, nil
}

// addPlans adds the plans of a file, a folder or a cluster.
func (r *ConvertRequest) addPlans(ctx context.Context, to *conversion.Plans, source string) error {
	if name, isCluster := strings.CutPrefix(source, kubeScheme); isCluster {
		return r.addCluster(ctx, to, name)
	}
	info, err := os.Stat(source)
	if err != nil {
		return diag.Errorf(diag.Pos{}, "%v", err).WithHint("--from takes a plan file, a folder of plan files or CRDs, or kube:// and a context")
	}
	files := []string{source}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(source, "*.json")); err != nil {
			return err
		}
	}
	if !anyPlan(files) {
		if err := refuseGenerated(source); err != nil {
			return err
		}
		if info.IsDir() {
			return r.addCRDs(ctx, to, source)
		}
		return r.addDefinitions(ctx, to, source)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			err = to.Add(text)
		}
		if err != nil {
			return diag.Errorf(diag.Pos{}, "read the plans in %s: %v", name, err)
		}
	}
	return nil
}

// anyPlan reports whether one of the files is a plan file.
func anyPlan(files []string) bool {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil && strings.HasPrefix(string(text), `{"format":`) {
			return true
		}
	}
	return false
}

// addDefinitions adds the plans of a file with CRDs.
func (r *ConvertRequest) addDefinitions(ctx context.Context, to *conversion.Plans, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return r.within(func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600); err != nil {
			return err
		}
		return r.addCRDs(ctx, to, dir)
	})
}

// within calls a function with a folder that exists for its time.
func (r *ConvertRequest) within(use func(dir string) error) error {
	dir, err := os.MkdirTemp("", "strata-convert-")
	if err != nil {
		return err
	}
	return errors.Join(use(dir), os.RemoveAll(dir))
}

// addCRDs plans conversions between the versions of the CRDs in a folder.
func (r *ConvertRequest) addCRDs(ctx context.Context, to *conversion.Plans, folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	root, err := json.Marshal(filepath.ToSlash(folder))
	if err != nil {
		return err
	}
	return r.within(func(dir string) error {
		file := filepath.Join(dir, "strata.yaml")
		c, err := config.Decode(file, []byte("apiVersion: "+config.APIVersion+"\nkind: Generation\nsources:\n- crd: {root: "+string(root)+"}\noutput: {dir: api, module: example.com/api}\n"))
		if err != nil {
			return err
		}
		request := r.Request
		request.Config = file
		planned, err := newRun(request, c).toPlan(ctx, planOptions{Importing: true})
		if err != nil {
			return err
		}
		files, err := planfile.Files(ctx, planned.plan)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := to.Add(f.Body); err != nil {
				return diag.Errorf(diag.Pos{}, "plan the conversions of the CRDs in %s: %v", folder, err)
			}
		}
		return nil
	})
}
