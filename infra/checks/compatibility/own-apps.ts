import { type ClientLibrary, loadClient, publishedClients } from '@gatebook/api/testing/published-clients';
import * as stackCompat from '@gatebook/stack-compat/js';
import { afterAll, describe, expect, test } from 'vitest';
import { noChromium } from '../../testing/chromium.ts';
import { kinds } from './all-kinds.ts';
import { closingPages } from './browsing.ts';
import { startWorlds } from './environment.ts';
import { type Call, type Case, caseOf, type Kind } from './kinds.ts';
import { methodsOf } from './methods.ts';
import { ownCases, ownFields, ownMethods } from './own-cases.ts';
import type { World } from './world.ts';

/**
 * Declares the tests that the apps of @gatebook/js, under their published names, do what the newest published client
 * does: the same objects with the same methods and fields, and each method passes the test of the published one. Those
 * that take a browser, or all others. Await it at the top of a test file.
 */
export async function testAppObjects({ inBrowser }: { inBrowser: boolean }): Promise<void> {
  const newest = publishedClients.at(-1);
  if (!newest) throw new Error('no published client is installed');
  const library = stackCompat as unknown as ClientLibrary;
  const clients = [
    loadClient(newest).then((loaded) => ({ ...newest, library: loaded })),
    Promise.resolve({ version: newest.version, packageName: '@gatebook/stack-compat/js', library }),
  ];
  const { worlds, close } = await startWorlds(clients);
  const [published, own] = worlds as readonly [World, World];
  afterAll(close);
  const isSkipped = inBrowser && noChromium !== null;
  for (const kind of kinds) {
    const isCompared = (kind.isInBrowser ?? false) === inBrowser;
    const calls = [...new Set([...Object.keys(kind.cases), ...(ownMethods[kind.name]?.added ?? [])])]
      .map((name) => ({ name, given: ownCases[`${kind.name}.${name}`] ?? caseOf(kind, name, own.version) }))
      .filter(({ given }) => takesBrowser(kind, given) === inBrowser);
    if (!isCompared && calls.length === 0) continue;
    describe.skipIf(isSkipped)(`${kind.name}${isSkipped ? ` (skipped: ${noChromium})` : ''}`, () => {
      if (isCompared) compareObjects(kind, published, own);
      for (const { name, given } of calls) {
        test.concurrent(name, async () => {
          await closingPages(own, callOf(kind, name, given));
        });
      }
    });
  }
}

const takesBrowser = (kind: Kind, given: Case | undefined): boolean =>
  typeof given === 'object' &&
  (given.outcome === 'works' || (given.outcome === 'unrelated' && kind.isInBrowser === true));

function compareObjects(kind: Kind, published: World, own: World): void {
  test('has the methods of the published object', async () => {
    const [theirs, ours] = await Promise.all([sampleOf(published, kind), sampleOf(own, kind)]);
    const { added = [], left = [] } = ownMethods[kind.name] ?? {};
    const expected = [...methodsOf(theirs), ...added].filter((name) => !left.includes(name));
    expect(methodsOf(ours)).toEqual(expected.sort());
  });

  test('has the fields of the published object', async () => {
    const [theirs, ours] = await Promise.all([sampleOf(published, kind), sampleOf(own, kind)]);
    const { added = [], left = [] } = ownFields[kind.name] ?? {};
    const expected = [...fieldsOf(theirs), ...added].filter((name) => !left.includes(name));
    expect(fieldsOf(ours)).toEqual(expected.sort());
  });
}

const sampleOf = async (world: World, kind: Kind): Promise<object> => {
  const sample = await closingPages(world, kind.sample);
  return sample ?? expect.fail(`${world.version} has no ${kind.name}`);
};

/** Names of an object's fields with a value. Names with an underscore are not public. */
const fieldsOf = (object: object): string[] =>
  Object.entries(object)
    .filter(([name, value]) => typeof value !== 'function' && value !== undefined && !name.startsWith('_'))
    .map(([name]) => name)
    .sort();

function callOf(kind: Kind, name: string, given: Case | undefined): Call {
  if (given === undefined) return () => expect.fail(`${kind.name}.${name} has no case`);
  if (typeof given === 'function') return given;
  if (given.outcome === 'works') return given.inBrowser;
  if (given.outcome === 'unrelated') return (world) => rejectsAsNotOffered(world, kind, name);
  return () => expect.fail(`${kind.name}.${name} is a defect of the published client and needs a case here`);
}

async function rejectsAsNotOffered(world: World, kind: Kind, name: string): Promise<void> {
  const sample = (await sampleOf(world, kind)) as Record<string, () => Promise<unknown>>;
  const method = sample[name];
  // Some cases are for servers only; the test of the methods finds what is missing.
  if (method) await expect(method()).rejects.toMatchObject({ name: 'NotOfferedError', method: name });
}
