package wordlint

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// privateWords are words of identifiers without a meaning to a reader who does not know the code.
var privateWords = []string{
	"aside", "astray", "course", "crowd", "demand", "demands", "fate", "held", "outside", "rig", "said", "say",
	"says", "settle", "settled", "sight", "somebody", "told", "unheld", "unshown", "way", "whoever",
}

// wordOfName matches one word of an identifier.
var wordOfName = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

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
		for _, word := range wordOfName.FindAllString(name.Name, -1) {
			if slices.Contains(privateWords, strings.ToLower(word)) {
				g.add(Identifiers, name.Pos(), "the name "+name.Name+" has the word "+strings.ToLower(word))
			}
		}
	}
}

// test looks at the name of a function in a test file.
func (g *goFile) test(name *ast.Ident) {
	if word := sentence.FindStringSubmatch(name.Name); word != nil && strings.HasSuffix(g.name, "_test.go") {
		g.add(Identifiers, name.Pos(), "the name "+name.Name+" has the word "+strings.ToLower(word[1])+": omit it")
	}
}
