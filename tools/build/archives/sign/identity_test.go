package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-openapi/runtime"
	ct "github.com/google/certificate-transparency-go"
	cttls "github.com/google/certificate-transparency-go/tls"
	"github.com/google/certificate-transparency-go/x509util"
	"github.com/sigstore/rekor/pkg/generated/models"
	"github.com/sigstore/rekor/pkg/types"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
)

// The identity and its issuer are those of the workflow that releases.
const (
	workflow = "https://github.com/stratakube/strata/.github/workflows/release.yml@refs/tags/generator/v0.1.0"
	issuer   = "https://token.actions.githubusercontent.com"
	subject  = "repo:stratakube/strata:ref:refs/tags/generator/v0.1.0"
)

// Object identifiers of extensions: the issuer of an identity, and the timestamps of a log.
var (
	issuerExtension    = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1, 8}
	timestampExtension = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 11129, 2, 4, 2}
)

// services are Fulcio, its log of certificates, and Rekor, with keys of their own.
type services struct {
	*ca.VirtualSigstore // Rekor

	t              *testing.T
	top, issuing   *x509.Certificate
	key            *ecdsa.PrivateKey // of issuing
	log            *ecdsa.PrivateKey // of the log of certificates
	url            string
	token          string
	isUnlogged     bool          // certificates have no timestamp of their log
	recordedBefore time.Duration // how long before now Rekor records a signature
}

