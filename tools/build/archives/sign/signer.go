package main

import (
	"context"
	"errors"
	"time"

	"github.com/sigstore/sigstore-go/pkg/sign"
	"google.golang.org/protobuf/encoding/protojson"
)

// statementType is the type of in-toto statements in envelopes.
const statementType = "application/vnd.in-toto+json"

// signer signs by a key, or by a certificate that fulcio issues for the identity of a token. A log
// records the signature of the latter.
type signer struct{ key, fulcio, rekor, token string }

// patience is how long one request to a service may take.
const patience = 30 * time.Second

// sign returns the bundle of a file.
func (s signer) sign(ctx context.Context, body []byte, isStatement bool) ([]byte, error) {
	var content sign.Content = &sign.PlainData{Data: body}
	if isStatement {
		content = &sign.DSSEData{Data: body, PayloadType: statementType}
	}
	pair, options, err := s.with(ctx)
	if err != nil {
		return nil, err
	}
	bundle, err := sign.Bundle(content, pair, options)
	if err != nil {
		return nil, err
	}
	return protojson.MarshalOptions{Multiline: true}.Marshal(bundle)
}

func (s signer) with(ctx context.Context) (sign.Keypair, sign.BundleOptions, error) {
	options := sign.BundleOptions{Context: ctx}
	switch {
	case s.key != "" && s.fulcio == "":
		pair, err := readKey(s.key)
		return pair, options, err
	case s.key != "" || s.fulcio == "":
		return nil, options, errors.New("give either a key or the address of fulcio")
	case s.token == "":
		return nil, options, errors.New("there is no token of an identity: set SIGSTORE_ID_TOKEN, or let a workflow have the right id-token: write")
	case s.rekor == "":
		return nil, options, errors.New("give the address of rekor: a certificate is valid for minutes, and the log proves that it was when it signed")
	}
	options.CertificateProvider = sign.NewFulcio(&sign.FulcioOptions{BaseURL: s.fulcio, Timeout: patience, Retries: 2})
	options.CertificateProviderOptions = &sign.CertificateProviderOptions{IDToken: s.token}
	options.TransparencyLogs = []sign.Transparency{sign.NewRekor(&sign.RekorOptions{BaseURL: s.rekor, Timeout: patience, Retries: 2})}
	pair, err := sign.NewEphemeralKeypair(nil)
	return pair, options, err
}
