package collection

import "regexp"

// Placeholder is {name} in a request's URL or body; its group is the name of the field that it stands for. A name neither
// begins nor ends with a space and holds no quote, so that the braces of JSON are never taken for one.
var Placeholder = regexp.MustCompile(`\{([^\s{}"'\[\],:](?:[^{}"\[\],:]*[^\s{}"'\[\],:])?)\}`)
