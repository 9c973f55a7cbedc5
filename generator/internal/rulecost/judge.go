package rulecost

import (
	"context"
	"errors"
	"math/bits"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Kind is the reason for which API servers refuse a CRD.
type Kind uint8

// The kinds of faults. Invalid is that of a rule that does not compile, or that is empty or uses
// oldSelf where it is not known.
const (
	Invalid Kind = iota
	Costly
	TotalCostly
)

// Fault is a reason for which API servers refuse a version.
type Fault struct {
	Kind Kind
	// Path is that of the schema with the rule; empty for the object itself, and for all rules.
	Path Path
	// Rule is the text of the rule or of its message expression; empty for all rules together.
	Rule string
	// Reason is why a rule is invalid.
	Reason string
	// Cost is the estimate of an API server, and Limit is the largest that it accepts. Times is how
	// often the rule is evaluated at most. Missing lists bounds that would make the estimate smaller.
	Cost, Limit, Times uint64
	Missing            []Bound
}

// maxSize is the size from which schemas are not judged: an API server refuses every request that
// has one, whatever its rules cost.
const maxSize = int(celconfig.MaxRequestSizeBytes)

// Added returns what an API server refuses of the later schema, and not of the earlier one: rules
// first, in the order of their paths. The schemas are those of whole objects in JSON. Either may be
// empty, which means that it has no rules. The result is incomplete once the context has ended.
//
// Added compiles only rules whose own schemas differ. If there are such rules, it also compiles the
// others, because all of them count for the total.
func Added(ctx context.Context, old, later string) []Fault {
	if later == "" || later == old || len(later) > maxSize || len(old) > maxSize {
		return nil
	}
	is, err := parse(later)
	if err != nil {
		return nil // API servers refuse the schema for another reason
	}
	var was *node
	if old != "" {
		was, _ = parse(old)
	}
	j := &judge{ctx: ctx}
	j.compare(was, is)
	if !j.changed {
		return nil
	}
	if total := j.total(is); total > validation.StaticEstimatedCRDCostLimit && (was == nil || j.total(was) <= validation.StaticEstimatedCRDCostLimit) && ctx.Err() == nil {
		j.faults = append(j.faults, Fault{Kind: TotalCostly, Cost: total, Limit: validation.StaticEstimatedCRDCostLimit})
	}
	return j.faults
}

// judge judges one pair of schemas.
type judge struct {
	ctx     context.Context
	faults  []Fault
	changed bool // some rule is new, or its cost may have changed
}

// compare reports the faults of a tree that another one has not at the same path. was may be nil.
func (j *judge) compare(was, is *node) {
	if is.context == nil || !is.hasRules || j.ctx.Err() != nil {
		return
	}
	if was != nil && (was.context == nil || !was.hasRules) {
		was = nil
	}
	if was != nil && was.digest == is.digest && was.knowsOld == is.knowsOld && equal(was.context.MaxCardinality, is.context.MaxCardinality) {
		return
	}
	if len(is.schema.XValidations) > 0 {
		j.changed = true
		known := map[faultKey]int{}
		for _, f := range j.faultsOf(was) {
			known[f.key()]++
		}
		for _, f := range j.faultsOf(is) {
			if known[f.key()]--; known[f.key()] < 0 {
				f.Path = is.path()
				if f.Kind == Costly {
					f.Missing = is.missing(f.Rule)
				}
				j.faults = append(j.faults, f)
			}
		}
	}
	for _, c := range is.children {
		j.compare(was.at(c.step), c)
	}
}

func equal(a, b *uint64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// faultKey identifies a fault among those at one path.
type faultKey struct {
	kind Kind
	rule string
}

func (f Fault) key() faultKey { return faultKey{f.Kind, f.Rule} }

// faultsOf returns the faults of a node's own rules.
func (j *judge) faultsOf(n *node) (out []Fault) {
	if n == nil {
		return nil
	}
	for i, c := range j.compile(n) {
		rule := n.schema.XValidations[i]
		times := n.times(c)
		cost := Product(c.Once, times)
		if c.reason != "" {
			out = append(out, Fault{Kind: Invalid, Rule: rule.Rule, Reason: c.reason})
		} else if c.usesOld && !n.knowsOld {
			out = append(out, Fault{Kind: Invalid, Rule: rule.Rule, Reason: "it uses oldSelf, and API servers cannot find the earlier value here"})
		}
		if cost > validation.StaticEstimatedCostLimit {
			out = append(out, Fault{Kind: Costly, Rule: rule.Rule, Cost: cost, Limit: validation.StaticEstimatedCostLimit, Times: times})
		}
		if c.messageReason != "" {
			out = append(out, Fault{Kind: Invalid, Rule: rule.MessageExpression, Reason: c.messageReason})
		}
		if c.message > validation.StaticEstimatedCostLimit {
			out = append(out, Fault{Kind: Costly, Rule: rule.MessageExpression, Cost: c.message, Limit: validation.StaticEstimatedCostLimit, Times: 1})
		}
	}
	return out
}

// times returns how often a rule is evaluated at most.
func (n *node) times(c compiled) uint64 {
	if n.context.MaxCardinality != nil {
		return *n.context.MaxCardinality
	}
	return c.Most
}

// total returns the cost of all rules of a tree.
func (j *judge) total(n *node) (sum uint64) {
	if n.context == nil || !n.hasRules || j.ctx.Err() != nil {
		return 0
	}
	add := func(cost uint64) {
		var over uint64
		if sum, over = bits.Add64(sum, cost, 0); over > 0 {
			sum = 1<<64 - 1
		}
	}
	for _, c := range j.compile(n) {
		add(Product(c.Once, n.times(c)))
		add(c.message)
	}
	for _, c := range n.children {
		add(j.total(c))
	}
	return sum
}

// compiled is what compiling one rule results in.
type compiled struct {
	Cost
	message               uint64 // the cost of the message expression
	usesOld               bool
	reason, messageReason string // why an API server refuses one of the two
}

// subtrees caches the results of compiling rules by the digests of their schemas.
var subtrees sync.Map

type subtree struct {
	digest [32]byte
	isRoot bool
}

// atOnce is the least number of rules that are compiled before the context is checked. All rules of
// a large schema are compiled in few rounds, because each round declares its types.
const atOnce = 64

// compile compiles the rules of a node. The result is nil once the context has ended.
func (j *judge) compile(n *node) []compiled {
	if len(n.schema.XValidations) == 0 || n.compiled != nil {
		return n.compiled
	}
	key := subtree{n.digest, n.parent == nil}
	if known, ok := subtrees.Load(key); ok {
		n.compiled = known.([]compiled)
		return n.compiled
	}
	info, err := n.context.TypeInfo()
	if err == nil && (info == nil || info.DeclType == nil) {
		err = errors.New("rules cannot use values of this type")
	}
	var out []compiled
	all, round := n.schema.XValidations, max(atOnce, n.size/16)
	for from := 0; from < len(all); from += round {
		if j.ctx.Err() != nil {
			return nil
		}
		to := min(from+round, len(all))
		var results []cel.CompilationResult
		if err == nil {
			s := *info.Schema
			s.XValidations = s.XValidations[from:to]
			results, err = compile(&s, info.DeclType)
		}
		for i, rule := range all[from:to] {
			if err != nil {
				out = append(out, compiled{reason: brief(err.Error())})
				continue
			}
			out = append(out, resultOf(rule, results[i]))
		}
	}
	subtrees.Store(key, out)
	n.compiled = out
	return out
}

func resultOf(rule apiextensions.ValidationRule, r cel.CompilationResult) compiled {
	out := compiled{Cost: Cost{r.MaxCost, r.MaxCardinality}, message: r.MessageExpressionMaxCost, usesOld: r.UsesOldSelf}
	switch {
	case strings.TrimSpace(rule.Rule) == "":
		out.reason = "the rule is empty"
	case r.Error != nil:
		out.reason = brief(r.Error.Detail)
	case rule.OptionalOldSelf != nil && !r.UsesOldSelf:
		out.reason = "optionalOldSelf is set, and the rule does not use oldSelf"
	}
	if r.MessageExpressionError != nil {
		out.messageReason = brief(r.MessageExpressionError.Detail)
	}
	return out
}

// maxReason is the largest number of bytes of a reason.
const maxReason = 200

// brief returns the first line of an error of CEL.
func brief(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if _, after, ok := strings.Cut(text, "ERROR: <input>:"); ok {
		text = "line " + strings.Replace(after, ":", ", column ", 1)
	}
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + " ..."
	}
	return text
}
