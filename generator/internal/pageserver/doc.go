// Package pageserver serves pages to browsers of this machine. It answers requests for these pages
// alone, from memory, and only those that name the machine: so a site that a browser shows cannot
// read them by a name that it resolves to this machine (DNS rebinding).
package pageserver
