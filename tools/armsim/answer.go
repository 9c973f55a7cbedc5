package armsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// answer is the response to a call.
type answer struct {
	status    int
	header    http.Header
	body      any // nil for none
	problem   *problem
	refused   bool // by a schema
	committed bool // whether the call has changed something
	summary   string
}

// problem is the body of an error as ARM writes it.
type problem struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Target  string    `json:"target,omitempty"`
	Details []problem `json:"details,omitempty"`
}

func fail(status int, code, format string, args ...any) answer {
	return answer{status: status, problem: &problem{Code: code, Message: fmt.Sprintf(format, args...)}}
}

func ok(status int, body any) answer { return answer{status: status, body: body} }

func (a answer) with(name, value string) answer {
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(name, value)
	return a
}

// after sets the headers that ask the client to repeat its call after d. ARM counts in seconds;
// its clients also accept milliseconds.
func (a answer) after(d time.Duration) answer {
	seconds := (d + time.Second - 1) / time.Second
	a = a.with("Retry-After", strconv.Itoa(int(seconds)))
	if d%time.Second != 0 {
		a = a.with("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
	return a
}

// brief describes an answer in a line.
func (a answer) brief() string {
	text := a.summary
	if a.problem != nil {
		text = a.problem.Code + ": " + a.problem.Message
	}
	if len(text) > 500 {
		text = text[:500] + "..."
	}
	return text
}

func (a answer) write(w http.ResponseWriter) {
	header := w.Header()
	for name, values := range a.header {
		header[name] = values
	}
	header.Set("Cache-Control", "no-cache")
	body := a.body
	if a.problem != nil {
		body = map[string]any{"error": a.problem}
	}
	if body == nil {
		w.WriteHeader(a.status)
		return
	}
	data, err := json.Marshal(body)
	if err != nil {
		http.Error(w, "the answer cannot be encoded", http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(a.status)
	// The length shows the client if this fails.
	_, _ = w.Write(data)
}
