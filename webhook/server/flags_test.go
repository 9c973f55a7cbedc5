package server_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
	"github.com/stratakube/strata/webhook/server"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func command(t *testing.T, add func(*k8sruntime.Scheme) error, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	code = server.Command(ctx, append([]string{"/bin/strata-webhook"}, args...), &out, &err, add)
	return code, out.String(), err.String()
}

func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
		output string
	}{
		{"no certificate", nil, "no certificate: set --cert-file and --key-file, or --secret, --crds and --names"},
		{"half a certificate", []string{"--cert-file=a"}, "--cert-file and --key-file must be set together"},
		{"the other half", []string{"--key-file=b"}, "--cert-file and --key-file must be set together"},
		{"two sources", []string{"--cert-file=a", "--key-file=b", "--secret=a/b"}, "exclude --secret"},
		{"a secret without a namespace", []string{"--secret=a", "--crds=b", "--names=c"}, `--secret must be a namespace and a name, such as strata/webhook-certificates, not "a"`},
		{"a secret without its name", []string{"--secret=a/", "--crds=b", "--names=c"}, "--secret must be a namespace and a name"},
		{"a secret without the name of its namespace", []string{"--secret=/a", "--crds=b", "--names=c"}, "--secret must be a namespace and a name"},
		{"a secret with too many names", []string{"--secret=a/b/c", "--crds=b", "--names=c"}, "--secret must be a namespace and a name"},
		{"a secret alone", []string{"--secret=a/b"}, "--secret needs --crds and --names"},
		{"a secret with CRDs alone", []string{"--secret=a/b", "--crds=b"}, "--secret needs --crds and --names"},
		{"a secret with names alone", []string{"--secret=a/b", "--names=c"}, "--secret needs --crds and --names"},
		{"an end before it was asked for", []string{"--cert-file=a", "--key-file=b", "--lame-duck=-1s"}, "--lame-duck must not be negative"},
		{"no time for reviews under way", []string{"--cert-file=a", "--key-file=b", "--drain=0s"}, "--drain must be above zero"},
		{"an unknown flag", []string{"--certfile=a"}, "flag provided but not defined"},
		{"an argument", []string{"--cert-file=a", "--key-file=b", "c"}, `unexpected argument "c"`},
		{"a depth beyond decoders", []string{"--cert-file=a", "--key-file=b", "--max-depth=10001"}, "above 10000, where the decoders of the API server end: lower --max-depth"},
		{"a limit that is zero", []string{"--cert-file=a", "--key-file=b", "--min-rate=0"}, "must be above zero"},
		{"a review that is longer than all may be", []string{"--cert-file=a", "--key-file=b", "--max-body-bytes=300000000"}, "raise --max-in-flight-bytes to at least 300000000, or lower --max-body-bytes"},
		{"an object for which there is never room", []string{"--cert-file=a", "--key-file=b", "--max-object-bytes=10000000"}, "raise --max-in-flight-bytes to at least 320000000, or lower --max-object-bytes to at most 8388608"},
		{"no room for one review", []string{"--cert-file=a", "--key-file=b", "--max-in-flight-bytes=5"}, "raise --max-in-flight-bytes to at least 67108864, or lower --max-body-bytes"},
		{"a version of TLS that is too old", []string{"--cert-file=a", "--key-file=b", "--min-tls=1.1"}, `--min-tls must be 1.2 or 1.3, not "1.1"`},
		{"an unknown level", []string{"--cert-file=a", "--key-file=b", "--log-level=loud"}, "--log-level must be debug"},
		{"an unknown format", []string{"--cert-file=a", "--key-file=b", "--log-format=xml"}, "--log-format must be json or text"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			code, stdout, stderr := command(t, example.AddToScheme, test.args...)
			if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "strata-webhook: error: ") || !strings.Contains(stderr, test.output) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	code, stdout, stderr := command(t, example.AddToScheme, "--help")
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if flags := regexp.MustCompile(`(?m)^  --[a-z-]+`).FindAllString(stdout, -1); len(flags) < 20 {
		t.Errorf("help lists %v", flags)
	}
	for name, want := range map[string]string{
		"cert-file": "", "authority-life": "8760h0m0s", "serving-life": "720h0m0s", "settle": "1m0s", "lame-duck": "10s", "drain": "30s",
		"max-connections": "4096", "max-body-bytes": "67108864", "min-tls": "1.2",
	} {
		of := regexp.MustCompile(`(?m)^  --` + name + ` .*\n.*?(?: \(default (.*)\))?$`).FindStringSubmatch(stdout)
		if of == nil || of[1] != want {
			t.Errorf("help of --%s says %q, want the default %q", name, of, want)
		}
	}
}

func TestCommandRefusesVersionsWithoutConverter(t *testing.T) {
	add := func(s *k8sruntime.Scheme) error {
		s.AddKnownTypeWithName(schema.GroupVersionKind{Group: "hotel.example.com", Version: "v9", Kind: "Room"}, &k8sruntime.Unknown{})
		return hotel.AddToScheme(s)
	}
	code, _, stderr := command(t, add, "--cert-file=a", "--key-file=b")
	if code != 1 || !strings.Contains(stderr, "serve Room.hotel.example.com: version v9 has no converter") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestSwitchedOff(t *testing.T) {
	f := write(t, t.TempDir())
	code, _, stderr := command(t, example.AddToScheme, "--cert-file", f.cert, "--key-file", f.key, "--log-level=off",
		"--metrics-address=off", "--probe-address=off", "--address=127.0.0.1:0", "--lame-duck=0s", "--drain=1s")
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestReferenceNamesAllFlags runs only if the documentation is beside the module.
func TestReferenceNamesAllFlags(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/reference/webhook.md")
	if err != nil {
		t.Skip("needs the repository: there is no documentation here")
	}
	_, help, _ := command(t, example.AddToScheme, "--help")
	for _, name := range regexp.MustCompile(`(?m)^  (--[a-z-]+)`).FindAllStringSubmatch(help, -1) {
		if !bytes.Contains(page, []byte("`"+name[1]+"`")) {
			t.Errorf("the reference does not name %s", name[1])
		}
	}
}
