import type { Discovered } from './discovery.ts';
import { type Case, caseOf, type Kind } from './kinds.ts';

/** Methods of all kinds in one version, and the methods whose calls failed, as `Kind.method`. */
export type Tested = { version: string; found: readonly Discovered[]; failed: ReadonlySet<string> };

const title = `# Compatibility with published clients

Every method of the objects that \`@stackframe/js\` hands out, in the oldest supported version, one in the middle and the newest. Tests call each
one against a listening Gatebook, at page level in Chromium where the client needs a browser
([\`infra/checks/compatibility.test.ts\`](../infra/checks/compatibility.test.ts)). They fail if a method has no test. Internals of the client
(names with an underscore or under a symbol) and React hooks, which this package does not have, are not listed.

- *works*: the method does what its types promise.
- *not about authentication*: Gatebook does not offer the feature.
- *defect of the client*: no server can make the method work. The list at the end says why, and a test proves it.
- —: this version has no such method.

Run \`npm run compatibility\` to write this page.
`;

/** The content of `docs/compatibility.md`. */
export function renderReferencePage(kinds: readonly Kind[], tested: readonly Tested[]): string {
  const sections = kinds.map((kind) => renderKind(kind, tested));
  return [title, renderTotals(kinds, tested), ...sections, renderDefects(kinds, tested)].join('\n');
}

function renderKind(kind: Kind, tested: readonly Tested[]): string {
  const names = [...new Set(tested.flatMap((version) => methodsOf(version, kind)))].sort();
  const rows = names.map((name) => [`\`${name}\``, ...tested.map((version) => cellOf(version, kind, name))]);
  return `## ${kind.name}\n\n${table(['Method', ...tested.map(({ version }) => version)], rows)}`;
}

const methodsOf = ({ found }: Tested, kind: Kind): readonly string[] =>
  found.find((discovered) => discovered.kind === kind)?.methods ?? [];

function cellOf(tested: Tested, kind: Kind, name: string): string {
  if (!methodsOf(tested, kind).includes(name)) return '—';
  if (tested.failed.has(`${kind.name}.${name}`)) return '**fails**';
  return describe(caseOf(kind, name, tested.version));
}

function describe(given: Case | undefined): string {
  if (given === undefined) return '**not tested**';
  if (typeof given === 'function' || given.outcome === 'works') return 'works';
  return given.outcome === 'unrelated' ? `not about authentication: ${given.feature}` : 'defect of the client';
}

const outcomes = ['works', 'not about authentication', 'defect of the client', '**fails**', '**not tested**'];

function renderTotals(kinds: readonly Kind[], tested: readonly Tested[]): string {
  const rows = tested.map((version) => {
    const cells = kinds.flatMap((kind) => methodsOf(version, kind).map((name) => cellOf(version, kind, name)));
    return [version.version, ...outcomes.map((outcome) => cells.filter((cell) => cell.startsWith(outcome)).length)];
  });
  return table(['Version', 'Works', 'Not about authentication', 'Defects of the client', 'Fails', 'Not tested'], rows);
}

function renderDefects(kinds: readonly Kind[], tested: readonly Tested[]): string {
  const lines = kinds.flatMap((kind) =>
    Object.keys(kind.cases).flatMap((name) => {
      const versions = tested.filter((version) => cellOf(version, kind, name) === 'defect of the client');
      const given = caseOf(kind, name, versions[0]?.version ?? '');
      if (typeof given !== 'object' || given.outcome !== 'defect' || versions.length === 0) return [];
      return [
        `- \`${name}\` of ${kind.name} (${versions.map(({ version }) => version).join(', ')}) ${given.sentence}.`,
      ];
    }),
  );
  return `## Defects of the client\n\n${lines.sort().join('\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}
