package config

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// maxSize is the largest size of a config file. Real ones are a thousand times smaller.
const maxSize = 1 << 20

// parse returns the root value of the only document in body; nil if the file is empty.
func parse(file string, body []byte) (*yaml.Node, error) {
	if len(body) > maxSize {
		return nil, diag.Errorf(diag.InFile(file), "larger than %d bytes: this is not a strata.yaml", maxSize)
	}
	root, second, err := documents(body)
	switch {
	case err != nil:
		return nil, syntaxError(file, body, err)
	case second != nil:
		offset := diag.NewLines(body).Offset(second.Line, second.Column)
		return nil, diag.Errorf(diag.At(file, offset, ""), "a second document in one file").
			WithHint("use a separate file for each generation, and run strata generate --config FILE for each")
	}
	return root, nil
}

// documents parses the first two documents of body.
func documents(body []byte) (first, second *yaml.Node, err error) {
	roots, err := yaml.Documents(body, 2)
	switch len(roots) {
	case 0:
		return nil, nil, err
	case 1:
		return roots[0], nil, err
	}
	return roots[0], roots[1], err
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntaxError adds a position to an error of the YAML library. The library names the line where the
// broken construct began, which is often too early, or none. The first line after the longest
// prefix that parses is a lower bound too.
func syntaxError(file string, body []byte, err error) diag.Message {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if match := yamlLine.FindStringSubmatch(text); match != nil {
		line, _ = strconv.Atoi(match[1])
		text = text[len(match[0]):]
	}
	line = max(line, brokenLine(body))
	content := lineAt(body, line)
	column := 1 + len(content) - len(strings.TrimLeft(content, " "))
	m := diag.Errorf(diag.At(file, diag.NewLines(body).Offset(line, column), ""), "not YAML: %s", text)
	m.Hint = syntaxHint(content, text)
	return m
}

// maxSearched bounds the search for the broken line, in bytes and in parses.
const (
	maxSearched = 64 << 10
	maxPrefixes = 300
)

func brokenLine(body []byte) int {
	end := len(body)
	for tries := 0; 0 < end && end <= maxSearched && tries < maxPrefixes; tries++ {
		end = 1 + bytes.LastIndexByte(body[:end-1], '\n')
		if _, _, err := documents(body[:end]); err == nil {
			return 1 + bytes.Count(body[:end], []byte("\n"))
		}
	}
	return 1
}

func lineAt(body []byte, line int) string {
	for range line - 1 {
		_, body, _ = bytes.Cut(body, []byte("\n"))
	}
	body, _, _ = bytes.Cut(body, []byte("\n"))
	return string(body)
}

var unquoted = regexp.MustCompile(`(^|[\s:\[,-])([*>@%&!|` + "`" + `][^\s,\]}]+)`)

// syntaxHints explains the library's errors in plain words.
var syntaxHints = []struct{ text, hint string }{
	{"mapping values", "quote a value that contains a colon followed by a space"},
	{"expected ',' or", "close the bracket or brace, or quote a value that contains one"},
	{"end of stream", "close the quote"},
	{"expected key", "keys of one mapping start in the same column"},
	{"'-' indicator", "dashes of one list start in the same column, and what belongs to them further right"},
	{"expected ':'", "put a colon and a space after the key"},
}

func syntaxHint(line, text string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if strings.Contains(indent, "\t") {
		return "indent with spaces, not with tabs"
	}
	if match := unquoted.FindStringSubmatch(line); match != nil {
		return fmt.Sprintf("quote a value that starts with %q: %q", match[2][:1], match[2])
	}
	for _, known := range syntaxHints {
		if strings.Contains(text, known.text) {
			return known.hint
		}
	}
	return ""
}
