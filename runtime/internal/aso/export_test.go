package aso

// Fold is fold.
var Fold = fold
