// Command sign signs files and verifies signatures, in the bundle format of Sigstore that cosign
// reads and writes. A key in a file signs, or a short-lived certificate for an identity. Package
// archives in tools runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "sign: error: %v\n", err)
		os.Exit(2)
	}
}

// run runs one command line:
//
//	sign [-key FILE | -fulcio URL -rekor URL] FILE BUNDLE
//	sign -statement ... FILE BUNDLE
//	verify [-key FILE | -root FILE -identity NAME -issuer URL] FILE BUNDLE
//	verify -statement ... FILE BUNDLE
//	root [-mirror URL -anchor FILE] FILE
//
// The last one downloads the trusted root of Sigstore's public services. With -statement the file
// is an in-toto statement, which the bundle contains.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "root" {
		return writeRoot(ctx, args[1:])
	}
	if len(args) == 0 || args[0] != "sign" && args[0] != "verify" {
		return errors.New("want sign, verify or root")
	}
	set := flag.NewFlagSet("sign", flag.ContinueOnError)
	isStatement := set.Bool("statement", false, "the file is an in-toto statement")
	key := set.String("key", "", "the `file` of a key in PEM; that of cosign is decrypted by COSIGN_PASSWORD")
	fulcio := set.String("fulcio", "", "the `URL` that issues a certificate for the identity of SIGSTORE_ID_TOKEN, or of the workflow")
	rekor := set.String("rekor", "", "the `URL` of the log that records the signature")
	trusted := set.String("root", "", "the `file` of a trusted root, trusted_root.json")
	identity := set.String("identity", "", "the `name` in the certificate")
	issuer := set.String("issuer", "", "the `URL` of who vouches for the identity")
	if err := set.Parse(args[1:]); err != nil {
		return err
	}
	if set.NArg() != 2 {
		return errors.New("want a file and its bundle")
	}
	file, bundle := set.Arg(0), set.Arg(1)
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if args[0] == "sign" {
		s := signer{key: *key, fulcio: *fulcio, rekor: *rekor}
		if s.key == "" {
			if s.token, err = identityToken(ctx); err != nil {
				return err
			}
		}
		text, err := s.sign(ctx, body, *isStatement)
		if err != nil {
			return fmt.Errorf("sign %s: %w", file, err)
		}
		return os.WriteFile(bundle, text, 0o644)
	}
	v := verifier{key: *key, root: *trusted, identity: *identity, issuer: *issuer}
	if err := v.verify(body, bundle, *isStatement); err != nil {
		return fmt.Errorf("verify %s by %s: %w", file, bundle, err)
	}
	return nil
}

// writeRoot writes the trusted root of a repository into a file.
func writeRoot(ctx context.Context, args []string) error {
	var r repository
	set := flag.NewFlagSet("root", flag.ContinueOnError)
	set.StringVar(&r.url, "mirror", "", "the `URL` of a repository that is not the public one")
	set.StringVar(&r.anchor, "anchor", "", "the `file` of its first root.json")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() != 1 {
		return errors.New("want the file to write")
	}
	text, err := r.trustedRoot(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(set.Arg(0), text, 0o644)
}
