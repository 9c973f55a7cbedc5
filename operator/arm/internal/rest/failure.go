package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/stratakube/strata/operator/plugin/effect"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// Problem is an error in an answer of ARM.
type Problem struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Details []Problem `json:"details"`
}

// ProblemOf returns the problem in the body of an answer, at its root or in the member error. It
// is empty if there is none.
func ProblemOf(body []byte) Problem {
	var whole struct {
		Error *Problem `json:"error"`
	}
	if json.Unmarshal(body, &whole) == nil && whole.Error != nil {
		return *whole.Error
	}
	var bare Problem
	_ = json.Unmarshal(body, &bare)
	return bare
}

// Text returns the message with those of its details. It is whole, so that callers can find secrets
// in it.
func (p Problem) Text() string {
	parts := []string{p.Message}
	for _, detail := range p.Details[:min(len(p.Details), 5)] {
		if text := strings.TrimSpace(detail.Code + ": " + detail.Message); !strings.Contains(p.Message, detail.Message) {
			parts = append(parts, strings.TrimPrefix(text, ": "))
		}
	}
	return strings.TrimSpace(strings.Join(parts, "; "))
}

// reasons maps statuses to reasons, if the class of the status does not determine them.
var reasons = map[int]provider.Reason{
	http.StatusUnauthorized:       provider.Reason_REASON_UNAUTHORIZED,
	http.StatusForbidden:          provider.Reason_REASON_UNAUTHORIZED,
	http.StatusNotFound:           provider.Reason_REASON_NOT_FOUND,
	http.StatusRequestTimeout:     provider.Reason_REASON_TRANSIENT,
	http.StatusConflict:           provider.Reason_REASON_CONFLICT,
	http.StatusPreconditionFailed: provider.Reason_REASON_CONFLICT,
	http.StatusLocked:             provider.Reason_REASON_CONFLICT,
	http.StatusTooEarly:           provider.Reason_REASON_TRANSIENT,
	http.StatusTooManyRequests:    provider.Reason_REASON_THROTTLED,
}

// codes maps codes of ARM to reasons that differ from those of their status. For example, 404 is
// also the status for a type that ARM does not know.
var codes = map[string]provider.Reason{
	"InvalidResourceType":        provider.Reason_REASON_INVALID,
	"InvalidResourceNamespace":   provider.Reason_REASON_INVALID,
	"NoRegisteredProviderFound":  provider.Reason_REASON_INVALID,
	"InvalidApiVersionParameter": provider.Reason_REASON_INVALID,
	"InvalidSubscriptionId":      provider.Reason_REASON_INVALID,
	"RetryableError":             provider.Reason_REASON_TRANSIENT,
	"TooManyRequests":            provider.Reason_REASON_THROTTLED,
	"ParentResourceNotFound":     provider.Reason_REASON_NOT_FOUND,
}

var hints = map[string]string{
	"MissingSubscriptionRegistration": "register the namespace in the subscription, as by az provider register --namespace",
	"NoRegisteredProviderFound":       "this cloud does not have the type in this API version",
	"InvalidResourceType":             "this cloud does not have the type in this API version",
	"InvalidResourceNamespace":        "this cloud does not have the namespace",
	"InvalidApiVersionParameter":      "this cloud does not have the type in this API version",
	"SubscriptionNotFound":            "the credentials may be those of another tenant",
	"AuthorizationFailed":             "give the credentials a role that allows it",
	"ResourceGroupNotFound":           "create the resource group first",
	"ParentResourceNotFound":          "create the owner first",
}

// Failure returns the failure for an answer that is an error.
func (r *Response) Failure(doing string) *provider.Failure {
	problem := ProblemOf(r.Body)
	reason, ok := codes[problem.Code]
	switch {
	case !ok && r.Status == http.StatusNotFound && r.isOfGateway(): // the answer shows nothing about the resource
		reason = provider.Reason_REASON_TRANSIENT
	case !ok:
		reason = reasonOf(r.Status)
	}
	message := fmt.Sprintf("%s: ARM answers %d %s", doing, r.Status, or(problem.Code, http.StatusText(r.Status)))
	if text := problem.Text(); text != "" {
		message += ": " + text
	}
	if hint := hints[problem.Code]; hint != "" {
		message += "; hint: " + hint
	}
	f := &provider.Failure{Reason: reason, Code: problem.Code, Message: message, Effect: effect.OfStatus(r.Status)}
	if after, ok := r.RetryAfter(); ok {
		f.RetryAfter = durationpb.New(after)
	}
	return f
}

