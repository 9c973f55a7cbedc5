package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/stratakube/strata/tools/armsim"
)

// screen prints the story. A sentence is bold, a command is cyan after a dollar, and output is
// indented. In a diff, added lines are green and removed lines are red. Without a terminal the
// text is the same, without colours.
type screen struct {
	io.Writer
	coloured bool
}

const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	plain = "\x1b[0m"
)

func (s screen) in(colour, text string) string {
	if !s.coloured {
		return text
	}
	return colour + text + plain
}

func (s screen) sentence(n, of int, text string) {
	fmt.Fprintf(s, "\n%s\n", s.in(bold, fmt.Sprintf("%d/%d  %s", n, of, text)))
}

func (s screen) command(shell string) {
	fmt.Fprintf(s, "\n    %s %s\n", s.in(faint, "$"), s.in(cyan, shell))
}

// output shows lines; silence is what to show of none.
func (s screen) output(text, silence string) {
	if text = strings.TrimRight(text, "\n"); text == "" {
		if silence != "" {
			fmt.Fprintf(s, "    %s\n", s.in(faint, "("+silence+")"))
		}
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			line = s.in(green, line)
		case strings.HasPrefix(line, "-"):
			line = s.in(red, line)
		}
		fmt.Fprintf(s, "    %s\n", line)
	}
}

// call shows a request to the external API, and its body.
func (s screen) call(c armsim.Call) error {
	fmt.Fprintf(s, "\n    %s %s\n", s.in(faint, ">"), s.in(cyan, c.Method+" "+c.Path+"?api-version="+c.APIVersion))
	if len(c.Body) == 0 {
		return nil
	}
	var body bytes.Buffer
	if err := json.Indent(&body, c.Body, "    ", "    "); err != nil {
		return err
	}
	fmt.Fprintf(s, "    %s\n", body.String())
	return nil
}

// farewell prints the commands by which the user continues in another terminal.
func (s screen) farewell(environment []string, dir string) {
	fmt.Fprintf(s, "\n%s\n\n", s.in(bold, "The cluster stays until Ctrl-C. In another terminal:"))
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		fmt.Fprintf(s, "    %s\n", s.in(cyan, fmt.Sprintf(`export %s="%s"`, name, value)))
	}
	for _, line := range []string{"cd " + dir, "kubectl get persons", "kubectl edit persons.v20130303.crm.example.com ada", "kubectl explain persons.spec.properties --api-version=crm.example.com/v20190909"} {
		fmt.Fprintf(s, "    %s\n", s.in(cyan, line))
	}
}
