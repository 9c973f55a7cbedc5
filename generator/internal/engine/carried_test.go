package engine_test

import (
	"go/ast"
	gotypes "go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// stagesInOrder are the values of the pipeline. Declarations are a part of Models and of Refined.
var stagesInOrder = []string{"Sources", "Models", "Declarations", "Refined", "Augmented", "Chain", "Plan", "Printed"}

// TestStagesCarryValuesOfLaterOnes finds fields that a stage passes on to all later ones, and that
// none of these reads.
func TestStagesCarryValuesOfLaterOnes(t *testing.T) {
	const mode = packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile
	loaded, err := packages.Load(&packages.Config{Mode: mode, Context: t.Context()}, ".")
	if err != nil || len(loaded) != 1 || len(loaded[0].Errors) > 0 {
		t.Fatalf("load the engine: %v", err)
	}
	c := carried{info: loaded[0].TypesInfo, bodies: map[gotypes.Object]ast.Node{}, read: map[gotypes.Object]bool{}, seen: map[gotypes.Object]bool{}}
	for _, file := range loaded[0].Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				c.bodies[c.info.Defs[f.Name]] = f.Body
			}
		}
	}
	for _, body := range c.bodies {
		c.readLater(body)
	}
	checked := 0
	for i, name := range stagesInOrder {
		fields := loaded[0].Types.Scope().Lookup(name).Type().Underlying().(*gotypes.Struct)
		for field := range fields.Fields() {
			if isEmbeddedLater(loaded[0].Types, name, i) && !field.Embedded() {
				if checked++; !c.read[field] {
					t.Errorf("no stage after %s reads %s: do not pass it on", name, field.Name())
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("checked %d fields", checked)
	}
}

// isEmbeddedLater reports whether a later stage embeds the value of one.
func isEmbeddedLater(engine *gotypes.Package, name string, stage int) bool {
	return slices.ContainsFunc(stagesInOrder[stage+1:], func(later string) bool {
		fields := engine.Scope().Lookup(later).Type().Underlying().(*gotypes.Struct)
		return slices.ContainsFunc(slices.Collect(fields.Fields()), func(f *gotypes.Var) bool { return f.Embedded() && f.Name() == name })
	})
}

// carried finds the fields of earlier stages that code reads of the value of a later one.
type carried struct {
	info   *gotypes.Info
	bodies map[gotypes.Object]ast.Node // of functions and methods
	read   map[gotypes.Object]bool
	seen   map[gotypes.Object]bool // methods of earlier stages that code calls on later ones
}

// readLater adds what code reads of the values of stages: fields of earlier ones, and what methods
// of earlier ones read.
func (c *carried) readLater(body ast.Node) {
	c.selections(body, func(s *gotypes.Selection) {
		at, isStage := stageOf(s.Recv())
		if !isStage || len(s.Index()) == 1 {
			return
		}
		if f, isMethod := s.Obj().(*gotypes.Func); !isMethod {
			c.read[s.Obj()] = true
		} else if declared, _ := stageOf(f.Signature().Recv().Type()); declared < at {
			c.called(f)
		}
	})
}

// called adds all fields that a method reads, directly or through others.
func (c *carried) called(method gotypes.Object) {
	if c.seen[method] || c.bodies[method] == nil {
		return
	}
	c.seen[method] = true
	c.selections(c.bodies[method], func(s *gotypes.Selection) {
		c.read[s.Obj()] = true
		c.called(s.Obj())
	})
}

func (c *carried) selections(body ast.Node, visit func(*gotypes.Selection)) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, is := n.(*ast.SelectorExpr); is && c.info.Selections[s] != nil {
			visit(c.info.Selections[s])
		}
		return true
	})
}

// stageOf returns the index of the stage that a type is the value of.
func stageOf(t gotypes.Type) (int, bool) {
	if p, is := t.(*gotypes.Pointer); is {
		t = p.Elem()
	}
	named, is := gotypes.Unalias(t).(*gotypes.Named)
	if !is {
		return 0, false
	}
	at := slices.Index(stagesInOrder, named.Obj().Name())
	return at, at >= 0
}