func newServices(t *testing.T) *services {
	t.Helper()
	s := &services{t: t}
	var err error
	if s.VirtualSigstore, err = ca.NewVirtualSigstore(); err != nil {
		t.Fatal(err)
	}
	top, topKey, err := ca.GenerateRootCa()
	if err != nil {
		t.Fatal(err)
	}
	s.top = top
	if s.issuing, s.key, err = ca.GenerateFulcioIntermediate(top, topKey); err != nil {
		t.Fatal(err)
	}
	if s.log, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	claims, err := json.Marshal(map[string]string{"iss": issuer, "sub": subject})
	if err != nil {
		t.Fatal(err)
	}
	s.token = "e30." + base64.RawURLEncoding.EncodeToString(claims) + ".c2ln"
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v2/signingCert", s.issues)
	mux.HandleFunc("POST /api/v1/log/entries", s.records)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// issues answers as Fulcio does. The client proves that it has the key by a signature of its
// subject.
func (s *services) issues(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		PublicKeyRequest struct {
			PublicKey         struct{ Content string }
			ProofOfPossession []byte
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.Header.Get("Authorization") != "Bearer "+s.token {
		s.t.Errorf("Fulcio is asked with %q (%v)", r.Header.Get("Authorization"), err)
	}
	block, _ := pem.Decode([]byte(asked.PublicKeyRequest.PublicKey.Content))
	if block == nil {
		s.t.Error("Fulcio gets no key")
		return
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		s.t.Error(err)
		return
	}
	digest := sha256.Sum256([]byte(subject))
	if !ecdsa.VerifyASN1(public.(*ecdsa.PublicKey), digest[:], asked.PublicKeyRequest.ProofOfPossession) {
		s.t.Error("the client does not prove that it has the key")
	}
	var chain []string
	for _, der := range [][]byte{s.certificate(public), s.issuing.Raw, s.top.Raw} {
		chain = append(chain, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	}
	answer := map[string]any{"signedCertificateEmbeddedSct": map[string]any{"chain": map[string]any{"certificates": chain}}}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.t.Error(err)
	}
}

// certificate returns a certificate of ten minutes for the workflow. The log of certificates signs
// it without the timestamp, which is then added.
func (s *services) certificate(public crypto.PublicKey) []byte {
	name, err := url.Parse(workflow)
	if err != nil {
		s.t.Fatal(err)
	}
	vouches, err := asn1.MarshalWithParams(issuer, "utf8")
	if err != nil {
		s.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), URIs: []*url.URL{name},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(9 * time.Minute),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
		ExtraExtensions: []pkix.Extension{{Id: issuerExtension, Value: vouches}},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, s.issuing, public, s.key)
	if err != nil || s.isUnlogged {
		return der
	}
	template.ExtraExtensions = append(template.ExtraExtensions, pkix.Extension{Id: timestampExtension, Value: s.timestamp(der)})
	if der, err = x509.CreateCertificate(rand.Reader, template, s.issuing, public, s.key); err != nil {
		s.t.Error(err)
	}
	return der
}

// timestamp returns the value of the extension with the timestamp of the log of certificates.
func (s *services) timestamp(der []byte) []byte {
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		s.t.Fatal(err)
	}
	entry := ct.PreCert{IssuerKeyHash: sha256.Sum256(s.issuing.RawSubjectPublicKeyInfo), TBSCertificate: certificate.RawTBSCertificate}
	sct := ct.SignedCertificateTimestamp{SCTVersion: ct.V1, LogID: ct.LogID{KeyID: keyID(s.t, s.log.Public())}, Timestamp: uint64(time.Now().UnixMilli())}
	input, err := ct.SerializeSCTSignatureInput(sct, ct.LogEntry{Leaf: ct.MerkleTreeLeaf{
		Version: ct.V1, LeafType: ct.TimestampedEntryLeafType,
		TimestampedEntry: &ct.TimestampedEntry{Timestamp: sct.Timestamp, EntryType: ct.PrecertLogEntryType, PrecertEntry: &entry},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	digest := sha256.Sum256(input)
	signature, err := ecdsa.SignASN1(rand.Reader, s.log, digest[:])
	if err != nil {
		s.t.Fatal(err)
	}
	sct.Signature = ct.DigitallySigned{Algorithm: cttls.SignatureAndHashAlgorithm{Hash: cttls.SHA256, Signature: cttls.ECDSA}, Signature: signature}
	list, err := x509util.MarshalSCTsIntoSCTList([]*ct.SignedCertificateTimestamp{&sct})
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := cttls.Marshal(*list)
	if err != nil {
		s.t.Fatal(err)
	}
	value, err := asn1.Marshal(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return value
}

// keyID returns the name of a log: the digest of its key.
func keyID(t *testing.T, public crypto.PublicKey) [sha256.Size]byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(der)
}

// records answers as Rekor does.
func (s *services) records(w http.ResponseWriter, r *http.Request) {
	entry, err := s.entry(r)
	if err != nil {
		s.t.Error(err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	const name = "0000"
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", name)
	w.WriteHeader(http.StatusCreated)
	if err := json.NewEncoder(w).Encode(models.LogEntry{name: *entry}); err != nil {
		s.t.Error(err)
	}
}

func (s *services) entry(r *http.Request) (*models.LogEntryAnon, error) {
	proposed, err := models.UnmarshalProposedEntry(r.Body, runtime.JSONConsumer())
	if err != nil {
		return nil, err
	}
	accepted, err := types.UnmarshalEntry(proposed)
	if err != nil {
		return nil, err
	}
	body, err := accepted.Canonicalize(r.Context())
	if err != nil {
		return nil, err
	}
	log, err := s.RekorLogID()
	if err != nil {
		return nil, err
	}
	index, at := int64(0), time.Now().Add(-s.recordedBefore).Unix()
	text := base64.StdEncoding.EncodeToString(body)
	promise, err := s.RekorSignPayload(tlog.RekorPayload{Body: text, IntegratedTime: at, LogIndex: index, LogID: log})
	if err != nil {
		return nil, err
	}
	proof, err := s.GetInclusionProof(body)
	if err != nil {
		return nil, err
	}
	return &models.LogEntryAnon{Body: text, IntegratedTime: &at, LogIndex: &index, LogID: &log,
		Verification: &models.LogEntryAnonVerification{SignedEntryTimestamp: promise, InclusionProof: proof}}, nil
}

// trusted writes the trusted root of the services.
func (s *services) trusted(t *testing.T) string {
	t.Helper()
	begins := time.Now().Add(-2 * time.Hour)
	logOf := func(public crypto.PublicKey) map[string]*root.TransparencyLog {
		id := keyID(t, public)
		return map[string]*root.TransparencyLog{hex.EncodeToString(id[:]): {BaseURL: "https://rekor.localhost", ID: id[:],
			ValidityPeriodStart: begins, HashFunc: crypto.SHA256, PublicKey: public, SignatureHashFunc: crypto.SHA256}}
	}
	var rekor crypto.PublicKey
	for _, log := range s.RekorLogs() {
		rekor = log.PublicKey
	}
	fulcio := &root.FulcioCertificateAuthority{Root: s.top, Intermediates: []*x509.Certificate{s.issuing}, ValidityPeriodStart: begins, URI: "https://fulcio.localhost"}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, []root.CertificateAuthority{fulcio}, logOf(s.log.Public()), nil, logOf(rekor))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(trusted)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trusted_root.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// sign signs a file by the identity of the workflow, and returns the file of the bundle.
func (s *services) sign(t *testing.T, file string, flags ...string) string {
	t.Helper()
	t.Setenv("SIGSTORE_ID_TOKEN", s.token)
	bundle := filepath.Join(t.TempDir(), "bundle.json")
	args := append(append([]string{"sign", "-fulcio=" + s.url, "-rekor=" + s.url}, flags...), file, bundle)
	if err := run(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	return bundle
}

// TestRoundTripOfIdentity signs by the identity of a workflow, and verifies without a network. No
// bundle is accepted that another identity has signed, that a log does not have, or that belongs to
// another file.
func TestRoundTripOfIdentity(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	release, other := write("release", `{"_type": "a release"}`), write("other", `{"_type": "another release"}`)
	s, strangers := newServices(t), newServices(t)
	strangers.VirtualSigstore = s.VirtualSigstore // they record in the same log
	trusted, foreign := s.trusted(t), strangers.trusted(t)
	for _, flags := range [][]string{nil, {"-statement"}} {
		differs := "invalid signature"
		if flags != nil {
			differs = "another statement"
		}
		good := s.sign(t, release, flags...)
		s.isUnlogged = true
		unlogged := s.sign(t, release, flags...)
		s.isUnlogged, s.recordedBefore = false, time.Hour
		late := s.sign(t, release, flags...)
		s.recordedBefore = 0
		unrecorded := write("unrecorded", without(t, good, "tlogEntries"))
		for _, test := range []struct {
			reason, file, bundle, root, identity, issuer, want string
		}{
			{"the workflow", release, good, trusted, workflow, issuer, ""},
			{"another workflow", release, good, trusted, strings.Replace(workflow, "v0.1.0", "v0.1.1", 1), issuer, "expected SAN value"},
			{"another issuer", release, good, trusted, workflow, "https://accounts.example.com", "expected issuer"},
			{"no issuer", release, good, trusted, workflow, "", "nothing says whom to trust"},
			{"another file", other, good, trusted, workflow, issuer, differs},
			{"another CA", release, good, foreign, workflow, issuer, "leaf certificate"},
			{"a certificate that is in no log", release, unlogged, trusted, workflow, issuer, "SCT"},
			{"a signature that is in no log", release, unrecorded, trusted, workflow, issuer, "verified log entries"},
			{"a signature before the certificate", release, late, trusted, workflow, issuer, "outside certificate validity"},
		} {
			args := append([]string{"verify", "-root=" + test.root, "-identity=" + test.identity, "-issuer=" + test.issuer}, flags...)
			err := run(t.Context(), append(args, test.file, test.bundle))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s %v: %v, want %q", test.reason, flags, err, test.want)
			}
		}
	}
}

// without returns a bundle without a member of its verification material.
func without(t *testing.T, bundle, member string) string {
	t.Helper()
	text, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	material := content["verificationMaterial"].(map[string]any)
	if material[member] == nil {
		t.Fatalf("the bundle has no %s: %s", member, text)
	}
	delete(material, member)
	if text, err = json.Marshal(content); err != nil {
		t.Fatal(err)
	}
	return string(text)
}
