package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/sarif"
)

// answer prints the result of a command that writes no files.
type answer struct {
	// finding makes the command fail; nil where it does not.
	finding *diag.Message
	table   func(*strings.Builder)
	// document returns the JSON form, with the end of the run.
	document func(ending) any
	markdown func() []byte
	sarif    func() ([]byte, error)
}

// ending has the members that the JSON documents of all commands share.
type ending struct {
	Outcome  string        `json:"outcome"`
	Messages []diag.Record `json:"messages"`
}

var outcomes = [...]string{Done: "done", Findings: "findings", Failed: "failed"}

// give ends a run and prints its answer. Of a run that failed there is none but as a
// document.
func (a *app) give(request engine.Request, err error, format *format, answer answer) error {
	end(request, err)
	switch {
	case request.Messages.Err() != nil:
		a.code = Failed
	case answer.finding != nil:
		a.code = Findings
		request.Messages.Add(*answer.finding)
	}
	messages := request.Messages.Messages()
	a.print(messages, request.Sources)
	if a.code == Failed && !format.isDocument() {
		return nil
	}
	text, err := answer.text(format, ending{outcomes[a.code], diag.Printer{Sources: request.Sources}.Records(messages)})
	if err != nil {
		return err
	}
	return emit(a.streams.Out, text)
}

func (r answer) text(format *format, ending ending) (string, error) {
	switch format.value {
	case json, yaml:
		return format.print(r.document(ending))
	case markdown:
		return string(r.markdown()), nil
	case sarifs:
		body, err := r.sarif()
		return plaintext.JSON(string(body)), err
	}
	var b strings.Builder
	r.table(&b)
	return plaintext.VisibleLines(b.String()), nil
}

// located returns a SARIF result with the file, line and column of a position.
func located(r engine.Request, result sarif.Result, pos diag.Pos) sarif.Result {
	result.File = pos.File
	if location, ok := r.Sources.Locate(pos); ok {
		result.Line, result.Column = location.Line, location.Column
	}
	return result
}

// columns prints rows of cells one below the other.
func columns(w io.Writer, rows [][]string) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(out, strings.Join(row, "\t"))
	}
	_ = out.Flush() // to memory
}

// counted writes a number of things.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
