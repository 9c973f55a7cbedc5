package archives

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
)

// shells are those with completions, each with the file that it reads.
var shells = []struct{ name, file string }{
	{"bash", "%s.bash"}, {"fish", "%s.fish"}, {"powershell", "%s.ps1"}, {"zsh", "_%s"},
}

// completions returns the completions of a program for all shells.
func completions(ctx context.Context, program, name string) ([]entry, error) {
	var out []entry
	for _, shell := range shells {
		text, err := command.In{}.Output(ctx, program, "completion", shell.name)
		if err != nil {
			return nil, fmt.Errorf("print completions: %w", err)
		}
		out = append(out, entry{name: "completions/" + fmt.Sprintf(shell.file, name), body: []byte(text)})
	}
	return out, nil
}

// manual returns the pages for man: one for each program and each of its commands. The pages have
// the text that --help prints.
func (o Options) manual(ctx context.Context, program func(name string) string) ([]entry, error) {
	var out []entry
	for _, p := range o.Programs {
		pages, err := o.pages(ctx, program(p.Name), p.Name, nil)
		if err != nil {
			return nil, fmt.Errorf("write the manual: %w", err)
		}
		for _, page := range pages {
			if !has(out, page.name) { // strata cluster is a command of strata, and a program
				out = append(out, page)
			}
		}
	}
	return out, nil
}

func has(all []entry, name string) bool {
	for _, e := range all {
		if e.name == name {
			return true
		}
	}
	return false
}

var (
	// listOfCommands matches the title of a list of commands in a help text. Those that are programs
	// have pages of their own.
	listOfCommands = regexp.MustCompile(`^(Available )?Commands:$`)
	listed         = regexp.MustCompile(`^  ([a-z][a-z0-9-]*) {2,}`)
)

// pages returns the page of a command, and those of the commands below it.
func (o Options) pages(ctx context.Context, program, name string, words []string) ([]entry, error) {
	text, err := command.In{}.Output(ctx, program, append(append([]string{}, words...), "--help")...)
	if err != nil {
		return nil, err
	}
	title := strings.Join(append([]string{name}, words...), "-")
	out := []entry{{name: "man/man1/" + title + ".1", body: []byte(o.page(title, text))}}
	inList := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, " ") {
			inList = listOfCommands.MatchString(line)
		}
		m := listed.FindStringSubmatch(line)
		if !inList || m == nil || m[1] == "help" {
			continue
		}
		below, err := o.pages(ctx, program, name, append(append([]string{}, words...), m[1]))
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}

// page returns a page for man of a help text. Its first line is the name.
func (o Options) page(title, text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %q %q %q\n", strings.ToUpper(title), o.Time.UTC().Format("2006-01-02"), "strata "+o.Version, "Strata")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n", roff(title), roff(strings.TrimSuffix(first, ".")))
	for line := range strings.Lines(strings.TrimSpace(rest)) {
		b.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}

// roff escapes a line of text.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
