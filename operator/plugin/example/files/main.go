// Command files is an example of a plugin: a provider of version 1 whose external API is a folder.
// Each resource is a file with the JSON of its spec.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/operator/plugin"
	provider "github.com/stratakube/strata/operator/plugin/provider/v1"
)

func main() {
	plugin.Serve(func(s *plugin.Server) {
		provider.Register(s, "example.com/files", newFiles)
	})
}

// files stores resources in a folder.
type files struct{ folder string }

func newFiles(_ context.Context, config map[string]string) (provider.Provider, error) {
	if config["folder"] == "" {
		return nil, errors.New("the configuration lacks folder")
	}
	return files{config["folder"]}, nil
}

func (f files) path(r *provider.Resource) string {
	return filepath.Join(f.folder, filepath.Base(r.GetPlace().GetName()))
}

func (f files) Observe(_ context.Context, in *provider.ObserveRequest) (*provider.ObserveResponse, error) {
	path := f.path(in.GetResource())
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &provider.ObserveResponse{Observation: &provider.Observation{}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	return &provider.ObserveResponse{Observation: &provider.Observation{Exists: true, Id: path, Status: body}}, nil
}

func (f files) Apply(_ context.Context, in *provider.ApplyRequest) (*provider.ApplyResponse, error) {
	path := f.path(in.GetResource())
	if err := os.WriteFile(path, in.GetResource().GetSpec(), 0o600); err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	return &provider.ApplyResponse{
		Observation: &provider.Observation{Exists: true, Id: path, Status: in.GetResource().GetSpec()},
	}, nil
}

func (f files) Delete(_ context.Context, in *provider.DeleteRequest) (*provider.DeleteResponse, error) {
	if err := os.Remove(f.path(in.GetResource())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("delete: %w", err)
	}
	return &provider.DeleteResponse{}, nil
}
