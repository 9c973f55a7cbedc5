package buildedit

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

var (
	// copier matches the program that kubebuilder's Makefile calls.
	copier = regexp.MustCompile(`CONTROLLER_GEN\b|controller-gen`)
	// crdWord matches the generator of CRDs among the words of its command, and outputWord where it
	// writes them. Old Makefiles have the generator in a variable.
	crdWord    = regexp.MustCompile(`^["']?(crd(:[^"']*)?|\$[({]CRD_OPTIONS[)}])["']?$`)
	outputWord = regexp.MustCompile(`^["']?output:crd:`)
	// otherWord matches the other generators.
	otherWord = regexp.MustCompile(`^["']?(rbac|webhook|object|applyconfiguration|schemapatch)(:|["']?$)`)
	word      = regexp.MustCompile(`[ \t]*[^ \t]+`)
	// called matches a recipe's line that only calls the program, perhaps with variables of the
	// environment, and by the go command.
	called = regexp.MustCompile(`^\t[ \t]*[@+-]*[ \t]*([A-Za-z_]\w*=[^ \t]*[ \t]+)*(go[ \t]+(run|tool)[ \t]+)?["']?([^ \t"']*controller-gen(@[^ \t"']*)?|\$[({]CONTROLLER_GEN[)}])["']?[ \t]`)
	// remark matches a comment, of make or of the shell.
	remark = regexp.MustCompile(`^[ \t]*@?[ \t]*#`)

	stratas    = regexp.MustCompile(`(?m)^(export[ \t]+)?STRATA[ \t]*[?:+]*=`)
	copierLine = regexp.MustCompile(`(?m)^CONTROLLER_GEN[ \t]*[?:]*=.*\n`)
	rule       = regexp.MustCompile(`^[^\t#:=]+:([^=]|$)`)
)

// generates is the line of a recipe that generates all, and defines sets its program.
const (
	generates = "\t$(STRATA) generate\n"
	defines   = "STRATA ?= strata\n"
)

// Makefile returns a Makefile that runs strata generate where it ran controller-gen to write CRDs.
// The other generators of controller-gen stay, and run after it: they read the whole module, which
// imports what Strata generates. A Makefile that writes no CRDs stays as it is.
func Makefile(src []byte) ([]byte, error) {
	var out []byte
	target, changed := -1, false // the offset of the rule that is changed, with the lines above it
	above, n := 0, 0
	isContinued := false // whether the line belongs to the command above it
	for line := range bytes.Lines(src) {
		n++
		text := string(line)
		isPart := isContinued || isSplit(text)
		isContinued = isSplit(text)
		switch {
		case remark.MatchString(text):
		case rule.MatchString(text):
			above = beforeRule(out)
		case strings.HasPrefix(text, "\t") && copier.MatchString(text):
			rest, has := withoutCRDs(text)
			if !has {
				break
			}
			if isPart || !called.MatchString(text) || strings.ContainsAny(text, ";&|") {
				return nil, &Refusal{n, "the command that writes the CRDs is part of a longer one", defines + "\n" + generates}
			}
			out = append(out, generates+rest...)
			if !changed {
				target, changed = above, true
			}
			continue
		}
		out = append(out, line...)
	}
	if !changed {
		if line := hiddenCRDs(src); line > 0 {
			return nil, &Refusal{line, "the command that writes the CRDs is not in one line", defines + "\n" + generates}
		}
		return src, nil
	}
	if stratas.Match(src) {
		return out, nil
	}
	if at := copierLine.FindIndex(out); at != nil {
		return slices.Insert(out, at[1], []byte(defines)...), nil
	}
	return slices.Insert(out, target, []byte(defines+"\n")...), nil
}

// Include returns a Makefile that includes a file of make, by its last line. A Makefile that
// includes it already stays as it is.
func Include(src []byte, file string) []byte {
	for line := range bytes.Lines(src) {
		if words := strings.Fields(string(line)); len(words) > 1 && strings.HasSuffix(words[0], "include") && slices.Contains(words[1:], file) {
			return src
		}
	}
	out := slices.Clone(src)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	return append(out, "\ninclude "+file+"\n"...)
}

// isSplit reports whether a command goes on in the next line.
func isSplit(line string) bool { return strings.HasSuffix(strings.TrimRight(line, "\r\n"), `\`) }

// withoutCRDs returns a command of controller-gen without the generator of CRDs; empty if no
// generator is left. It reports false if the command writes no CRDs.
func withoutCRDs(line string) (string, bool) {
	var out strings.Builder
	has, others := false, false
	for _, w := range word.FindAllString(strings.TrimRight(line, " \t\r\n"), -1) {
		switch text := strings.TrimLeft(w, " \t"); {
		case crdWord.MatchString(text):
			has = true
			continue
		case outputWord.MatchString(text):
			continue
		case otherWord.MatchString(text):
			others = true
		}
		out.WriteString(w)
	}
	if !others {
		return "", has
	}
	return out.String() + "\n", has
}

// hiddenCRDs returns the line in which a command that goes over several lines writes CRDs; 0 if
// there is none.
func hiddenCRDs(src []byte) int {
	n, isCopier := 0, false
	for line := range bytes.Lines(src) {
		n++
		text := strings.TrimRight(string(line), " \t\r\n")
		if remark.MatchString(text) {
			continue
		}
		isCopier = isCopier || strings.HasPrefix(text, "\t") && copier.MatchString(text)
		if isCopier && slices.ContainsFunc(strings.Fields(text), crdWord.MatchString) {
			return n
		}
		isCopier = isCopier && strings.HasSuffix(text, `\`)
	}
	return 0
}

// beforeRule returns the offset of the comments and the .PHONY that stand directly above a rule.
func beforeRule(text []byte) int {
	at := len(text)
	for at > 0 {
		start := bytes.LastIndexByte(text[:at-1], '\n') + 1
		line := text[start:at]
		if !bytes.HasPrefix(line, []byte("#")) && !bytes.HasPrefix(line, []byte(".PHONY")) {
			break
		}
		at = start
	}
	return at
}
