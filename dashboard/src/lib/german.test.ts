// @vitest-environment happy-dom
import { beforeAll, expect, test } from 'vitest';

/** All modules, loaded for a person who chose German. */
async function loadGerman() {
  localStorage.setItem('gatebook-language', 'de');
  const [format, devices, actors] = await Promise.all([
    import('./format.ts'),
    import('./device-name.ts'),
    import('../components/audit/audit-pages.ts'),
  ]);
  return { ...format, ...devices, ...actors };
}
let german: Awaited<ReturnType<typeof loadGerman>>;
beforeAll(async () => {
  german = await loadGerman();
});

test('numbers have the separators of German', () => {
  const { formatCount, formatDecimal, formatPercent, formatExactPercent } = german;
  expect([formatCount(2_215), formatDecimal(1.5)]).toEqual(['2.215', '1,5']);
  expect([0.5, 0.01].map(formatPercent)).toEqual(['50\u00a0%', '1\u00a0%']);
  expect([1, 0.9999, 0].map(formatExactPercent)).toEqual(['100\u00a0%', '99,9\u00a0%', '0\u00a0%']);
});

test('devices are named in German', () => {
  const names = ['Chrome on Linux', 'Firefox on unknown system', 'Unknown browser on iOS', 'curl'];
  expect(names.map(german.translateDevice)).toEqual(['Chrome auf Linux', 'Firefox', 'iOS', 'curl']);
});

test('actors are in the case that follows “von”', () => {
  const kinds = ['user', 'owner', 'server', 'admin', 'client', 'operator'];
  const unnamed = { id: null, displayName: null, impersonator: null, isErased: false };
  expect(kinds.map((kind) => german.describeActor({ kind, ...unnamed }))).toEqual([
    'einem Benutzer',
    'einem Eigentümer',
    'Ihrem Server',
    'einem Admin-Schlüssel',
    'einem nicht angemeldeten Besucher',
    'dem Betreiber',
  ]);
});
