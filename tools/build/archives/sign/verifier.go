package main

import (
	"bytes"
	"crypto"
	"errors"
	"fmt"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/signature"
)

// verifier trusts a public key, or an identity whose certificate a trusted root has issued. It uses
// no network.
type verifier struct{ key, root, identity, issuer string }

// verify requires that a bundle signs a file. A bundle of a statement must contain it.
func (v verifier) verify(body []byte, file string, isStatement bool) error {
	b, err := bundle.LoadJSONFromPath(file)
	if err != nil {
		return err
	}
	artifact := verify.WithArtifact(bytes.NewReader(body))
	if isStatement {
		content, err := b.SignatureContent()
		if err != nil {
			return err
		}
		envelope := content.EnvelopeContent()
		if envelope == nil {
			return errors.New("the bundle has no envelope of a statement")
		}
		if raw := envelope.RawEnvelope(); raw.PayloadType != statementType {
			return fmt.Errorf("the envelope has a %s", raw.PayloadType)
		} else if payload, err := raw.DecodeB64Payload(); err != nil || !bytes.Equal(payload, body) {
			return errors.New("the bundle has another statement")
		}
		artifact = verify.WithoutArtifactUnsafe() // the statement is compared; its subjects are the caller's
	}
	if v.key != "" {
		return v.byKey(b, artifact)
	}
	return v.byIdentity(b, artifact)
}

func (v verifier) byKey(b *bundle.Bundle, artifact verify.ArtifactPolicyOption) error {
	public, err := readPublicKey(v.key)
	if err != nil {
		return err
	}
	loaded, err := signature.LoadVerifier(public, crypto.SHA256)
	if err != nil {
		return err
	}
	trusted := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		return root.NewExpiringKey(loaded, time.Time{}, time.Time{}), nil
	})
	verifier, err := verify.NewVerifier(trusted, verify.WithNoObserverTimestamps())
	if err != nil {
		return err
	}
	_, err = verifier.Verify(b, verify.NewPolicy(artifact, verify.WithKey()))
	return err
}

func (v verifier) byIdentity(b *bundle.Bundle, artifact verify.ArtifactPolicyOption) error {
	if v.root == "" || v.identity == "" || v.issuer == "" {
		return errNoTrust
	}
	trusted, err := root.NewTrustedRootFromPath(v.root)
	if err != nil {
		return err
	}
	verifier, err := verify.NewVerifier(trusted, verify.WithSignedCertificateTimestamps(1), verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1))
	if err != nil {
		return err
	}
	identity, err := verify.NewShortCertificateIdentity(v.issuer, "", v.identity, "")
	if err != nil {
		return err
	}
	_, err = verifier.Verify(b, verify.NewPolicy(artifact, verify.WithCertificateIdentity(identity)))
	return err
}
