package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/tuf"
)

// rootName is the name of the trusted root in repositories of Sigstore.
const rootName = "trusted_root.json"

// repository is a TUF repository that has a trusted root. The zero value is that of the public
// services, with the keys that the library embeds.
type repository struct {
	url    string
	anchor string // the file of its first root.json
}

// trustedRoot downloads the trusted root, and verifies it by the keys of the repository.
func (r repository) trustedRoot(ctx context.Context) ([]byte, error) {
	options := tuf.DefaultOptions().WithContext(ctx).WithDisableLocalCache()
	if (r.url == "") != (r.anchor == "") {
		return nil, errors.New("give the address of a repository together with its root.json")
	}
	if r.url != "" {
		anchor, err := os.ReadFile(r.anchor)
		if err != nil {
			return nil, err
		}
		options = options.WithRepositoryBaseURL(r.url).WithRoot(anchor)
	}
	client, err := tuf.New(options)
	if err != nil {
		return nil, fmt.Errorf("download the trusted root: %w", err)
	}
	text, err := client.GetTarget(rootName)
	if err != nil {
		return nil, fmt.Errorf("download the trusted root: %w", err)
	}
	if _, err := root.NewTrustedRootFromJSON(text); err != nil {
		return nil, fmt.Errorf("read the trusted root: %w", err)
	}
	return text, nil
}
