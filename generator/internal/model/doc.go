// Package model is the language of the house: what front-ends write, what the
// floors above read, and what the ledger keeps.
//
// It describes resources, their versions, named definitions and a closed sum of
// types. It knows no Go syntax, no Kubernetes and no schema dialect. Every model
// has a text notation that [Print] writes and [Parse] reads back: the two are
// inverse to each other, positions aside.
//
// What a source says that the model has no words for travels as [Facts]: on
// resources, versions and types. So a source that speaks Kubernetes already gets back what its
// definitions said, and the model stays what it is.
//
// There are two dialects of one language. A *raw* model, as a front-end gives
// it, may hold [OneOf] and [AllOf], definitions of any type, and anonymous
// objects anywhere. A *refined* model holds neither: every [Ref] names a
// definition of an [Object], every object has a name, and each resource version
// carries exactly one spec.
package model
