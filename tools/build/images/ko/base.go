package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is that of the processes, as the manifests have it.
const user = "65532:65532"

// The paths of the files and folders of a base.
const (
	certificates = "etc/ssl/certs/ca-certificates.crt"
	plugins      = "plugins"
)

// base returns an image with the files that a static Go program needs: trusted CAs, which go.sum
// pins, a user that is not root, and folders for temporary files and plugins. The same inputs
// give the same bytes.
func base(platform v1.Platform, folder string) (v1.Image, error) {
	files, err := contents(folder)
	if err != nil {
		return nil, err
	}
	text, err := archive(files)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("make base: %w", err)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Author: "strata", CreatedBy: "tools/build/images/ko"}}); err != nil {
		return nil, fmt.Errorf("make base: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("make base: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = platform.OS, platform.Architecture, platform.Variant
	config.Config.User = user
	config.Config.Env = []string{"PATH=/usr/bin:/bin", "SSL_CERT_FILE=/" + certificates}
	config.Config.WorkingDir = "/"
	return mutate.ConfigFile(image, config)
}

// file is an entry of a layer: a file, or a folder by its mode.
type file struct {
	name string
	mode os.FileMode
	body []byte
}

// contents returns the entries of a base, each folder before its content.
func contents(folder string) ([]file, error) {
	files := []file{
		{"etc", os.ModeDir | 0o755, nil},
		{"etc/group", 0o644, []byte("root:x:0:\nnonroot:x:65532:\n")},
		{"etc/passwd", 0o644, []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n")},
		{"etc/ssl", os.ModeDir | 0o755, nil},
		{"etc/ssl/certs", os.ModeDir | 0o755, nil},
		{certificates, 0o644, trusted()},
		{"tmp", os.ModeDir | os.ModeSticky | 0o777, nil},
	}
	if folder == "" {
		return files, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read plugins: %w", err)
	}
	files = append(files, file{plugins, os.ModeDir | 0o755, nil})
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("read plugins: %w", err)
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("read plugins: %s is no file", e.Name())
		}
		body, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read plugins: %w", err)
		}
		files = append(files, file{plugins + "/" + e.Name(), 0o444 | info.Mode().Perm()&0o111, body})
	}
	return files, nil
}

// trusted returns the CAs that browsers trust, in PEM.
func trusted() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // to memory
	}
	return out.Bytes()
}

func archive(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.body)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if f.mode.IsDir() {
			h.Name, h.Typeflag = f.name+"/", tar.TypeDir
		}
		if f.mode&os.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("write layer: %w", err)
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, fmt.Errorf("write layer: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write layer: %w", err)
	}
	return out.Bytes(), nil
}
