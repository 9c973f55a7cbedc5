// Package webhook measures the conversion webhook side by side with others: with
// controller-runtime's handler on the same types and objects, and with an echo, which reads a
// review and writes the same bytes back.
//
// It owns [Contest], the program that does so, which is built in a module of its own from what is
// generated for the pools of Microsoft.Batch; [Results], what that program reports; and
// [Results.Page] and [Results.Chart], how that is shown.
//
// The verb bench:webhook is its caller.
package webhook
