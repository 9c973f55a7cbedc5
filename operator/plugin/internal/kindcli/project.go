package kindcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/stratakube/strata/operator/plugin/internal/protofiles"
	"github.com/stratakube/strata/operator/plugin/internal/releases"
)

// CheckProject reports problems of a project's kinds. These are generated code that differs from
// its protobuf files, released versions that have changed, and versions that rise by more than
// one.
func CheckProject(ctx context.Context, p *protofiles.Project) error {
	image, err := p.Image(ctx)
	if err != nil {
		return err // every other check would only repeat it
	}
	return check(ctx, p, image)
}

// check is CheckProject with the compiled protobuf files.
func check(ctx context.Context, p *protofiles.Project, image *descriptorpb.FileDescriptorSet) error {
	fresh := p.Fresh(ctx)
	all, err := releases.Read(filepath.Join(p.Dir, releases.Folder))
	if err != nil {
		return errors.Join(fresh, err)
	}
	newest, err := protofiles.Newest(image)
	if err != nil {
		return errors.Join(fresh, err)
	}
	return errors.Join(fresh, unchanged(p, all, image), releases.Check(append(all, releases.Release{Release: next, Kinds: newest})))
}

// next is the name of the present files, as the release after the last one.
const next = "v999999.0.0"

// unchanged compares the present files with those of all releases.
func unchanged(p *protofiles.Project, all []releases.Release, image *descriptorpb.FileDescriptorSet) error {
	var wrong []error
	for _, r := range all {
		released, err := protofiles.ReadImage(filepath.Join(p.Dir, releases.Folder, r.Release))
		if err == nil {
			err = protofiles.Breaking(released, image)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("since release %s:\n%w", r.Release, err))
		}
	}
	return errors.Join(wrong...)
}

// Record adds a release to the record, for the present files. It checks the project first.
func Record(ctx context.Context, p *protofiles.Project, name string) error {
	if p.Program == "" {
		return fmt.Errorf("%s names no program: set it to the package of a plugin, as in ./cmd/local", protofiles.ConfigFile)
	}
	image, err := p.Image(ctx)
	if err != nil {
		return err
	}
	if err := check(ctx, p, image); err != nil {
		return err
	}
	folder := filepath.Join(p.Dir, releases.Folder)
	all, err := extend(folder, name, image)
	if err != nil {
		return err
	}
	compiled, err := proto.MarshalOptions{Deterministic: true}.Marshal(image)
	if err != nil {
		return fmt.Errorf("record release: %w", err)
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return fmt.Errorf("record release: %w", err)
	}
	archive, err := releases.Archive(dir, p.Program)
	if err != nil {
		return err
	}
	record, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("record release: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(folder, name), 0o777); err != nil {
		return fmt.Errorf("record release: %w", err)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, name, protofiles.ImageFile), compiled, 0o666),
		os.WriteFile(filepath.Join(folder, name, releases.ArchiveFile), archive, 0o666),
		os.WriteFile(filepath.Join(folder, releases.RecordFile), append(record, '\n'), 0o666),
	)
}

// extend adds the release to the existing ones.
func extend(folder, name string, image *descriptorpb.FileDescriptorSet) ([]releases.Release, error) {
	all, err := releases.Read(folder)
	if err != nil {
		return nil, err
	}
	newest, err := protofiles.Newest(image)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Release == name {
			return nil, fmt.Errorf("%s is recorded already", name)
		}
	}
	all = append(all, releases.Release{Release: name, Kinds: newest})
	return all, releases.Check(all)
}
