package wordlint

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// privateWords are words of identifiers without a meaning to a reader who does not know the code.
var privateWords = []string{
	"aside", "astray", "course", "crowd", "demand", "demands", "fate", "held", "marks", "outside", "rig", "said",
	"say", "says", "settle", "settled", "shown", "sight", "somebody", "told", "unheld", "unshown", "way", "whoever",
}

// wordsOf splits an identifier into its words, in lower case. A capital letter begins a word if a
// small letter follows it, or if none precedes it: HTTPSays has the words http and says. The s of a
// plural belongs to the initials before it: APIsOf has the words apis and of.
func wordsOf(name string) []string {
	var words []string
	runes := []rune(name)
	at := func(i int) rune {
		if i < len(runes) {
			return runes[i]
		}
		return '_'
	}
	first := 0
	flush := func(end int) {
		if first < end {
			words = append(words, strings.ToLower(string(runes[first:end])))
		}
		first = end
	}
	for i, r := range runes {
		switch {
		case r == '_':
			flush(i)
			first = i + 1
		case i == first || !unicode.IsUpper(r):
		case !unicode.IsUpper(runes[i-1]), unicode.IsLower(at(i+1)) && !isPlural(at(i+1), at(i+2)):
			flush(i)
		}
	}
	flush(len(runes))
	return words
}

// isPlural reports whether a letter after initials is their plural, and next the letter after it.
func isPlural(letter, next rune) bool { return letter == 's' && !unicode.IsLower(next) }

// sentence matches the name of a test with an article or a pronoun. Names of tests are subjects
// with what is true of them, such as TestLargeBodiesAreRefused.
var sentence = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz)(?:\w*[a-z0-9])?(A|An|The|What|Who|Whose|Nobody)[A-Z][a-z0-9]`)

// identifiers looks at the names that a file declares.
func (g *goFile) identifiers(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			g.identifier(n.Name)
			g.test(n.Name)
		case *ast.TypeSpec:
			g.identifier(n.Name)
		case *ast.ValueSpec:
			g.identifier(n.Names...)
		case *ast.Field:
			g.identifier(n.Names...)
			g.place(n)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				g.defined(n.Lhs)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				g.defined([]ast.Expr{n.Key, n.Value})
			}
		}
		return true
	})
}

func (g *goFile) defined(names []ast.Expr) {
	for _, name := range names {
		if id, ok := name.(*ast.Ident); ok {
			g.identifier(id)
		}
	}
}

func (g *goFile) identifier(names ...*ast.Ident) {
	for _, name := range names {
		for _, word := range wordsOf(name.Name) {
			if slices.Contains(privateWords, word) {
				g.add(Identifiers, name.Pos(), "the name "+name.Name+" has the word "+word)
			}
		}
	}
}

// place looks at the name of a text. A place is an object of a resource through all versions, and
// what leads to a value is a path.
func (g *goFile) place(field *ast.Field) {
	typ := field.Type
	if list, ok := typ.(*ast.ArrayType); ok {
		typ = list.Elt
	}
	if id, ok := typ.(*ast.Ident); !ok || id.Name != "string" {
		return
	}
	for _, name := range field.Names {
		if name.Name == "place" || name.Name == "places" {
			g.add(Identifiers, name.Pos(), "the text "+name.Name+" is a path or a position")
		}
	}
}

// test looks at the name of a function in a test file.
func (g *goFile) test(name *ast.Ident) {
	if word := sentence.FindStringSubmatch(name.Name); word != nil && strings.HasSuffix(g.name, "_test.go") {
		g.add(Identifiers, name.Pos(), "the name "+name.Name+" has the word "+strings.ToLower(word[1])+": omit it")
	}
}
