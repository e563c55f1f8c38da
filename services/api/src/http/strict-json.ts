/** Deeper than any legitimate body, far below the depth that hurts parsers and Postgres. */
export const maxDepth = 64;
export const maxKeys = 10_000;

type Level = { keys: Set<string> | null; under: string | null };

/**
 * Parses JSON and rejects what parsers disagree on or what pollutes prototypes: repeated keys, `__proto__`,
 * `constructor.prototype`, numbers that a double can't hold. Also rejects too deep or too large input.
 * @throws SyntaxError that says which
 */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  inspect(text);
  return value;
}

/** Scans text that is known to be valid JSON, so it only checks structure and keys. */
function inspect(text: string): void {
  const levels: Level[] = [];
  let atKey = false;
  let lastKey: string | null = null;
  let keyCount = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
      case '[':
        if (levels.length >= maxDepth) throw new SyntaxError(`nested deeper than ${maxDepth} levels`);
        levels.push({ keys: text[at] === '{' ? new Set() : null, under: lastKey });
        atKey = text[at] === '{';
        lastKey = null;
        break;
      case '}':
      case ']':
        levels.pop();
        lastKey = null;
        break;
      case ',':
        atKey = levels.at(-1)?.keys !== null;
        lastKey = null;
        break;
      case ':':
        atKey = false;
        break;
      case '"': {
        const end = endOfString(text, at);
        const level = levels.at(-1);
        if (atKey && level?.keys) {
          lastKey = keyOf(text.slice(at, end + 1), level);
          keyCount += 1;
          if (keyCount > maxKeys) throw new SyntaxError(`more than ${maxKeys} keys`);
        }
        at = end;
        break;
      }
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        at = endOfNumber(text, at);
    }
  }
}

const numberForm = /-?(\d+(?:\.\d+)?)([eE][+-]?\d+)?/y;

/**
 * JSON.parse reads 1e400 as Infinity, 1e-400 as 0, and 9007199254740993 as its even neighbor, so the stored value would
 * differ from the sent one.
 * @returns the end of the number that begins at `start`.
 * @throws SyntaxError for a number that a double can't hold
 */
function endOfNumber(text: string, start: number): number {
  numberForm.lastIndex = start;
  const [literal = '', mantissa = '', exponent = ''] = numberForm.exec(text) ?? [];
  const value = Number(literal);
  const isLost = value === 0 && /[1-9]/.test(mantissa);
  const isInteger = exponent === '' && !mantissa.includes('.');
  const isRounded = isInteger && !Number.isSafeInteger(value) && String(Math.abs(value)) !== mantissa;
  if (!Number.isFinite(value) || isLost || isRounded) {
    const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
    throw new SyntaxError(`the number ${shown} is out of range for a 64-bit floating-point number`);
  }
  return start + literal.length - 1;
}

function keyOf(literal: string, { keys, under }: Level): string {
  const key = String(JSON.parse(literal));
  if (keys?.has(key)) throw new SyntaxError(`the key ${literal} appears twice in one object`);
  if (key === '__proto__' || (key === 'prototype' && under === 'constructor')) {
    throw new SyntaxError(`the key ${literal} is not allowed`);
  }
  keys?.add(key);
  return key;
}

/** @returns the index of the closing quote of the string that opens at `start` */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  throw new SyntaxError('unterminated string');
}
