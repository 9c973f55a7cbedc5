// Package olderobjects tests that objects which one version created can be written through the
// others. It draws objects that the schema of a version allows, and converts them by the webhook.
// Then it labels and edits them through each other version, with the code by which an API server
// validates writes. It holds tests only.
//
// No version may refuse a label. A version may refuse an edit beside a value that it does not
// allow, and `strata check` must have listed what that version requires.
//
// It also tests that the ownership of the fields is translated between the versions: who owns all
// of an object in one version owns all of the converted one.
package olderobjects
