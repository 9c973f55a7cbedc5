// Package reviews counts how often an API server asks a conversion webhook for one request, and
// finds out what causes each review: the version of the request, the versions of field managers,
// the versions of admission policies, and the caches of served versions.
//
// It makes the same request again and again, and changes one cause at a time. The command
// strata-reviews, which is `mage bench:reviews`, prints the counts.
package reviews
