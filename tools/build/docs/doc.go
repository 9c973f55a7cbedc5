// Package docs has the tests of the pages in docs:
//
//   - the tests, folders and modules that they name exist;
//   - links lead to pages and headings that exist;
//   - the doors of the guide can be read in order, and the guide lists all its pages;
//   - a page links each term of the glossary at its first use;
//   - sentences have at most 25 words;
//   - examples of YAML can be read, and examples of Go have the format of gofmt.
package docs
