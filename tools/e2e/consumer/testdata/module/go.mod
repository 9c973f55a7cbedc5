module example.com/outside

go 1.26.0

require github.com/stratakube/strata/runtime v0.0.0
