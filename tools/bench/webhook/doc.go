// Package webhook measures the conversion webhook side by side with others: with
// controller-runtime's handler on the same types and objects, and with an echo, which reads a
// review and writes the same bytes back.
//
// [Contest] is the program that measures, built in a module of its own from the code that is
// generated for the pools of Microsoft.Batch. [Results] are its output, and [Results.Page] and
// [Results.Chart] print them.
//
// The verb bench:webhook calls it.
package webhook
