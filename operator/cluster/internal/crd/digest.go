package crd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Digest returns the SHA-256 of the spec without the CA bundle of its webhook. A webhook replaces
// that bundle when its certificate changes, which also changes the generation of the CRD.
func (d *CRD) Digest() (string, error) {
	var of struct{ Spec map[string]any }
	if err := json.Unmarshal(d.Text, &of); err != nil {
		return "", fmt.Errorf("read CRD %s: %w", d.Name(), err)
	}
	delete(member(member(member(of.Spec, "conversion"), "webhook"), "clientConfig"), "caBundle")
	text, err := json.Marshal(of.Spec)
	if err != nil {
		return "", fmt.Errorf("print CRD %s: %w", d.Name(), err)
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func member(object map[string]any, name string) map[string]any {
	out, _ := object[name].(map[string]any)
	return out
}
