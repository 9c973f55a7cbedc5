package rest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/stratakube/strata/operator/arm/internal/config"
	"github.com/stratakube/strata/operator/arm/internal/rest"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/plugin/redaction"
)

func client(t *testing.T, url string) *rest.Client {
	t.Helper()
	c, err := config.Parse(map[string]string{"cloud": "custom", "endpoint": url, "credentials": "none"})
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.New(c, nil, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestAnswersThatAreRefused covers an ARM that would exhaust the memory, or direct a token to
// another host.
func TestAnswersThatAreRefused(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirection was followed")
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat(" ", 8<<20+1))
		case "/fits":
			_, _ = io.WriteString(w, strings.Repeat(" ", 8<<20))
		case "/away":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		case "/here":
			http.Redirect(w, r, "/fits", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	tests := []struct {
		reason, path, err string
		want              provider.Reason
	}{
		{"larger than a message may be", "/large", "is larger than 8388608 bytes", provider.Reason_REASON_INVALID},
		{"just as large as it may be", "/fits", "", 0},
		{"another host", "/away", "redirected to another host", provider.Reason_REASON_TRANSIENT},
		{"round in circles", "/round", "redirected five times", provider.Reason_REASON_TRANSIENT},
		{"the same host", "/here", "", 0},
	}
	for _, test := range tests {
		answer, err := client(t, server.URL).Do(t.Context(), rest.Request{Method: http.MethodGet, Path: test.path, Version: "1"})
		if test.err == "" {
			if err != nil || len(answer.Body) != 8<<20 {
				t.Errorf("%s: got %v", test.reason, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: got %v, want %s", test.reason, err, test.err)
			continue
		}
		if got := rest.FailureOfCall("read", err, nil).GetReason(); got != test.want {
			t.Errorf("%s: got the reason %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestFailuresWithoutSecrets is a table over errors of calls that repeat a secret. A part of the
// error is shown, and no part of the secret.
func TestFailuresWithoutSecrets(t *testing.T) {
	const key, word = "-----BEGIN KEY-----\nMIIEvQ\n-----END KEY-----", `hunter"2\x`
	strip := func(text string) string {
		return redaction.Remove(text, "(secret)", []byte(key), []byte(word))
	}
	refused := func(body string) error {
		return &azidentity.AuthenticationFailedError{RawResponse: &http.Response{StatusCode: 401, Status: "401 Unauthorized", Body: io.NopCloser(strings.NewReader(body))}}
	}
	spelled := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word)
	for _, test := range []struct {
		reason string
		err    error
		want   string
	}{
		{"of several lines", errors.New("no: " + key + ": no\nmore"), "read: no: (secret): no"},
		{"of several lines, final", final{errors.New("no: " + key + ": no\nmore")}, "read: no: (secret): no"},
		{"with a quotation mark, of the token service", refused(`{"error_description":"AADSTS1: no ` + spelled + ` here"}`), "read: the credentials do not do: AADSTS1: no (secret) here"},
	} {
		if got := rest.FailureOfCall("read", test.err, strip).GetMessage(); got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}

// final is an error that no repetition helps.
type final struct{ error }

func (final) NonRetriable() {}

// TestProblems covers the forms of errors of services, and the length of the text in messages.
func TestProblems(t *testing.T) {
	tests := []struct{ reason, body, want string }{
		{"as ARM does", `{"error":{"code":"A","message":"b"}}`, "do: ARM answers 400 A: b"},
		{"bare", `{"code":"A","message":"b"}`, "do: ARM answers 400 A: b"},
		{"with details, those that say more", `{"error":{"code":"A","message":"b","details":[{"code":"C","message":"d"},{"message":"b"}]}}`, "do: ARM answers 400 A: b; C: d"},
		{"a page for browsers", `<html>`, "do: ARM answers 400 Bad Request"},
		{"nothing", ``, "do: ARM answers 400 Bad Request"},
		{"an error that is a text", `{"error":"b"}`, "do: ARM answers 400 Bad Request"},
		{"a code with a hint", `{"error":{"code":"SubscriptionNotFound"}}`, "do: ARM answers 400 SubscriptionNotFound; hint: the credentials may be those of another tenant"},
	}
	for _, test := range tests {
		f := (&rest.Response{Status: 400, Body: []byte(test.body)}).Failure("do")
		if f.GetMessage() != test.want || f.GetReason() != provider.Reason_REASON_INVALID {
			t.Errorf("%s: got %s %.100s, want %.100s", test.reason, f.GetReason(), f.GetMessage(), test.want)
		}
	}
}

// TestAbsence is a table over answers, and whether they prove that a resource does not exist.
func TestAbsence(t *testing.T) {
	for _, test := range []struct {
		reason string
		status int
		body   string
		is     bool
	}{
		{"as ARM says it", 404, `{"error":{"code":"ResourceNotFound","message":"no"}}`, true},
		{"without a code", 404, `{"message":"no"}`, true},
		{"without a body", 404, "", true},
		{"with blanks", 404, " \r\n", true},
		{"the page of a proxy", 404, "<html>Not Found</html>", false},
		{"a text of a gateway", 404, "no route", false},
		{"half of an answer", 404, `{"error":{"code":"ResourceNot`, false},
		{"no such subscription", 404, `{"error":{"code":"SubscriptionNotFound"}}`, false},
		{"no such type", 404, `{"error":{"code":"InvalidResourceType"}}`, false},
		{"another status", 403, `{"error":{"code":"ResourceNotFound"}}`, false},
	} {
		answer := rest.Response{Status: test.status, Body: []byte(test.body)}
		if answer.IsAbsence() != test.is {
			t.Errorf("%s: %t", test.reason, !test.is)
		}
	}
	page := rest.Response{Status: 404, Body: []byte("<html>")}
	if f := page.Failure("read"); f.GetReason() != provider.Reason_REASON_TRANSIENT {
		t.Errorf("the page of a proxy is %s", f.GetReason())
	}
}
