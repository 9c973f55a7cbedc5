// Package install proves that the generated packages install the worked example: on a real API
// server, in the order that the guide gives, with the real webhook started by the arguments and
// with the rights that the package gives it. No pods run there. The package holds only tests.
package install
