package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/generator"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

// Init writes all files of a new project, or none.
func (Engine) Init(ctx context.Context, r InitRequest) (InitResult, error) {
	found, err := scaffold.Look(ctx, r.Dir)
	if err != nil {
		return InitResult{}, err
	}
	choices := r.Choices
	if r.Ask != nil {
		if choices, err = r.Ask(found, choices); err != nil {
			return InitResult{}, err
		}
	}
	if choices, err = choices.Complete(found); err != nil {
		return InitResult{}, err
	}
	files := choices.Files(generator.Schema)
	if err := tryConfig(files[0]); err != nil {
		return InitResult{}, err
	}
	if err := free(r, files); err != nil {
		return InitResult{}, err
	}
	result := InitResult{Choices: choices}
	var all []output.File
	for _, f := range files {
		all = append(all, output.File(f))
		result.Files = append(result.Files, f.Path)
	}
	if err := output.Put(ctx, r.Dir, all); err != nil {
		if ctx.Err() != nil {
			return InitResult{}, ctx.Err()
		}
		return InitResult{}, fmt.Errorf("begin a project: %w", err)
	}
	return result, nil
}

// tryConfig checks the configuration before it is written: the user's choices may produce an
// invalid one.
func tryConfig(f scaffold.File) error {
	_, err := config.Decode(f.Path, f.Body)
	var wrong *diag.Failure
	if errors.As(err, &wrong) {
		m := wrong.Messages()[0]
		m.Pos = diag.Pos{}
		return m
	}
	return err
}

// free returns an error if one of the files exists.
func free(r InitRequest, files []scaffold.File) error {
	if r.Force {
		return nil
	}
	for _, f := range files {
		name := filepath.Join(r.Dir, filepath.FromSlash(f.Path))
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return diag.Errorf(diag.Pos{}, "%s is there already", name).WithHint("--force overwrites it")
		}
	}
	return nil
}
