package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/secure-systems-lab/go-securesystemslib/encrypted"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
)

// keypair signs by a key of a file: ECDSA on P-256, as cosign makes it.
type keypair struct{ private *ecdsa.PrivateKey }

// readKey reads a private key.
func readKey(file string) (*keypair, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s has no PEM", file)
	}
	der := block.Bytes
	switch block.Type {
	case "PRIVATE KEY", "EC PRIVATE KEY":
	case "ENCRYPTED SIGSTORE PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY":
		if der, err = encrypted.Decrypt(der, []byte(os.Getenv("COSIGN_PASSWORD"))); err != nil {
			return nil, fmt.Errorf("decrypt %s with COSIGN_PASSWORD: %w", file, err)
		}
	default:
		return nil, fmt.Errorf("%s has a %s, and no private key", file, block.Type)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		key, err = x509.ParseECPrivateKey(der)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	private, ok := key.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, fmt.Errorf("%s has a %T: use ECDSA on P-256, as cosign generate-key-pair makes it", file, key)
	}
	return &keypair{private}, nil
}

// readPublicKey reads a public key.
func readPublicKey(file string) (*ecdsa.PublicKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := cryptoutils.UnmarshalPEMToPublicKey(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	public, ok := key.(*ecdsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("read %s: it has a %T", file, key)
	}
	return public, nil
}

// hint returns the name of a public key in bundles: the digest of the key.
func hint(public crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(der)
	return []byte(base64.StdEncoding.EncodeToString(digest[:])), nil
}

// GetHashAlgorithm returns SHA-256.
func (k *keypair) GetHashAlgorithm() protocommon.HashAlgorithm {
	return protocommon.HashAlgorithm_SHA2_256
}

// GetSigningAlgorithm returns ECDSA on P-256.
func (k *keypair) GetSigningAlgorithm() protocommon.PublicKeyDetails {
	return protocommon.PublicKeyDetails_PKIX_ECDSA_P256_SHA_256
}

// GetHint returns the name of the key.
func (k *keypair) GetHint() []byte {
	name, _ := hint(k.GetPublicKey()) // it is a valid key
	return name
}

// GetKeyAlgorithm returns the name of the algorithm.
func (k *keypair) GetKeyAlgorithm() string { return "ECDSA" }

// GetPublicKey returns the public key.
func (k *keypair) GetPublicKey() crypto.PublicKey { return k.private.Public() }

// GetPublicKeyPem returns the public key in PEM.
func (k *keypair) GetPublicKeyPem() (string, error) {
	text, err := cryptoutils.MarshalPublicKeyToPEM(k.GetPublicKey())
	return string(text), err
}

// SignData returns the signature and the digest of data.
func (k *keypair) SignData(_ context.Context, data []byte) (signature, digest []byte, err error) {
	sum := sha256.Sum256(data)
	signature, err = ecdsa.SignASN1(rand.Reader, k.private, sum[:])
	return signature, sum[:], err
}

var errNoTrust = errors.New("nothing says whom to trust: give a public key, or a trusted root with an identity and its issuer")
