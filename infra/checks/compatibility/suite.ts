import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { noChromium } from '../../testing/chromium.ts';
import { kinds } from './all-kinds.ts';
import { closingPages } from './browsing.ts';
import { type Discovered, discover, signatureOf } from './discovery.ts';
import { startWorlds } from './environment.ts';
import { type Call, type Case, caseOf } from './kinds.ts';
import { objectsIn } from './methods.ts';
import { renderReferencePage, type Tested } from './reference-page.ts';
import type { World } from './world.ts';

/** What a run calls in a browser: all methods, or these, as `Kind.method`. */
type BrowserMethods = 'all' | ReadonlySet<string>;

const pagePath = fileURLToPath(new URL('../../../docs/compatibility.md', import.meta.url));

/**
 * Declares the tests of all methods of all versions; for only some methods in a browser, of the newest version. Await
 * it at the top of a test file.
 */
export async function testCompatibility({ inBrowser }: { inBrowser: BrowserMethods }): Promise<void> {
  const { worlds, close } = await startWorlds();
  afterAll(close);
  const isBrowserUsed = inBrowser === 'all' && noChromium === null;
  const newest = worlds.at(-1);
  const tested: Tested[] = [];
  for (const world of worlds) {
    const found = await Promise.all(kinds.map((kind) => discover(world, kind, isBrowserUsed)));
    const failed = new Set<string>();
    tested.push({ version: world.version, found, failed });
    if (inBrowser !== 'all' && world !== newest) continue;
    const isCalledInBrowser = (method: string) => noChromium === null && (inBrowser === 'all' || inBrowser.has(method));
    describe(`@stackframe/js ${world.version}`, () => testVersion(world, found, failed, isCalledInBrowser));
  }
  test('docs/compatibility.md is what the tests found', async () => {
    await expect(renderReferencePage(kinds, tested)).toMatchFileSnapshot(pagePath);
  });
}

function testVersion(
  world: World,
  found: readonly Discovered[],
  failed: Set<string>,
  isCalledInBrowser: (method: string) => boolean,
): void {
  const signatures = new Set(found.map(({ signature }) => signature));
  for (const { kind, methods, error } of found) {
    describe(kind.name, () => {
      test('has a call for each method', () => {
        expect(error).toBeNull();
        expect(methods.filter((name) => caseOf(kind, name, world.version) === undefined)).toEqual([]);
      });
      for (const name of methods) {
        const method = `${kind.name}.${name}`;
        const call = callOf(caseOf(kind, name, world.version), isCalledInBrowser(method));
        if (call === null) continue;
        test.concurrent(name, async () => {
          failed.add(method);
          const unknown = objectsIn(await closingPages(world, call)).filter(
            (object) => !signatures.has(signatureOf(object)),
          );
          expect(unknown, 'objects with methods of no listed kind').toEqual([]);
          failed.delete(method);
        });
      }
    });
  }
}

/** What drives a method, or proves that nothing can. */
function callOf(given: Case | undefined, isInBrowser: boolean): Call | null {
  if (given === undefined) return null;
  if (typeof given === 'function') return given;
  if (given.outcome === 'works') return isInBrowser ? given.inBrowser : null;
  if (given.outcome === 'defect') return isInBrowser || !given.isInBrowser ? given.proof : null;
  return null;
}
