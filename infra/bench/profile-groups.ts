/** What the V8 profiler returns (Chrome DevTools Protocol, Profiler.Profile). Times are in microseconds. */
export type CpuProfile = {
  nodes: readonly ProfileNode[];
  samples: readonly number[];
  timeDeltas: readonly number[];
};
type ProfileNode = {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: readonly number[];
};

const idle = '(idle)';
/** Names of functions of V8 and Node without a file, most of them in C++. */
const nativeGroups: readonly [RegExp, string][] = [
  [/^\(garbage collector\)$/, 'garbage collection'],
  [/^\(program\)$/, 'native code of Node: event loop, sockets'],
  [/^(write|shutdown|readStart|readStop|consume|execute|.*(Utf8|Latin1)String)/, 'sockets and HTTP'],
  [/^(sign|verify|hash|digest|_?handle\w*Crypto|getCachedAliases|update|final|setAAD|randomFill)/i, 'crypto'],
];
const nodeGroups: readonly [RegExp, string][] = [
  [/crypto/, 'crypto'],
  [/http|net|stream|tls|dns|events|buffer|string_decoder/, 'sockets and HTTP'],
];

/**
 * Time on the processor by package, in ms: own time of each function, counted for its file. Functions without a file
 * count for their caller, unless their name tells more. Waiting is left out.
 */
export function groupProfile({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const groups = new Map<number, string>();
  const groupOf = (id: number): string => {
    const known = groups.get(id);
    if (known !== undefined) return known;
    const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {};
    const parent = parents.get(id);
    const group =
      groupOfFrame(functionName, url) ??
      (parent === undefined ? 'native code of Node: event loop, sockets' : groupOf(parent));
    groups.set(id, group);
    return group;
  };
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    if (byId.get(id)?.callFrame.functionName === idle) continue;
    const group = groupOf(id);
    times.set(group, (times.get(group) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  return times;
}

/** @returns null if the frame counts for its caller */
function groupOfFrame(functionName: string, url: string): string | null {
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library !== undefined && !url.includes('/node_modules/@gatebook/')) return `node_modules/${library}`;
  const own = /\/(services|sdk|dashboard)\/([^/]+)\/src\/([^/]+)/.exec(url);
  if (own) return `${own[1]}/${own[2]}: ${own[3]}`;
  if (url.startsWith('node:')) return find(nodeGroups, url) ?? 'other modules of Node';
  if (url === '') return find(nativeGroups, functionName);
  return url;
}

const find = (groups: readonly [RegExp, string][], text: string) =>
  groups.find(([pattern]) => pattern.test(text))?.[1] ?? null;
