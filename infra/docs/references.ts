export const protocolPages = ['conventions', 'errors', 'auth', 'resources', 'payments', 'projects', 'client'] as const;

/** A reference as it is written, and what is wrong with it; null when it resolves. */
export type Reference = { text: string; fault: string | null };

export type Targets = {
  /** Section numbers by page: a protocol page's name, or `architecture`. */
  sections: Readonly<Record<string, ReadonlySet<string>>>;
  /** Numbers of the rules in docs/protocol/README.md. */
  rules: ReadonlySet<string>;
  /** Numbers of docs/decisions, four digits. */
  decisions: ReadonlySet<string>;
};

const page = protocolPages.join('|');
const steps = '(?:,? steps? \\d+(?: (?:to|and) \\d+|–\\d+)?)?';
const separator = '(?:, | and | to |–|; )';
/** Earlier sections of the same reference: `§1.3, §1.5 and §1.6`. */
const earlierSections = new RegExp(`(?:§[A-Z0-9.]*[A-Z0-9]${steps}${separator})+$`);
/** A second page of the same reference: `protocol, conventions §4.2 and auth §8.6`. */
const earlierPage = new RegExp(`(protocol, )(?:${page}) §[A-Z0-9.]*[A-Z0-9]${steps}${separator}(?=(?:${page}) $)`, 'i');
const standard =
  /(?:RFC \d+(?:bis)?|WebAuthn L(?:evel )?\d|WCAG \d\.\d|OpenID Connect (?:Core|Discovery)(?: 1\.0)?|Core 1\.0|CTAP \d\.\d) $/;

/** Line breaks and the marks of comments become one space, so that a reference can be split over lines. */
const inOneLine = (text: string): string => text.replace(/\s*\n[ \t]*(?:\*(?!\/)|\/\/|--|>)?[ \t]*/g, ' ');

/**
 * Every reference of a file to a section, rule or decision. `ownPage`: the protocol page that the file is; it can
 * refer to its own sections by number alone.
 */
export function referencesIn(text: string, targets: Targets, ownPage: string | null = null): Reference[] {
  const line = inOneLine(text);
  return [
    ...sectionReferences(line, targets, ownPage),
    ...ruleReferences(line, targets, ownPage),
    ...decisionReferences(line, targets),
    ...oldForms(line, ownPage),
  ];
}

const shown = (line: string, from: number, to: number) => line.slice(Math.max(0, from), to).trim();

function sectionReferences(line: string, { sections }: Targets, ownPage: string | null): Reference[] {
  return [...line.matchAll(/§ ?([A-Z0-9]+(?:\.[A-Z0-9]+)*)?/g)].flatMap(({ 0: match, 1: number, index }) => {
    const text = shown(line, index - 40, index + match.length);
    const before = line.slice(Math.max(0, index - 200), index).replace(earlierSections, '');
    if (standard.test(before)) return [];
    const pageName = pageBefore(before.replace(earlierPage, '$1'), ownPage);
    if (pageName === null) return [{ text, fault: 'names no page: write (protocol, <page> §N) or (architecture §N)' }];
    const exists = number !== undefined && sections[pageName]?.has(number);
    return [{ text, fault: exists ? null : `${pageName} has no section ${number}` }];
  });
}

function pageBefore(before: string, ownPage: string | null): string | null {
  const isInProtocol = ownPage !== null && ownPage !== 'architecture';
  const ofProtocol = new RegExp(`(protocol, |\\[)(${page}) $`, 'i').exec(before);
  if (ofProtocol && (ofProtocol[1] !== '[' || ownPage !== null)) return ofProtocol[2]?.toLowerCase() ?? null;
  if (isInProtocol && new RegExp(`\\b(?:${page}) $`).test(before)) return before.trim().split(' ').at(-1) ?? null;
  if (/\barchitecture $/i.test(before)) return 'architecture';
  return ownPage;
}

function ruleReferences(line: string, { rules }: Targets, ownPage: string | null): Reference[] {
  const lead = ownPage === null || ownPage === 'architecture' ? 'protocol, rules?' : '\\(rules?';
  return [...line.matchAll(new RegExp(`${lead} (\\d+)(?:(?:, | and )(\\d+))?`, 'gi'))].flatMap((match) =>
    match.slice(1).flatMap((number) => {
      if (number === undefined) return [];
      return [{ text: match[0], fault: rules.has(number) ? null : `there is no rule ${number}` }];
    }),
  );
}

function decisionReferences(line: string, { decisions }: Targets): Reference[] {
  const byNumber = [...line.matchAll(/\bdecisions? (\d{1,4})\b(?:(?:, | and )(\d{1,4})\b)?/gi)].flatMap((match) =>
    match.slice(1).flatMap((number) => (number === undefined ? [] : [{ text: match[0], number }])),
  );
  const byPath = [...line.matchAll(/decisions\/(\d{4})/g)].map(([text, number = '']) => ({ text, number }));
  const labels = [...line.matchAll(/\[decision (\d+)\]\([^)]*?(\d{4})-/g)].map(([text, label = '', number = '']) => ({
    text,
    fault: label.padStart(4, '0') === number ? null : `the link leads to decision ${number}`,
  }));
  return [
    ...labels,
    ...[...byNumber, ...byPath].map(({ text, number }) => ({
      text,
      fault: decisions.has(number.padStart(4, '0')) ? null : `there is no decision ${number}`,
    })),
  ];
}

/** Pages by file name, and the rules by the name that they had. */
function oldForms(line: string, ownPage: string | null): Reference[] {
  if (ownPage !== null) return [];
  const old = new RegExp(
    `(?<![/\\w])(?:${page})\\.md\\b(?! *[#)])(?!\\))|protocol(?: README)?, decision|\\bREADME, decision|appendix A\\.\\d`,
    'gi',
  );
  return [...line.matchAll(old)]
    .filter(({ 0: match, index }) => !/RFC \d+, $/.test(line.slice(0, index)) || !match.startsWith('appendix'))
    .map(({ 0: match, index }) => ({
      text: shown(line, index - 20, index + match.length),
      fault: 'is an old form: write (protocol, <page> §N) or (protocol, rule N)',
    }));
}
