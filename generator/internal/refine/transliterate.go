package refine

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// transliterate returns the ASCII letters for another letter: those of its compatibility
// decomposition without accents, or of a table for Latin, Greek and Cyrillic letters without one.
// It reports false for other scripts. Signs without a sound become "".
func transliterate(r rune) (string, bool) {
	if latin, ok := latinOf(r); ok {
		return latin, true
	}
	var b strings.Builder
	for _, part := range norm.NFKD.String(string(r)) {
		switch latin, ok := latinOf(part); {
		case ok:
			b.WriteString(latin)
		case part >= utf8.RuneSelf && unicode.IsLetter(part):
			return "", false // in part only is misleading
		}
	}
	return b.String(), b.Len() > 0
}

// latinOf returns the letters for an ASCII letter or one of the table. A capital becomes letters
// that begin with one.
func latinOf(r rune) (string, bool) {
	if r < utf8.RuneSelf {
		return string(r), unicode.IsLetter(r)
	}
	small := unicode.ToLower(r)
	latin, ok := letters[small]
	if ok && r != small && latin != "" {
		latin = strings.ToUpper(latin[:1]) + latin[1:]
	}
	return latin, ok
}

// letters are the small letters without a decomposition into ASCII letters. The Cyrillic ones
// follow the passports of ICAO Doc 9303, the Greek ones ISO 843, without accents. Signs that have
// no sound of their own become nothing.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "ng", 'ŧ': "t", 'ə': "e", 'ʼ': "",

	'α': "a", 'β': "v", 'γ': "g", 'δ': "d", 'ε': "e", 'ζ': "z", 'η': "i", 'θ': "th", 'ι': "i", 'κ': "k", 'λ': "l", 'μ': "m",
	'ν': "n", 'ξ': "x", 'ο': "o", 'π': "p", 'ρ': "r", 'σ': "s", 'ς': "s", 'τ': "t", 'υ': "y", 'φ': "f", 'χ': "ch", 'ψ': "ps", 'ω': "o",

	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ж': "zh", 'з': "z", 'и': "i", 'й': "i", 'к': "k", 'л': "l", 'м': "m", 'н': "n",
	'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f", 'х': "kh", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "shch",
	'ъ': "ie", 'ы': "y", 'ь': "", 'э': "e", 'ю': "iu", 'я': "ia",
	'ђ': "d", 'є': "ie", 'і': "i", 'ј': "j", 'љ': "lj", 'њ': "nj", 'ћ': "c", 'ѕ': "dz", 'џ': "dz", 'ґ': "g", 'ў': "u",
}
