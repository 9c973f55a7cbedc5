package mutation

// Verdict is what became of a mutant.
type Verdict string

// The verdicts. Mutants that do not compile count for nothing.
const (
	Killed      Verdict = "killed"       // a test failed
	TimedOut    Verdict = "timed out"    // the tests did not end, which counts as killed
	Survived    Verdict = "survived"     // all tests passed
	NotReached  Verdict = "not reached"  // no test runs the operator, which counts as survived
	NotCompiled Verdict = "not compiled" // the change is no program
	Equivalent  Verdict = "equivalent"   // no test can tell the mutant from the package; see equivalent.yaml
)
