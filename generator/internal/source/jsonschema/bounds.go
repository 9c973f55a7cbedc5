package jsonschema

// The limits of what one resource, or one scope, may reach. They bound time and memory for hostile
// schemas. Published schemas stay below a tenth of each.
const (
	// MaxDefinitions is the largest number of definitions of a scope.
	MaxDefinitions = 20000
	// MaxBranches is the largest number of schemas of a union or conjunction.
	MaxBranches = 5000
	// MaxFamily is the largest number of schemas that may inherit from one.
	MaxFamily = 2000
	// MaxChain is the largest number of references that lead to references.
	MaxChain = 50
	// MaxDepth is the largest nesting of schemas within a definition.
	MaxDepth = 200
	// maxCopied is the largest number of schemas that references at the root of a resource copy.
	maxCopied = 50000
	// maxCopiedSize is the largest size of these schemas in bytes. A schema may list any number of
	// names and constants, which each copy has again.
	maxCopiedSize = 16 << 20
)
