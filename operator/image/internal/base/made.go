package base

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// User is that of the processes, as the manifests of Strata's packages have it.
const User = "65532:65532"

// certificates is the file of trusted CAs.
const certificates = "etc/ssl/certs/ca-certificates.crt"

// made returns an image with the files that a static Go program needs: trusted CAs, which go.sum
// pins, a user that is not root, and a folder for temporary files. The same inputs give the same
// bytes.
func made(platform v1.Platform) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := with(image, []file{
		{"etc", os.ModeDir | 0o755, nil},
		{"etc/group", 0o644, []byte("root:x:0:\nnonroot:x:65532:\n")},
		{"etc/passwd", 0o644, []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n")},
		{"etc/ssl", os.ModeDir | 0o755, nil},
		{"etc/ssl/certs", os.ModeDir | 0o755, nil},
		{certificates, 0o644, trusted()},
		{"tmp", os.ModeDir | os.ModeSticky | 0o777, nil},
	})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("make base: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = platform.OS, platform.Architecture, platform.Variant
	config.Config.User = User
	config.Config.Env = []string{"PATH=/usr/bin:/bin", "SSL_CERT_FILE=/" + certificates}
	config.Config.WorkingDir = "/"
	return mutate.ConfigFile(image, config)
}

// with returns an image with a further layer.
func with(image v1.Image, files []file) (v1.Image, error) {
	text, err := archive(files)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("make layer: %w", err)
	}
	out, err := mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Author: "strata", CreatedBy: "strata-image"}})
	if err != nil {
		return nil, fmt.Errorf("make layer: %w", err)
	}
	return out, nil
}

// file is an entry of a layer: a file, or a folder by its mode.
type file struct {
	name string
	mode os.FileMode
	body []byte
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
