package archives

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/programs"
)

// bundleSuffix ends the names of signatures, in the bundle format of Sigstore.
const bundleSuffix = ".sigstore.json"

// Signer signs by a key, or by a certificate for the identity of the token in SIGSTORE_ID_TOKEN.
type Signer struct {
	// Key is the file of a private key; empty for an identity.
	Key string
	// Fulcio issues certificates, and Rekor records signatures: their addresses.
	Fulcio, Rekor string
}

// The public services of Sigstore.
const (
	PublicFulcio = "https://fulcio.sigstore.dev"
	PublicRekor  = "https://rekor.sigstore.dev"
)

// Trust says whose signatures are trusted: those of a public key, or of an identity whose
// certificate was issued by a root.
type Trust struct {
	Key                    string
	Root, Identity, Issuer string
}

func (t Trust) flags() ([]string, error) {
	switch {
	case t.Key != "" && t.Root+t.Identity+t.Issuer == "":
		return []string{"-key=" + t.Key}, nil
	case t.Key == "" && t.Root != "" && t.Identity != "" && t.Issuer != "":
		return []string{"-root=" + t.Root, "-identity=" + t.Identity, "-issuer=" + t.Issuer}, nil
	}
	return nil, errors.New("say whom to trust: either a public key, or a trusted root with an identity and its issuer")
}

// Sign signs the checksums and the statement of origin of a folder.
func Sign(ctx context.Context, root, dir string, s Signer) error {
	flags := []string{"-key=" + s.Key}
	if s.Key == "" {
		flags = []string{"-fulcio=" + s.Fulcio, "-rekor=" + s.Rekor}
	}
	return withSign(ctx, root, func(program string) error {
		for _, of := range signed {
			if err := of.run(ctx, program, "sign", dir, flags); err != nil {
				return err
			}
		}
		return nil
	})
}

// Root downloads the trusted root of the public services into a file. The folder root is that of
// the workspace.
func Root(ctx context.Context, root, file string) error {
	return withSign(ctx, root, func(program string) error {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		_, err := (command.In{}).Output(ctx, program, "root", file)
		return err
	})
}

// signed are the files with signatures. The checksums are those of all others.
var signed = []signedFile{{Checksums, false}, {provenance, true}}

type signedFile struct {
	name        string
	isStatement bool
}

func (f signedFile) run(ctx context.Context, program, verb, dir string, flags []string) error {
	args := append([]string{verb}, flags...)
	if f.isStatement {
		args = append(args, "-statement")
	}
	file := filepath.Join(dir, f.name)
	if _, err := (command.In{}).Output(ctx, program, append(args, file, file+bundleSuffix)...); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// withSign builds the program that signs and verifies, and calls it.
func withSign(ctx context.Context, root string, call func(program string) error) error {
	dir, err := os.MkdirTemp("", "strata-sign-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "sign")
	in := command.In{Dir: filepath.Join(root, "tools", "build", "archives", "sign"), Env: []string{"GOWORK=off"}}
	if err := programs.Build(ctx, in, program, "."); err != nil {
		return err
	}
	return call(program)
}
