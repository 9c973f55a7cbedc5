// Package effect defines whether a failed call can have changed something, in one table. The
// operator decides with it whether a claim remains. Providers classify with it errors of the
// external API, and missing answers.
package effect
