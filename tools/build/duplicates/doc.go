// Package duplicates finds code that stands twice in the workspace. Its test allows no two places
// to share more than twelve lines. Linters such as dupl compare the files of one package only, and
// most copies of this workspace stood in two.
//
// Lines are compared without indentation and comments. Generated code, imports, texts of several
// lines and the rows of tables do not count.
package duplicates
