package pack

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/stratakube/strata/operator/cluster/internal/bounded"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

// Limits of a package.
const (
	maxFiles = 2000
	maxFile  = 8 << 20
)

// Package is a package folder.
type Package struct {
	// CRDs are the kinds, sorted by name.
	CRDs []*crd.CRD
	// Digest is the SHA-256 of the names and contents of the CRDs' files.
	Digest string
}

// Generated returns the name of a CRD that Strata has generated; empty if there is none.
func (p *Package) Generated() string {
	for _, d := range p.CRDs {
		if d.Strata {
			return d.Name()
		}
	}
	return ""
}

// Read reads the CRDs in the folder crds of a package. The error has all files that are wrong.
func Read(dir string) (*Package, error) {
	files, err := filepath.Glob(filepath.Join(dir, "crds", "*.yaml"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read package: %w", err)
	case len(files) == 0:
		return nil, fmt.Errorf("read package: %s has no CRDs: name the folder that strata generate writes, which has a folder crds", dir)
	case len(files) > maxFiles:
		return nil, fmt.Errorf("read package: %s has %d CRDs, more than %d", dir, len(files), maxFiles)
	}
	p := &Package{}
	sum := sha256.New()
	var wrong []error
	for _, file := range files {
		text, d, err := readCRD(file)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("read %s: %w", file, err))
			continue
		}
		if slices.ContainsFunc(p.CRDs, func(other *crd.CRD) bool { return other.Name() == d.Name() }) {
			wrong = append(wrong, fmt.Errorf("read %s: the package has another CRD %s", file, d.Name()))
			continue
		}
		fmt.Fprintf(sum, "%s %d\n", filepath.Base(file), len(text))
		_, _ = sum.Write(text) // never fails
		p.CRDs = append(p.CRDs, d)
	}
	p.Digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	return p, errors.Join(wrong...)
}

func readCRD(file string) (text []byte, d *crd.CRD, err error) {
	if text, err = bounded.ReadFile(file, maxFile); err != nil {
		return nil, nil, err
	}
	asJSON, err := only(text)
	if err != nil {
		return nil, nil, err
	}
	if d, err = crd.Parse(asJSON); err != nil {
		return nil, nil, err
	}
	return text, d, nil
}

// only returns the one document of a file as JSON.
func only(text []byte) (document []byte, err error) {
	for r := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		next, err := r.Read()
		if errors.Is(err, io.EOF) && document == nil {
			return nil, errors.New("it is empty")
		}
		if errors.Is(err, io.EOF) {
			return document, nil
		}
		if err != nil {
			return nil, err
		}
		asJSON, err := yaml.ToJSON(next)
		switch {
		case err != nil:
			return nil, err
		case string(asJSON) == "null": // comments
		case document != nil:
			return nil, errors.New("it has several documents: write one CRD to each file")
		default:
			document = asJSON
		}
	}
}
