import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsIn, linksIn, sectionsIn } from './markdown.ts';
import { protocolPages, referencesIn, type Targets } from './references.ts';
import { writtenFiles } from './tree.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(root, path), 'utf8');

/** Their texts are about references. */
const ownFiles = /^infra\/docs\/(references|markdown)(\.test)?\.ts$/;
const linkedPages = /^([A-Z]+\.md|docs\/.*\.md|(services|sdk|dashboard|infra|examples)\/.*\.md)$/;

async function readTargets(): Promise<Targets> {
  const sectionsOf = async (path: string) => sectionsIn(await read(path));
  const pages = protocolPages.map(async (page) => [page, await sectionsOf(`docs/protocol/${page}.md`)] as const);
  const rules = (await read('docs/protocol/README.md')).matchAll(/^(\d+)\. /gm);
  const decisions = await readdir(join(root, 'docs/decisions'));
  return {
    sections: {
      ...Object.fromEntries(await Promise.all(pages)),
      architecture: await sectionsOf('docs/architecture.md'),
    },
    rules: new Set([...rules].map(([, number = '']) => number)),
    decisions: new Set(decisions.map((name) => name.slice(0, 4))),
  };
}

/** `auth` for docs/protocol/auth.md; null for a file without its own page. */
const pageOf = (path: string) => /^docs\/(?:protocol\/)?(\w+)\.md$/.exec(path)?.[1] ?? null;
const ownPageOf = (path: string) => {
  const name = pageOf(path);
  const isPage = path.startsWith('docs/protocol/') || path === 'docs/architecture.md';
  return isPage ? name : null;
};

describe('references', () => {
  test('every reference to a section, rule or decision resolves', async () => {
    const targets = await readTargets();
    const files = (await writtenFiles(root)).filter((path) => !ownFiles.test(path));
    const found = await Promise.all(
      files.map(async (path) =>
        referencesIn(await read(path), targets, ownPageOf(path)).map((one) => ({ path, ...one })),
      ),
    );
    const references = found.flat();
    expect(references.length).toBeGreaterThan(300);
    expect(
      references.filter(({ fault }) => fault !== null).map(({ path, text, fault }) => `${path}: "${text}" ${fault}`),
    ).toEqual([]);
  });

  test('every section of a protocol page has a unique number', async () => {
    for (const page of protocolPages) {
      const numbers = [...(await read(`docs/protocol/${page}.md`)).matchAll(/^#{2,4} (?:Appendix )?([A-Z0-9.]+)/gm)];
      expect(new Set(numbers.map(([, number]) => number)).size).toBe(numbers.length);
    }
  });

  const targets: Targets = {
    sections: { auth: new Set(['2', '8.3', '8.4']), conventions: new Set(['4.2']), architecture: new Set(['3']) },
    rules: new Set(['12', '15']),
    decisions: new Set(['0015']),
  };
  test.each([
    ['/** Used once (protocol, auth §8.3, step 10). */', [null]],
    ['/** Protocol, auth §2. */', [null]],
    ['(protocol, auth §8.3 and §8.4)', [null, null]],
    ['Protocol, conventions §4.2 and auth §8.3.', [null, null]],
    [' * the answer (protocol,\n * auth §8.4)', [null]],
    ['(architecture §3)', [null]],
    ['(protocol, rules 12 and 15)', [null, null]],
    ['[decision 15](decisions/0015-a.md)', [null, null, null]],
    ['RFC 6749 §4.1.2, WebAuthn L3 §7.1 step 10, §7.2 step 13', []],
    ['(protocol, auth §9.9)', ['auth has no section 9.9']],
    ['(protocol, rule 99)', ['there is no rule 99']],
    ['docs/decisions/0099', ['there is no decision 0099']],
    ['[decision 14](decisions/0015-a.md)', ['the link leads to decision 0015', 'there is no decision 14', null]],
    ['(§3)', ['names no page: write (protocol, <page> §N) or (architecture §N)']],
    ['(spec §9)', ['names no page: write (protocol, <page> §N) or (architecture §N)']],
    ['(client.md, on cookies)', ['is an old form: write (protocol, <page> §N) or (protocol, rule N)']],
  ])('the references of %j are checked', (text, faults) => {
    expect(referencesIn(text, targets).map(({ fault }) => fault)).toEqual(faults);
  });
});

describe('links', () => {
  test('every relative link of a Markdown page points to an existing file and anchor', async () => {
    const pages = (await writtenFiles(root)).filter((path) => linkedPages.test(path));
    const anchors = new Map<string, Set<string>>();
    for (const path of pages) anchors.set(path, anchorsIn(await read(path)));
    const broken: string[] = [];
    let count = 0;
    for (const path of pages) {
      for (const link of linksIn(await read(path))) {
        if (/^(?:[a-z]+:|\/\/)/i.test(link)) continue;
        count += 1;
        const [file = '', anchor] = decodeURI(link).split('#', 2);
        const target = file === '' ? path : normalize(join(dirname(path), file)).replace(/\/$/, '');
        const hasAnchor = anchor === undefined || !target.endsWith('.md') || anchors.get(target)?.has(anchor);
        if (!existsSync(join(root, target)) || !hasAnchor) broken.push(`${path}: ${link}`);
      }
    }
    expect(count).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });

  test('every source file that a page of docs names in code exists', async () => {
    const files = (await writtenFiles(root)).map((path) => `/${path.replace(/(^|\/)src\//, '$1')}`);
    const pages = (await writtenFiles(root)).filter((path) =>
      /^docs\/(?!protocol\/|api\.md|events\.md).*\.md$/.test(path),
    );
    const missing: string[] = [];
    for (const page of pages) {
      for (const [, name = ''] of (await read(page)).matchAll(/`([\w./-]+\.tsx?)`/g)) {
        const path = `/${name.replace(/(^|\/)src\//, '$1')}`;
        if (!files.some((file) => file.endsWith(path))) missing.push(`${page}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test('anchors are computed as on GitHub', () => {
    const page =
      '# The wire protocol\n## 3.2 The checks, in this order\n### 8.6 POST /auth/oauth/token\n## Same\n## Same\n<a id="by-hand">';
    const expected = [
      'by-hand',
      'the-wire-protocol',
      '32-the-checks-in-this-order',
      '86-post-authoauthtoken',
      'same',
      'same-1',
    ];
    expect([...anchorsIn(page)]).toEqual(expected);
  });

  test('links in code are ignored', () => {
    expect(linksIn('[a](b.md#c) `[d](e)` ![f](g.png "h")\n```\n[i](j)\n```\n[k]: l.md')).toEqual([
      'b.md#c',
      'g.png',
      'l.md',
    ]);
  });
});
