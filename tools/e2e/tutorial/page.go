package tutorial

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Page has the steps that a reader follows, in order.
type Page struct{ Steps []Step }

// Step is a command, or a file that is saved or extended. Output is the output of a command on
// the page, empty if the page has none.
type Step struct {
	Command, Output string
	File, Body      string
	Grows           bool
}

var (
	save  = regexp.MustCompile("Save this as `([^`]+)`")
	grow  = regexp.MustCompile("Add this to the end of `([^`]+)`")
	fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")
)

// Variants of a page, by where Strata comes from. A section may belong to one of them.
const (
	Release  = "a release"
	Checkout = "a checkout"
)

// With returns a page in Markdown without the sections of the other variant. A section is between
// <!-- with a release --> and <!-- /with a release -->, for example.
func With(variant, markdown string) (string, error) {
	for _, other := range []string{Release, Checkout} {
		begin, end := "<!-- with "+other+" -->\n", "<!-- /with "+other+" -->\n"
		if strings.Count(markdown, begin) != strings.Count(markdown, end) {
			return "", fmt.Errorf("a section with %s does not begin or end", other)
		}
		for other != variant && strings.Contains(markdown, begin) {
			before, rest, _ := strings.Cut(markdown, begin)
			_, after, ends := strings.Cut(rest, end)
			if !ends {
				return "", fmt.Errorf("a section with %s ends before it begins", other)
			}
			markdown = before + after
		}
	}
	return markdown, nil
}

// Read finds the steps of a page in Markdown. Each line of a block of sh is a command. A block of
// console has commands after "$ ", each with its output. A block after "Save this as" or "Add this
// to the end of" is a file. Any other block is the output of the command before it.
func Read(markdown string) (*Page, error) {
	p := &Page{}
	at := 0
	for _, m := range fence.FindAllStringSubmatchIndex(markdown, -1) {
		prose, language, body := markdown[at:m[0]], markdown[m[2]:m[3]], markdown[m[4]:m[5]]
		at = m[1]
		switch saved, grows := save.FindStringSubmatch(prose), grow.FindStringSubmatch(prose); {
		case language == "sh":
			for line := range strings.Lines(body) {
				p.Steps = append(p.Steps, Step{Command: strings.TrimSpace(line)})
			}
		case language == "console" && strings.HasPrefix(body, prompt):
			for _, part := range strings.Split("\n"+strings.TrimSuffix(body, "\n"), "\n"+prompt)[1:] {
				command, output, _ := strings.Cut(part, "\n")
				p.Steps = append(p.Steps, Step{Command: command, Output: output})
			}
		case saved != nil:
			p.Steps = append(p.Steps, Step{File: saved[1], Body: body})
		case grows != nil:
			p.Steps = append(p.Steps, Step{File: grows[1], Body: body, Grows: true})
		case len(p.Steps) == 0 || p.Steps[len(p.Steps)-1].Command == "":
			return nil, fmt.Errorf("nobody says what this block is: %.60q", body)
		default:
			p.Steps[len(p.Steps)-1].Output = body
		}
	}
	return p, nil
}

// prompt is before the commands of a block of console.
const prompt = "$ "

// Commands are those of the page.
func (p *Page) Commands() []string {
	var out []string
	for _, s := range p.Steps {
		if s.Command != "" {
			out = append(out, s.Command)
		}
	}
	return out
}

const (
	stepPrefix = "@@ step "
	end        = "END-OF-FILE"
)

// Script returns a shell script of the page's steps, which stops at the first failure. Before
// each command it prints a mark, which Outputs reads.
func (p *Page) Script() string {
	var b strings.Builder
	b.WriteString("set -euo pipefail\n")
	for i, s := range p.Steps {
		if s.Command != "" {
			// set -e ignores a command that && follows.
			fmt.Fprintf(&b, "echo '%s%d'\n%s\n[ $? -eq 0 ]\n", stepPrefix, i, s.Command)
			continue
		}
		to := ">"
		if s.Grows {
			to = ">>"
		}
		fmt.Fprintf(&b, "mkdir -p '%s'\ncat %s '%s' <<'%s'\n%s%s\n", path.Dir(s.File), to, s.File, end, s.Body, end)
	}
	return b.String()
}

// Outputs returns the output of each command of a script by the index of its step, without
// commands that did not run.
func (p *Page) Outputs(printed string) map[int]string {
	out := map[int]string{}
	parts := strings.Split(printed, stepPrefix)
	for _, part := range slices.Delete(parts, 0, 1) {
		index, text, _ := strings.Cut(part, "\n")
		n := 0
		if _, err := fmt.Sscan(index, &n); err == nil {
			out[n] = text
		}
	}
	return out
}
