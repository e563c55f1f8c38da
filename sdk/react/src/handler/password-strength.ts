/** From 0, for an empty password, to 4. */
export type Strength = 0 | 1 | 2 | 3 | 4;

const commonWords = ['password', 'passwort', 'qwerty', 'qwertz', 'azerty', 'letmein', 'welcome', 'admin', 'login'];
const commonSequences = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
/** Bits of entropy from which a password has the strength 2, 3 and 4. */
const bitsOfStrengths = [36, 55, 72] as const;

/** An estimate for the user while typing. The server decides by its own rules. `personal` are words like the email. */
export function passwordStrength(password: string, personal: readonly string[] = []): Strength {
  if (password === '') return 0;
  const bits = effectiveLength(password, personal) * Math.log2(alphabetSize(password));
  return (1 + bitsOfStrengths.filter((limit) => bits >= limit).length) as Strength;
}

/** The characters that a guesser does not know: guessable words count as one character, and so do runs. */
function effectiveLength(password: string, personal: readonly string[]): number {
  const guessable = [...commonWords, ...personal.flatMap((text) => [text, ...text.split(/[@.\s]+/)])]
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word.length > 2)
    .toSorted((a, b) => b.length - a.length);
  const rest = guessable.reduce((text, word) => text.replaceAll(word, '\u0000'), password.toLowerCase());
  const characters = [...rest];
  return characters.filter((character, index) => !continuesRun(characters[index - 1], character)).length;
}

/** Whether a character repeats the one before, or follows it on the keyboard or in the alphabet. */
function continuesRun(before: string | undefined, character: string): boolean {
  if (before === undefined) return false;
  if (before === character) return true;
  return commonSequences.some((all) => all.includes(before + character) || all.includes(character + before));
}

function alphabetSize(password: string): number {
  const classes: readonly [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[^a-zA-Z0-9]/, 33],
  ];
  return classes.reduce((size, [pattern, count]) => size + (pattern.test(password) ? count : 0), 0);
}