func reasonOf(status int) provider.Reason {
	if reason, ok := reasons[status]; ok {
		return reason
	}
	if status >= 400 && status < 500 {
		return provider.Reason_REASON_INVALID
	}
	return provider.Reason_REASON_TRANSIENT
}

// IsAbsence reports whether an answer proves that a resource does not exist. An unknown
// subscription or type does not prove it: the resource may exist for other credentials. Neither
// does a page of a gateway or a proxy before ARM.
func (r *Response) IsAbsence() bool {
	if r.Status != http.StatusNotFound || r.isOfGateway() {
		return false
	}
	switch ProblemOf(r.Body).Code {
	case "SubscriptionNotFound", "InvalidSubscriptionId", "InvalidResourceType", "InvalidResourceNamespace",
		"NoRegisteredProviderFound", "InvalidApiVersionParameter":
		return false
	}
	return true
}

// isOfGateway reports whether an answer has a body that ARM does not write.
func (r *Response) isOfGateway() bool {
	return len(bytes.TrimSpace(r.Body)) > 0 && !json.Valid(r.Body)
}

// longestWait limits the wait that an answer can request.
const longestWait = time.Hour

// RetryAfter returns how long to wait, and whether the answer requests a wait: in milliseconds,
// in seconds, or until a time by ARM's own clock.
func (r *Response) RetryAfter() (time.Duration, bool) {
	for _, name := range []string{"retry-after-ms", "x-ms-retry-after-ms"} {
		if n, err := strconv.ParseUint(r.Header.Get(name), 10, 31); err == nil {
			return min(time.Duration(n)*time.Millisecond, longestWait), true
		}
	}
	value := r.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, longestWait), true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), longestWait), true
}

// transientCodes lists codes of operations that may succeed when they are begun again.
var transientCodes = []string{
	"", "InternalServerError", "InternalError", "ServerTimeout", "GatewayTimeout", "ServiceUnavailable", "ServerBusy", "Timeout", "RequestTimeout",
	"TooManyRequests", "OperationPreempted", "OperationCanceled", "Canceled", "Cancelled", "RetryableError", "AnotherOperationInProgress", "AllocationFailed",
	"Conflict", "NetworkingInternalOperationError",
}

// FailureOf returns the failure of a change that ARM accepted and that then failed.
func FailureOf(doing, status string, problem Problem) *provider.Failure {
	reason := provider.Reason_REASON_INVALID
	if slices.Contains(transientCodes, problem.Code) || !strings.EqualFold(status, "Failed") {
		reason = provider.Reason_REASON_TRANSIENT
	}
	message := fmt.Sprintf("%s: it ended as %s", doing, status)
	for _, part := range []string{problem.Code, problem.Text()} {
		if part != "" {
			message += ": " + part
		}
	}
	return &provider.Failure{Reason: reason, Code: or(problem.Code, status), Message: message}
}

// aadsts finds the error code and message of Microsoft Entra ID in an error of azidentity.
var aadsts = regexp.MustCompile(`AADSTS\d+[^"\\\r\n]*`)

// FailureOfCall returns the failure of a call without an answer. It removes secrets from the whole
// text of the error with strip, if that is not nil, before it takes a part of the text.
func FailureOfCall(doing string, err error, strip func(string) string) *provider.Failure {
	textOf := func(err error) string {
		if strip == nil {
			return err.Error()
		}
		return strip(err.Error())
	}
	f := &provider.Failure{Reason: provider.Reason_REASON_TRANSIENT, Message: doing + ": " + firstLine(textOf(err)), Effect: EffectOf(err)}
	var refused *azidentity.AuthenticationFailedError
	var final interface {
		error
		NonRetriable()
	}
	var call *TransportError
	switch {
	case errors.As(err, &refused):
		text := textOf(err)
		f.Reason, f.Message = provider.Reason_REASON_UNAUTHORIZED, doing+": the credentials do not do: "+or(aadsts.FindString(text), firstLine(text))
		if r := refused.RawResponse; r != nil && (r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests) {
			f.Reason = provider.Reason_REASON_TRANSIENT
		}
	case IsTimeout(err):
		f.Code = "Timeout"
	case errors.As(err, &final):
		f.Reason, f.Message = provider.Reason_REASON_UNAUTHORIZED, doing+": "+firstLine(textOf(final))
	case !errors.As(err, &call):
		f.Reason = provider.Reason_REASON_INVALID
	}
	return f
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func or(given, otherwise string) string {
	if given != "" {
		return given
	}
	return otherwise
}
