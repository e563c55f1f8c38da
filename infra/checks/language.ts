import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

type Exception = { file?: RegExp; line?: RegExp; reason: string };
type Term = {
  /** Matches whole words, also inside camelCase, snake_case and kebab-case names. */
  banned: RegExp;
  write: string;
  /** Only in these files; default: all. */
  only?: RegExp;
  except?: readonly Exception[];
};
export type Finding = { file: string; line: number; term: string; text: string };

const projections =
  /^(services\/(readmodel|projections|gatebook|worker)|docs\/(operations|architecture)|dashboard\/src\/features\/operations)/;

/** docs/glossary.md defines the standard terms. */
export const terms: readonly Term[] = [
  {
    banned: /e-mails?/,
    write: 'email',
    except: [{ line: /maybe, only if user with e-mail exists/, reason: 'A response that the protocol fixes.' }],
  },
  { banned: /whoever|whomever/, write: 'a noun: the user, the caller, anyone who …' },
  { banned: /stand-?ins?/, write: 'simulator, fake' },
  { banned: /fellows?/, write: 'peer' },
  { banned: /followers?/, write: 'subscription, subscriber' },
  { banned: /wordings?/, write: 'template' },
  {
    banned: /generations?/,
    write: 'projection version',
    except: [{ line: /(?:key|code) ?generation|generations of names/i, reason: 'Not about projections.' }],
  },
  {
    banned: /refus(?:e|es|ed|al|als|ing)/,
    write: 'reject, domain error',
    except: [{ line: /connection .*refused|was refused|ECONNREFUSED/i, reason: 'The name of a TCP error.' }],
  },
  {
    banned: /(?:un)?seal(?:s|ed|ing)?/,
    write: 'encrypt, decrypt',
    except: [{ line: /Object\.(?:seal|isSealed)/, reason: 'A function of JavaScript.' }],
  },
  {
    banned: /visits?/,
    write: 'authorization request',
    except: [
      {
        line: /\bvisit(?:Node)?[()]|const visit = |visits each|visit https?:/,
        reason: 'Visits of pages and of nodes.',
      },
    ],
  },
  {
    banned: /flows?/,
    write: 'authorization request',
    except: [
      { line: /(?:code|implicit|device|credentials|PKCE)[ -]flow/i, reason: 'OAuth 2.0 calls its grant types flows.' },
      { file: /^docs\/protocol\//, reason: 'The flows of published clients.' },
      { line: /(?:flow-root|text-?flow|overflow|(?:flex|grid)-?flow|auto-?flow)/i, reason: 'Properties of CSS.' },
    ],
  },
  {
    banned: /left-?overs?|left over/,
    write: 'orphaned',
    except: [{ line: /leftover variables/, reason: 'Placeholders in an email.' }],
  },
  { banned: /mend(?:s|ed|ing)?/, write: 'repair, fix' },
  { banned: /lost (?:a )?races?|lose the race/, write: 'conflict' },
  { banned: /kept answers?/, write: 'replayed response, idempotency record' },
  { banned: /answered writes?/, write: 'acknowledged write' },
  { banned: /(?:held|hold|holds|holding) (?:\w+ )?against/, write: 'compare, check' },
  { banned: /ha(?:s|ve|d) trouble/, write: 'noun: job queue error' },
  { banned: /heard of/, write: 'noun: announcement, notification' },
  { banned: /read-model sets?/, write: 'projection group' },
  {
    banned: /behind/,
    write: 'stale, lag',
    except: [
      {
        line: /x-?read-?model|['`]behind['`]|(?:is|while)Behind|_BEHIND\b|\bbehind:/i,
        reason: 'The value of the header x-read-model and a word of an error code are part of the wire protocol.',
      },
      {
        line: /lags? behind|(?:events?|positions)\b.* behind|behind the (?:head|log|newest)/i,
        reason: 'The meaning of lag.',
      },
      {
        line: /behind (?:\w+ )?(?:\w+ )?(?:prox(?:y|ies)|load balancers?|firewalls?|NAT|HAProxy|nginx|pooler|address|projector)/i,
        reason: 'The topology of processes.',
      },
      {
        line: /(?:leav(?:es?|ing)|left) .*behind|behind (?:a|the) (?:card|link|confirmation|sign-in)/i,
        reason: 'A place.',
      },
    ],
  },
  {
    banned: /claim(?:s|ed|ing)?/,
    write: 'reservation (of a value)',
    except: [
      { file: /^services\/oauth\/|^sdk\/|tokens?\b|jwt|oauth|^docs\/protocol\//i, reason: 'Claims of a JWT.' },
      {
        line: /\bclaims?\b.*(?:token|jwt|JWT|iss|aud|payload)|(?:token|jwt|JWT|payload|standard|private|custom).*\bclaims?/i,
        reason: 'Claims of a JWT.',
      },
      { line: /\bclaims(?:Of)?\b/, reason: 'Claims of a JWT.' },
      { line: /claim-anon-session/, reason: 'A mode of the protocol.' },
    ],
  },
  {
    banned: /switch(?:ed|es|ing)? (?:to|back|from|over|there)/,
    write: 'promote, roll back',
    except: [
      { line: /dark|light|theme|mode|provider|JSON|tab\b|account|project|template/i, reason: 'Controls on pages.' },
    ],
  },
  {
    banned: /take[ns]? over|taking over|took over|takeover/,
    write: 'promote',
    only: projections,
    except: [
      {
        line: /lead|lock|standby|process|database|folder|projector takeover|A takeover/i,
        reason: 'A standby process takes over from a leader.',
      },
    ],
  },
  { banned: /proofs?/, write: 'consistency check', only: projections },
  {
    banned:
      /colours?|behaviours?|favours?|honours?|cancell(?:ed|ing)|initialis(?:e|es|ed|ing|ation)|recognis(?:e|es|ed|ing)|organis(?:e|es|ed|ing|ation|ations)|authoris(?:e|es|ed|ing|ation)|normalis(?:e|es|ed|ing)|serialis(?:e|es|ed|ing)|licences?|centres?|analyse[sd]?/,
    write: 'American spelling',
    except: [{ line: /user_cancelled|CANCELLED|'cancelled'/, reason: 'Error codes of providers and of gRPC.' }],
  },
];

/** The terms are quoted here. */
const excepted = [
  'docs/glossary.md',
  'CHANGELOG.md',
  'infra/checks/language.ts',
  'infra/checks/language.test.ts',
  'LICENSE',
];
const skippedFolders = new Set(['node_modules', 'dist', '.next', '.git', 'screenshots']);
/** Other languages than English. */
const translations = [
  'sdk/react/src/texts/languages/',
  'services/mail/src/languages/',
  'services/api/src/german/',
  'dashboard/src/languages/',
];
const textFile = /(?:\.(?:ts|tsx|mjs|js|css|sql|md|html|ya?ml|sh|json|cfg)|Dockerfile|\/run)$/;

/** Files of the project that people read, by their path from the root. */
async function listTextFiles(folder = root): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) files.push(...(await listTextFiles(path)));
    } else if (textFile.test(path) && entry.name !== 'package-lock.json')
      files.push(relative(root, path).split(sep).join('/'));
  }
  return files.filter((file) => !excepted.includes(file) && !translations.some((folder) => file.startsWith(folder)));
}

/** `isLeftover_row` as `is Leftover row`, so that parts of names are words. */
const asWords = (text: string) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

const patterns = terms.map((term) => ({
  ...term,
  pattern: new RegExp(`(?<![\\w])(?:${term.banned.source})(?![\\w])`, 'gi'),
}));

/** Matches where any of them does; few lines have a match. */
const anyPattern = new RegExp(patterns.map(({ pattern }) => pattern.source).join('|'), 'i');

export function findBannedWords(file: string, text: string): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const words = asWords(line);
    if (!anyPattern.test(words)) return [];
    return patterns.flatMap(({ pattern, only, except = [] }) => {
      if (only && !only.test(file)) return [];
      const matches = words.match(pattern) ?? [];
      if (matches.length === 0) return [];
      const isExcepted = except.some(
        (exception) => (exception.file?.test(file) ?? true) && (exception.line?.test(line) ?? true),
      );
      if (isExcepted) return [];
      return matches.map((term) => ({ file, line: index + 1, term: term.toLowerCase(), text: line.trim() }));
    });
  });
}

const maxColumns = 120;
const commentLine = /^\s*(?:\/\/|\/?\*|--|\{\/\*|#(?!!))|\s\/\/\s/;

/** Comments that are too long, except for those with a long URL. */
export function findLongComments(file: string, text: string): Finding[] {
  if (!/\.(?:ts|tsx|mjs|js|css|sql)$/.test(file)) return [];
  return text.split('\n').flatMap((line, index) => {
    const isLong = line.length > maxColumns && commentLine.test(line) && !/https?:\/\/\S{60,}/.test(line);
    return isLong ? [{ file, line: index + 1, term: `comment over ${maxColumns} columns`, text: line.trim() }] : [];
  });
}

/** `services/api`, `infra`, `docs`, … */
const roomOf = (file: string) => {
  const [first = '', second = ''] = file.split('/');
  return ['services', 'sdk', 'docs', 'infra', 'examples'].includes(first) && file.split('/').length > 2
    ? `${first}/${second}`
    : first;
};

/** One line for each term and room, the most frequent first. */
export function summarize(findings: readonly Finding[]): string[] {
  const counts = new Map<string, number>();
  for (const { term, file } of findings) {
    const key = `${term} in ${roomOf(file)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([key, count]) => `${count} × ${key}`);
}

export async function checkAll(check: (file: string, text: string) => Finding[]): Promise<Finding[]> {
  const files = await listTextFiles();
  const found = await Promise.all(files.map(async (file) => check(file, await readFile(join(root, file), 'utf8'))));
  return found.flat();
}
