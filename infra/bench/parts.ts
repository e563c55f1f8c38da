import { benchAppend } from './append.ts';
import type { Bench } from './bench.ts';
import { benchBeside } from './beside.ts';
import { benchBetterAuth } from './better-auth.ts';
import { benchChecksums } from './checksums.ts';
import { benchEvents } from './events.ts';
import { benchFailedSignIns } from './failed-sign-ins.ts';
import { benchGrowth } from './growth.ts';
import { benchHistory } from './history.ts';
import { benchLists } from './lists.ts';
import { benchMail } from './mail.ts';
import { benchRebuild } from './rebuild.ts';
import { benchRebuildUnderTraffic } from './rebuild-under-traffic.ts';
import type { Result } from './report.ts';
import { benchRoute } from './requests.ts';
import { benchIdle, benchLoadedMemory } from './resources.ts';
import { type RouteName, routes } from './routes.ts';
import { benchStart } from './start.ts';
import { benchStreams } from './streams.ts';
import { benchVisible } from './visible.ts';
import { benchWebhooks } from './webhooks.ts';

export type Part = {
  run(bench: Bench): Promise<Result[]>;
  /** Whether it uses the two servers with the same users. */
  usesWorld?: boolean;
  /** Of docs/benchmarks.md; `aims` by default. */
  section?: string;
  /** The part that it also runs with. */
  with?: string;
  /** Too long for a run of everything, and without an aim or with one that another part has. */
  isOnlyByName?: boolean;
};

const routeParts = Object.fromEntries(
  (Object.keys(routes) as RouteName[]).map((name): [RouteName, Part] => [
    name,
    { usesWorld: true, run: (bench) => benchRoute(bench, name) },
  ]),
);

/** In this order, and by these names on the command line. */
export const parts: Readonly<Record<string, Part>> = {
  append: { run: async (bench) => benchAppend(await bench.freshDatabase('append'), bench) },
  visible: { run: async (bench) => benchVisible(await bench.freshDatabase('visible'), bench) },
  rebuild: { run: async (bench) => benchRebuild(await bench.freshDatabase('rebuild'), bench) },
  start: { run: async ({ freshDatabase, scale }) => benchStart(await freshDatabase('start'), scale) },
  idle: { run: ({ scale }) => benchIdle(scale) },
  ...routeParts,
  beside: { usesWorld: true, run: benchBeside },
  memory: { usesWorld: true, run: async ({ world, pace }) => benchLoadedMemory(await world(), pace) },
  growth: { section: 'growth', isOnlyByName: true, run: benchGrowth },
  lists: { section: 'lists', isOnlyByName: true, run: benchLists },
  'better-auth': { usesWorld: true, section: 'better-auth', run: benchBetterAuth },
  mail: {
    section: 'mail',
    isOnlyByName: true,
    run: async ({ freshDatabase }) => benchMail(await freshDatabase('mail')),
  },
  streams: {
    section: 'streams',
    isOnlyByName: true,
    run: async ({ freshDatabase }) => benchStreams(await freshDatabase('streams')),
  },
  webhooks: {
    section: 'webhooks',
    isOnlyByName: true,
    run: async (bench) => benchWebhooks(await bench.freshDatabase('webhooks'), bench),
  },
  history: {
    section: 'history',
    isOnlyByName: true,
    run: async (bench) => benchHistory(await bench.freshDatabase('history'), bench),
  },
  'failed-sign-ins': { section: 'failed-sign-ins', with: 'history', isOnlyByName: true, run: benchFailedSignIns },
  events: {
    section: 'events',
    isOnlyByName: true,
    run: async (bench) => benchEvents(await bench.freshDatabase('events'), bench),
  },
  checksums: {
    section: 'checksums',
    isOnlyByName: true,
    run: async ({ freshDatabase }) => benchChecksums(await freshDatabase('checksums')),
  },
  traffic: {
    section: 'traffic',
    isOnlyByName: true,
    run: async ({ freshDatabase }) => benchRebuildUnderTraffic(await freshDatabase('traffic')),
  },
};

/** The parts of each section, in order. */
export const sectionsOf = (): Map<string, string[]> => {
  const sections = new Map<string, string[]>();
  for (const [name, { section = 'aims' }] of Object.entries(parts)) {
    sections.set(section, [...(sections.get(section) ?? []), name]);
  }
  return sections;
};
