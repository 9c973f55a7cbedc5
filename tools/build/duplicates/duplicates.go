package duplicates

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// Lines is a run of lines in a file.
type Lines struct {
	File        string
	First, Last int
}

func (l Lines) String() string { return fmt.Sprintf("%s:%d-%d", l.File, l.First, l.Last) }

// Pair is two runs of the same lines of code, in the order of files.
type Pair struct {
	A, B   Lines
	Shared int // lines of code
}

// line is a line of code.
type line struct {
	number int
	text   string
}

// Find returns the longest runs that two places share, of more than most lines, in the order of
// files. Files are texts of Go code by their names.
func Find(files map[string][]byte, most int) ([]Pair, error) {
	all := map[string][]line{}
	seen := map[string][]Lines{} // where windows of one line too many begin, as indexes of lines
	var pairs []Pair
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines, err := linesOf(name, files[name])
		if err != nil {
			return nil, err
		}
		all[name] = lines
		for i := 0; i+most < len(lines); i++ {
			window := joined(lines[i : i+most+1])
			for _, before := range seen[window] {
				if n := shared(all[before.File], lines, before.First, i, before.File == name); n > most {
					pairs = append(pairs, pair(all[before.File], lines, before, Lines{name, i, i}, n))
				}
			}
			seen[window] = append(seen[window], Lines{name, i, i})
		}
	}
	return pairs, nil
}

func joined(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// shared counts the lines that two places share from i and j on; 0 where the lines before are the
// same, too, or where the places overlap.
func shared(a, b []line, i, j int, same bool) int {
	if i > 0 && j > 0 && a[i-1].text == b[j-1].text {
		return 0
	}
	n := 0
	for i+n < len(a) && j+n < len(b) && a[i+n].text == b[j+n].text && (!same || i+n < j) {
		n++
	}
	return n
}

func pair(a, b []line, i, j Lines, n int) Pair {
	return Pair{
		Lines{i.File, a[i.First].number, a[i.First+n-1].number},
		Lines{j.File, b[j.First].number, b[j.First+n-1].number}, n,
	}
}

// linesOf returns the lines of a file that count; none of generated code.
func linesOf(name string, text []byte) ([]line, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("find duplicates: %w", err)
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	left := data(files, file)
	var lines []line
	for number, words := range code(text) {
		if len(words) > 0 && !left[number] {
			lines = append(lines, line{number, strings.Join(words, " ")})
		}
	}
	return lines, nil
}

// code has the tokens of each line, without comments. Index 0 is empty.
func code(text []byte) [][]string {
	lines := make([][]string, bytes.Count(text, []byte("\n"))+2)
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		at, t, literal := s.Scan()
		switch {
		case t == token.EOF:
			return lines
		case t == token.SEMICOLON && literal == "\n":
			continue
		case literal == "":
			literal = t.String()
		}
		number := file.Line(at)
		lines[number] = append(lines[number], literal)
	}
}

// data marks the lines of imports, of texts, and of the rows of tables.
func data(files *token.FileSet, file *ast.File) map[int]bool {
	left := map[int]bool{}
	mark := func(n ast.Node) {
		first, last := files.Position(n.Pos()).Line, files.Position(n.End()).Line
		for number := first; first < last && number <= last; number++ {
			left[number] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.IMPORT {
				mark(n)
			}
		case *ast.BasicLit:
			mark(n)
		case *ast.CompositeLit:
			switch n.Type.(type) {
			case *ast.ArrayType, *ast.MapType:
				mark(n)
			}
		}
		return true
	})
	return left
}
